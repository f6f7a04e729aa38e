"""Own first: a crossing of the board, an answer to its owner and an orderly end wait for no friend."""
import subprocess
import time

from flood import Flood
from judge import LOOSE, Siege, slow_disk
from nmea import along, degrees, stand
from servers import poll
from tracker import COMMAND_LINE
from world import expect

PLACE = degrees((600.0, 0.0))
GATE = [{"_type": "waypoint", "desc": "Gate", "lat": PLACE[0], "lon": PLACE[1], "rad": 100, "tst": 1385997757}]
WORLD = {"broker": LOOSE, "friends": True, "waypoints": GATE}
# Seconds: from the fix that decided to the broker, an answer, a tag, an end.
MOST = {"crossing": 2.0, "status": 1.0, "tag": 2.0, "end": 5.0}


def at(level):
    return dict(WORLD, mqttProtocolLevel=level)


class Drive:
    """To the gate and back, time and again, five seconds of the receiver's time a second."""

    HZ = 5.0

    def __init__(self, world):
        self.world, self.sent = world, {}

    def through(self, siege):
        """Once in and once out, while the siege looks after the tracker."""
        road = along([(0, 0), (600, 0)]) + stand(3, (600, 0)) + along([(600, 0), (0, 0)]) + stand(3)
        feeder = self.world.feeding(road, self.HZ)
        self.sent = feeder.sent
        siege.lives.watch(len(road) / self.HZ + 0.5)

    def delays(self, seconds):
        """Of each crossing: from when the fix that decided was given to gpsd until the broker had it. What
        has not come after so long is told as None."""
        wanted = [("enter", "Gate"), ("leave", "Gate")]
        poll(lambda: len(self.found()) >= len(wanted), seconds)
        return {word: self.found().get(word) for word, _ in wanted}

    def found(self):
        """The time of a crossing is that of the fix which decided."""
        delays = {}
        for message in list(self.world.watcher.messages):
            value = message.json() if message.topic.endswith("/event") else None
            if value and value.get("tst") in self.sent:
                delays.setdefault(value["event"], round(message.arrived - self.sent[value["tst"]], 2))
        return delays


def _asked(world, *words, seconds=5):
    """How long an answer took; None: none in this time."""
    begun = time.monotonic()
    try:
        done = subprocess.run([COMMAND_LINE, *words, "--socket", world.tracker.socket], capture_output=True,
                              timeout=seconds)
    except subprocess.TimeoutExpired:
        return None
    return round(time.monotonic() - begun, 2) if done.returncode == 0 else None


def _worst(times):
    return None if None in times else max(times)


def flooded(world, kind="place", rate=5000, disk=0.05, seconds=120, size=0):
    """Friends' messages and a slow disk: the same drive is made before, without them, to compare with."""
    siege = Siege(world, slow_disk(world, disk), megabytes=96)
    expect(siege.settle(), "nothing came through before the attack")
    drive = Drive(world)
    drive.through(siege)
    quiet = drive.delays(5)
    expect(None not in quiet.values(), "without a flood the crossings do not come: %s" % quiet)
    flood = Flood(world, kind, rate=rate, seconds=seconds, size=size)
    siege.lives.watch(3)
    drive.through(siege)
    answers = [_asked(world, "status") for _ in range(3)]
    tags = [_asked(world, "tag", "x%d" % number) for number in range(2)]
    delays = drive.delays(8)
    begun = time.monotonic()
    world.tracker.process.terminate()
    ended = poll(lambda: not world.tracker.is_alive(), 10)
    took = {"crossing": _worst(list(delays.values())), "status": _worst(answers), "tag": _worst(tags),
            "end": round(time.monotonic() - begun, 2) if ended else None}
    expect(flood.is_alive(), "the flood had ended before the tracker")
    flood.kill()
    for name, most in MOST.items():
        siege.expect(took[name] is not None and took[name] <= most, "%s took %s, at most %.0f s" % (
            name, "longer than was waited" if took[name] is None else "%.2f s" % took[name], most))
    quiet_worst = max(quiet.values())
    siege.expect(not siege.lives.deaths, "it died %d times" % len(siege.lives.deaths))
    return dict(kind="own first under %d/s of %s, fsync %d ms" % (rate, kind, disk * 1000), quiet=quiet_worst, **took,
                problems=siege.problems)
