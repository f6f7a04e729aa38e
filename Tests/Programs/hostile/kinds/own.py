"""Own first: a crossing of the board, an answer to its owner and an orderly end wait for no friend."""
import subprocess
import time

from flood import Flood
from judge import LOOSE, Siege, slow_disk
from nmea import along, degrees, stand
from tracker import COMMAND_LINE
from waiting import IN_THE_END, in_the_end
from world import expect

PLACE = degrees((600.0, 0.0))
GATE = [{"_type": "waypoint", "desc": "Gate", "lat": PLACE[0], "lon": PLACE[1], "rad": 100, "tst": 1385997757}]
WORLD = {"broker": LOOSE, "friends": True, "waypoints": GATE}
# Seconds that the flood lasts at least: longer than anybody waits for what has to come before its end.
LASTS = 600


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

    def delays(self):
        """Of each crossing: from when the fix that decided was given to gpsd until the broker had it. What
        never comes is told as None."""
        wanted = [("enter", "Gate"), ("leave", "Gate")]
        in_the_end(lambda: len(self.found()) >= len(wanted))
        return {word: self.found().get(word) for word, _ in wanted}

    def found(self):
        """The time of a crossing is that of the fix which decided."""
        delays = {}
        for message in list(self.world.watcher.messages):
            value = message.json() if message.topic.endswith("/event") else None
            if value and value.get("tst") in self.sent:
                delays.setdefault(value["event"], round(message.arrived - self.sent[value["tst"]], 2))
        return delays


def _asked(world, *words):
    """How long an answer took; None: there was none."""
    begun = time.monotonic()
    try:
        done = subprocess.run([COMMAND_LINE, *words, "--socket", world.tracker.socket], capture_output=True,
                              timeout=IN_THE_END)
    except subprocess.TimeoutExpired:
        return None
    return round(time.monotonic() - begun, 2) if done.returncode == 0 else None


def _worst(times):
    return None if None in times else max(times)


def flooded(world, kind="place", rate=5000, disk=0.05, size=0):
    """Friends' messages and a slow disk: the same drive is made before, without them, to compare with. All
    that is asked for has to come while the flood goes on."""
    siege = Siege(world, slow_disk(world, disk), megabytes=96)
    expect(siege.settle(), "nothing came through before the attack")
    drive = Drive(world)
    drive.through(siege)
    quiet = drive.delays()
    expect(None not in quiet.values(), "without a flood the crossings do not come: %s" % quiet)
    flood = Flood(world, kind, rate=rate, seconds=LASTS, size=size)
    siege.lives.watch(3)
    drive.through(siege)
    answers = [_asked(world, "status") for _ in range(3)]
    tags = [_asked(world, "tag", "x%d" % number) for number in range(2)]
    delays = drive.delays()
    begun = time.monotonic()
    world.tracker.process.terminate()
    ended = in_the_end(lambda: not world.tracker.is_alive())
    took = {"crossing": _worst(list(delays.values())), "status": _worst(answers), "tag": _worst(tags),
            "end": round(time.monotonic() - begun, 2) if ended else None}
    expect(flood.is_alive(), "the flood had ended before the tracker")
    flood.kill()
    for name, seconds in took.items():
        siege.expect(seconds is not None, "no %s while the flood goes on" % name)
    quiet_worst = max(quiet.values())
    siege.expect(not siege.lives.deaths, "it died %d times" % len(siege.lives.deaths))
    return dict(kind="own first under %d/s of %s, fsync %d ms" % (rate, kind, disk * 1000), quiet=quiet_worst, **took,
                problems=siege.problems)
