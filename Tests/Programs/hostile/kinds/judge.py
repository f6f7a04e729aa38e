"""What has to hold whatever comes, and the sums of an attack."""
import time

from cell import MEGABYTE, Cell
from lives import Journal, Lives
from nmea import stand
from tracker import shim
from waiting import IN_THE_END, in_the_end

# A broker for a flood keeps nothing on its own disk: it is not what is tried here.
LOOSE = "persistence false"
MOST_LINES = 10  # a minute, caused from outside


def most_lines(since):
    """In the minutes that have begun since."""
    return MOST_LINES * (int((time.monotonic() - since) / 60) + 1)


def slow_disk(world, seconds):
    """The environment in which each fsync takes so much longer."""
    return {"LD_PRELOAD": shim("slow_disk", world.folder), "SLOW_DISK_SECONDS": str(seconds)}


def published(world):
    """The times of own positions that have come through."""
    return {value["tst"] for value in world.locations()}


class Siege:
    """A tracker in its cell with a receiver beside it; the attack begins and ends in the middle.

    `posted`: the times of what has come through, where that is not the broker."""

    def __init__(self, world, env=None, megabytes=32, posted=None):
        self.world, self.posted = world, posted or (lambda: published(world))
        self.cell = Cell(world, megabytes)
        self.lives = Lives(world, self.cell.before, env)
        self.journal, self.problems = Journal(world.tracker), []

    def stand(self, seconds, until=None, hz=4.0):
        """A receiver that stands still, for so long or until this comes true; what it said is owed."""
        feeder = self.world.feeding(stand(int(seconds * hz), self.world.place), hz)
        found = self.lives.watch(seconds, until)
        feeder.stop()
        self.world.clock = max(feeder.sent, default=self.world.clock - 1) + 1
        return set(feeder.sent), found

    def settle(self):
        """Until a first position has come through; a tracker that dies over and over never gets there."""
        _, found = self.stand(IN_THE_END, self.posted)
        return bool(found)

    def arrived(self, owed):
        """How many of these come through."""
        in_the_end(lambda: self.lives.step() or owed <= self.posted(), every=0.2)
        return len(owed & self.posted())

    def expect(self, holds, words):
        if not holds:
            self.problems.append(words)

    def sums(self, kind, **numbers):
        """Nothing died, nothing grew, and positions of now still come through."""
        owed, _ = self.stand(5)
        came = self.arrived(owed)
        kills, deaths = self.cell.kills(), len(self.lives.deaths)
        peak, most = self.cell.peak(), self.lives.most * 1024
        self.expect(not kills, "killed %d times for want of memory" % kills)
        self.expect(not deaths or kills, "died %d times: %s" % (deaths, self.lives.deaths[:5]))
        self.expect(most <= self.cell.limit, "%.1f MB resident" % (most / MEGABYTE))
        self.expect(came == len(owed), "%d of %d positions came through afterwards" % (came, len(owed)))
        return dict(kind=kind, kills=kills, deaths=deaths, residentMB=round(most / MEGABYTE, 1),
                    cgroupMB=round((peak or 0) / MEGABYTE, 1), came="%d/%d" % (came, len(owed)), **numbers,
                    problems=self.problems)
