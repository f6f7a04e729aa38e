"""The lives of a tracker under attack: started again where it dies, as systemd would, and every death counted."""
import re
import time

from waiting import poll



def _kilobytes(pid, *names):
    try:
        with open("/proc/%d/status" % pid) as file:
            found = dict(line.split(":", 1) for line in file)
        return [int(found[name].split()[0]) for name in names]
    except (OSError, KeyError, ValueError):
        return [0] * len(names)


class Lives:
    """`before` and `env` as for Tracker.start."""

    PAUSE = 0.3  # between a death and the next start

    def __init__(self, world, before=(), env=None):
        self.world, self.tracker, self.before, self.env = world, world.tracker, before, env
        self.deaths, self.most, self.first = [], 0, None
        self.tracker.start(before, env)

    def step(self):
        """Looks after it: kilobytes at the most so far, and whether it lives."""
        if not self.tracker.is_alive():
            self.deaths.append(self.tracker.stop())
            time.sleep(self.PAUSE)
            self.tracker.start(self.before, self.env)
            return
        # Before exec it is the shell that puts it into its cell.
        peak, = _kilobytes(self.tracker.pid, "VmHWM")
        self.most = max(self.most, peak)
        self.first = self.first or (peak or None)

    def watch(self, seconds, until=None):
        """So long, or until this comes true; the last it said."""
        def seen():
            self.step()
            return until() if until else False
        return poll(seen, seconds, every=0.05)


# What the preloaded instruments say themselves.
OURS = re.compile(r"^slow_disk: ")


class Journal:
    """The lines of the log from now on."""

    def __init__(self, tracker):
        self.tracker, self._begin = tracker, len(tracker.log())

    def lines(self):
        return [line for line in self.tracker.log()[self._begin:].splitlines() if line and not OURS.match(line)]
