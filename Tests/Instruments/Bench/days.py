"""What boards cost by themselves, an hour and a day long: many of them beside each other for some minutes."""
import contextlib
import dataclasses
import re
import time

import links
from card import Card
from servers import Feeder
from nmea import epochs
from tracker import effort, memory
from world import World

# Until gpsd has been asked again, and a board that stands is taken for parked.
SETTLED, PARKED = 100, 420
# The product's own, in place of those of the tests.
DEFAULTS = dict.fromkeys(["monitoring", "locatorDisplacement", "locatorInterval", "ping"])
MODES = {"quiet": -1, "manual": 0, "significant": 1, "move": 2}


@dataclasses.dataclass
class Case:
    """A board: what its receiver does (silent, stands, drives), how it connects and is set."""
    name: str
    receiver: str
    link: dict
    settings: dict
    has_card: bool = False
    is_away: bool = False  # the broker


class Board:
    def __init__(self, case, minutes, stack):
        self.case = case
        world = self.world = World(broker="log_type all\nlog_dest stderr\n", **{**DEFAULTS, **case.settings})
        stack.callback(world.close)
        self.port = links.link(world, case.link)
        self.card = None
        if case.has_card:
            self.card = Card(world.tracker.state)
            stack.callback(self.card.close)
            stack.callback(world.tracker.kill)
        world.clock = int(time.time()) - 120
        world.tracker.start()
        connected = lambda status: status["connection"]["state"] == "connected"
        if not connected(world.tracker.wait_for_status(connected) or {"connection": {"state": ""}}):
            raise RuntimeError("%s does not connect: %s" % (case.name, world.tracker.log()))
        if case.receiver != "silent":
            world.settle()
            world.clock = int(time.time())
            seconds = int(60 * minutes) + 1200
            places = world.drive(seconds) if case.receiver == "drives" else world.stand(seconds)
            if case.is_away:
                world.broker.stop()
            self.feeder = Feeder(world.gpsd, epochs(places, world.clock), 1)
            stack.callback(self.feeder.stop)

    def look(self, wire):
        """All that is counted, so far."""
        pid, log = self.world.tracker.pid, self.world.broker.log()
        return {
            "bytes": wire.of(self.port), "wakeups": effort(pid)[1], "written": self.card.written() if self.card else None,
            "pings": len(re.findall(r"Received PINGREQ from ute-board\b", log)),
            "published": len(re.findall(r"Received PUBLISH from ute-board\b", log)),
        }


def spent(cases, minutes, wire):
    """What each cost in so many minutes, by its name."""
    with contextlib.ExitStack() as stack:
        boards = [Board(case, minutes, stack) for case in cases]
        is_parked = any("keepAliveParked" in case.settings for case in cases)
        time.sleep(PARKED if is_parked else min(SETTLED, 30 * minutes))
        before, start = [(board.look(wire), time.monotonic()) for board in boards], time.monotonic()
        time.sleep(max(0, start + 60 * minutes - time.monotonic()))
        found = {}
        for board, (first, begun) in zip(boards, before):
            last, ended = board.look(wire), time.monotonic()
            row = {key: last[key] - first[key] for key in first if last[key] is not None}
            sizes = memory(board.world.tracker.pid)
            found[board.case.name] = {**row, "seconds": ended - begun, "private": sizes["Private_Dirty"], "rss": sizes["Rss"]}
        return found


def cases(is_long):
    """`is_long`: for an hour, in which a parked board is heard a few times."""
    found = [Case("keepalive, " + name, "stands", way, {"ping": 0})
             for name, way in [("MQTT 3.1.1, plain", links.PLAIN_4), ("MQTT 5, plain", links.PLAIN_5),
                               ("MQTT 3.1.1, TLS", links.TLS_4), ("MQTT 5, TLS", links.TLS_5)]]
    for receiver in ("silent", "stands", "drives"):
        for mode, number in MODES.items():
            has_card = receiver != "silent" and number > 0
            found.append(Case("%s, %s" % (mode, receiver), receiver, links.TLS_5, {"monitoring": number}, has_card))
    each = {"monitoring": 2, "locatorDisplacement": 0, "locatorInterval": 0}
    found.append(Case("every fix published, drives", "drives", links.TLS_5, each, has_card=True))
    found.append(Case("every fix queued, the broker away, drives", "drives", links.TLS_5, each, has_card=True, is_away=True))
    if is_long:
        found.append(Case("keepAliveParked 900, no ping", "stands", links.TLS_5, {"keepAliveParked": 900, "ping": 0}))
        found.append(Case("keepAliveParked 900", "stands", links.TLS_5, {"keepAliveParked": 900}))
    return found
