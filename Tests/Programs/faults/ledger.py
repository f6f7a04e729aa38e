"""What was sensed, what happened to the tracker, and what of it reached the broker."""
import bisect
import json
import os
import subprocess

from tracker import ROOT, TOPIC

# Seconds after which a position that the tracker has is owed. The group commit comes after one; and it counts from when
# the tracker has told of the position, so that a machine that is slow to run it is slow to owe, too.
WINDOW = 1.3


def _version():
    """The commit under test, and whether anything was changed on top of it."""
    told = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty"], capture_output=True, text=True)
    return told.stdout.strip() or "unknown"


VERSION = _version()  # at the start: a night is long enough for the next commit


def write(path, results):
    """Adds results to a file that holds a list of them."""
    known = []
    if os.path.exists(path):
        with open(path) as file:
            known = json.load(file)
    with open(path, "w") as file:
        json.dump(known + results, file, indent=1)


class Arrivals:
    """Every message once, in the order of its first arrival, and what is wrong with the rest."""

    def __init__(self, world):
        self.times, self.crossings, self.problems, self.repeated = [], [], [], 0
        content = {}
        for message in list(world.watcher.messages):
            value = message.json()
            if value is None:
                self.problems.append("broken on %s: %r" % (message.topic, message.payload[:60]))
                continue
            if message.is_retained or value.get("_type") not in ("location", "transition"):
                continue
            known = content.setdefault((message.topic, value["tst"], value.get("event")), message.payload)
            if known is not message.payload:
                self.repeated += known == message.payload
                if known != message.payload:
                    self.problems.append("two messages for %d on %s" % (value["tst"], message.topic))
            elif message.topic == TOPIC:
                self.times.append(value["tst"])
            else:
                self.crossings.append((value["tst"], value["event"]))
        self._look_at_order()

    def _look_at_order(self):
        for name, times in (("positions", self.times), ("crossings", [tst for tst, _ in self.crossings])):
            late = sum(after < before for before, after in zip(times, times[1:]))
            if late:
                self.problems.append("%d %s came after newer ones" % (late, name))
        words = [word for _, word in self.crossings]
        same = sum(before == after for before, after in zip(words, words[1:]))
        if same:
            self.problems.append("%d crossings repeat the one before" % same)


class Ledger:
    """The lives of the tracker: in which moments it owed what it sensed."""

    def __init__(self):
        self.lives = []  # (sensing since, ended), monotonic seconds
        self.seen = []  # (time of the newest fix, the moment in which the tracker first told of it)
        self.silences = []  # moments in which gpsd itself, or the way to it, was away

    def lived(self, since, until):
        """It sensed from `since` (None: it never came so far) until it was killed."""
        self.lives.append((until if since is None else since, until))

    def told(self, tst, moment):
        """The tracker has just said that this is its newest fix."""
        if tst and (not self.seen or tst > self.seen[-1][0]):
            self.seen.append((tst, moment))

    def known(self, tst):
        """When the tracker is first known to have had this fix, or a newer one; None: never."""
        index = bisect.bisect_left(self.seen, (tst, 0.0))
        return self.seen[index][1] if index < len(self.seen) else None

    def is_silent(self, moment):
        return any(start <= moment <= end for start, end in self.silences)

    def owed(self, sent, window=WINDOW):
        """The times that have to arrive, and those that a kill may cost: within the window before it."""
        starts = [since for since, _ in self.lives]
        owed, risked = [], {}
        for tst, moment in sorted(sent.items()):
            index = bisect.bisect(starts, moment) - 1
            if index < 0 or moment > self.lives[index][1] or self.is_silent(moment):
                continue
            end, known = self.lives[index][1], self.known(tst)
            if known is not None and end - known > window:
                owed.append(tst)
            else:
                risked[tst] = end - moment
        return owed, risked

    def result(self, kind, world, sent, wanted, **numbers):
        """The sums of a run, with its problems; `wanted`: the crossings in order."""
        arrivals = Arrivals(world)
        owed, risked = self.owed(sent)
        arrived = set(arrivals.times)
        lost = [tst for tst in owed if tst not in arrived]
        cost = [left for tst, left in risked.items() if tst not in arrived]
        words = [word for _, word in arrivals.crossings]
        problems = list(arrivals.problems)
        if lost:
            problems.append("%d positions lost that were due: %s" % (len(lost), lost[:8]))
        if words != wanted:
            problems.append("%d crossings arrived, %d were made" % (len(words), len(wanted)))
        return dict(numbers, kind=kind, version=VERSION, sensed=len(sent), owed=len(owed), lost=len(lost),
                    lostInWindow=len(cost), oldestLost=round(max(cost, default=0.0), 2),
                    arrived=len(arrived), repeated=arrivals.repeated, crossings=len(words),
                    crossingsLost=max(0, len(wanted) - len(words)), problems=problems)
