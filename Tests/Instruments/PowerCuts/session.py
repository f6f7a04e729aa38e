"""Lives one after the other, and the cuts of each."""
import random
import time

import kept
import model
from recording import Replay, cut

_BATCHES = (20, 200)
_CUTS_OF_A_LIFE = 80
# Lives in a row, each on what a cut of the one before has left.
_IN_A_ROW = 12
# Flushes in a row that a disk ignores, at most.
_LIES = 30
# Cuts that are kept, each of some megabytes.
_KEPT = 20


class Session:
    def __init__(self, bench, seed, lies, keep):
        self.bench, self.seed, self.lies, self.keep = bench, seed, lies, keep
        self.chance = random.Random(seed)
        self.problems = []
        self.sums = dict.fromkeys(("times", "failed", "lives", "kills", "batches", "writes", "sectorsOpen",
                                   "sectorsDropped", "begun", "repaired", "unmountable"), 0)
        # What the next life begins on: bytes, what is in the store, records found damaged.
        self.base = None
        self.left = 0

    def run(self, cuts, seconds=None):
        end = time.monotonic() + (seconds or 1e9)
        while self.sums["times"] < cuts and time.monotonic() < end:
            if self.left == 0:
                self.bench.image[:] = self.bench.new
                answer, _ = self.bench.start()
                self.base = self.bench.new, model.State.found(answer, 0), answer["damaged"]
                self.left = _IN_A_ROW
            self.left -= 1
            self._life(min(_CUTS_OF_A_LIFE, cuts - self.sums["times"]), end)

    def _record(self, number):
        batches = self.chance.randint(*_BATCHES)
        kills = [self.chance.uniform(0, 0.3) for _ in range(self.chance.choice((0, 0, 1, 2)))]
        seeds = [self.chance.randrange(1, 1 << 40) for _ in [*kills, 0]]
        self.sums["lives"] += 1
        self.sums["kills"] += len(kills)
        try:
            recording = self.bench.life(self.base[0], seeds, batches, kills, self.chance.random() < 0.3)
        except RuntimeError as error:
            self._tell("seed %d, life %d: %s" % (self.seed, number, error))
            return None
        self.sums["batches"] += sum(mark.startswith("begin ") for _, mark in recording.marks)
        self.sums["writes"] += len(recording.writes)
        return recording

    def _life(self, count, end):
        number = self.sums["lives"]
        _, state, damaged = self.base
        recording = self._record(number)
        if recording is None:
            self.sums["times"] += 1
            self.left = 0
            return
        cuts = self._draw(recording, count)
        heir = self.chance.randrange(len(cuts))
        replay = Replay(recording)
        promises, heard = model.Promises(state.copy()), 0
        following = None
        for index, one in enumerate(cuts):
            if time.monotonic() > end and following:
                break
            marks = recording.marks_until(one.place)
            for mark in marks[heard:]:
                promises.hear(mark)
            heard = len(marks)
            replay.put(one, self.bench.image)
            words, found, answer = self._try(promises, state, marks, damaged)
            words, promises.problems = promises.problems + words, []
            self._count(one, promises)
            if words:
                self._complain(number, one, words, recording, replay)
            # Not of one with a fault: one fault would be told again and again.
            elif found and (following is None or index == heir):
                replay.put(one, self.bench.image)
                following = bytes(self.bench.image), found.copy(), answer["damaged"]
        if following and not self.lies:
            self.base = following
        else:
            self.left = 0

    def _try(self, promises, before, marks, damaged):
        answer, is_repaired = self.bench.start()
        self.sums["repaired"] += is_repaired
        if answer is None:
            self.sums["unmountable"] += 1
            # Where flushes were ignored nobody can say what is left of a file system.
            return ([] if self.lies else ["nothing can be mounted"]), None, None
        if self.lies:
            return model.made_up(before, marks, answer), None, answer
        words, found = model.complaints(promises, answer, damaged)
        return words + answer.get("strange", []), found, answer

    def _draw(self, recording, count):
        """Different ones, in the order of their places."""
        places, names, cuts = recording.open_places(), set(), []
        for attempt in range(count * 3):
            if len(cuts) == count:
                break
            if places and self.chance.random() < 0.9:
                place = self.chance.choice(places)
            else:
                place = self.chance.randint(0, recording.length)
            lies = self.chance.randint(1, _LIES) if self.lies else 0
            one = cut(recording, place, attempt, lies)
            if one.name() not in names:
                names.add(one.name())
                cuts.append(one)
        return sorted(cuts, key=lambda one: one.place)

    def _count(self, one, promises):
        self.sums["times"] += 1
        self.sums["sectorsOpen"] += one.of
        self.sums["sectorsDropped"] += one.of - len(one.kept)
        self.sums["begun"] += bool(promises.open)

    def _complain(self, life, one, words, recording, replay):
        line = "seed %d, life %d, cut at %d of %d, %d of %d sectors: %s" % (
            self.seed, life, one.place, recording.length, len(one.kept), one.of, "; ".join(words))
        again = "about again: Tests/Instruments/PowerCuts/run --seed %d --keep FOLDER" % self.seed
        if self.keep and self.sums["failed"] < _KEPT:
            replay.put(one, self.bench.image)
            again = "again: Tests/Instruments/PowerCuts/run --again " + kept.keep(
                self.keep, "%d-%d-%d" % (self.seed, life, self.sums["times"]), self.bench.image, recording, one,
                self.base, self.lies, words)
        self._tell(line, again)

    def _tell(self, line, *more):
        self.sums["failed"] += 1
        self.problems.append(line)
        print("\n    ".join(["not ok  " + line, *more]), flush=True)
