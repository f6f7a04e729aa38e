"""What the store has promised, and what a start after a power cut may find.

Every batch that was said to be stored and holds what the store promises to keep is there, and with it all before it.
Of the others that were begun each is there whole or not at all. Nothing else is."""
import itertools
import json

# Said by the store: a removal that is lost costs one message that is sent again, a position comes with the next fix.
_NOT_PROMISED = {"remove", "prune"}
_STATES_NOT_PROMISED = {"position", "reference"}


class State:
    """What is in a store: the values as sums, see Words.swift."""

    def __init__(self):
        self.messages, self.regions, self.states, self.points = {}, {}, {}, {}
        self.last = self.last_point = 0

    @staticmethod
    def found(answer, last_point):
        """As a start has told it. The number of the newest point ever is not told."""
        state = State()
        state.messages = {number: (value, size) for number, value, size in answer["messages"]}
        state.regions = dict(answer["regions"])
        state.states = answer["states"]
        state.points = {number: (value, time) for number, value, time in answer["points"]}
        state.last = answer["last"]
        state.last_point = max([last_point, *state.points])
        return state

    def copy(self):
        twin = State()
        twin.messages, twin.regions = dict(self.messages), dict(self.regions)
        twin.states, twin.points = dict(self.states), dict(self.points)
        twin.last, twin.last_point = self.last, self.last_point
        return twin

    def carry_out(self, batch):
        for order in batch.orders:
            getattr(self, order[0])(*order[1:])

    def insert(self, sequence, value, size):
        self.messages.setdefault(sequence, (value, size))
        self.last = max(self.last, sequence)

    def remove(self, sequences):
        for sequence in sequences:
            self.messages.pop(sequence, None)

    def removeRange(self, after, through):
        for sequence in [one for one in self.messages if after < one <= through]:
            del self.messages[sequence]

    def region(self, rid, value):
        self.regions[rid] = value  # where it was, if it was

    def regionRemoved(self, rid):
        self.regions.pop(rid, None)

    def state(self, name, value):
        self.states[name] = value

    def history(self, value, time, number):
        self.points[number] = (value, time)
        self.last_point = max(self.last_point, number)

    def prune(self, keep, since):
        numbers = sorted(self.points)
        if keep is not None:
            for number in numbers[:max(0, len(numbers) - keep)]:
                del self.points[number]
        for number in sorted(self.points):
            if since is None or self.points[number][1] >= since:
                break
            del self.points[number]

    def removePoints(self, first, last):
        for number in [one for one in self.points if first <= one <= last]:
            del self.points[number]

    def differences(self, other):
        """What `other` has otherwise, in words."""
        words = []
        for name in ("messages", "regions", "states", "points"):
            mine, its = getattr(self, name), getattr(other, name)
            for key in sorted(set(mine) | set(its), key=str):
                if key not in its:
                    words.append("%s: %s is missing" % (name, key))
                elif key not in mine:
                    words.append("%s: %s is too many" % (name, key))
                elif mine[key] != its[key]:
                    words.append("%s: %s is another" % (name, key))
        if list(self.regions) != list(other.regions) and not words:
            words.append("regions: in another order")
        if self.last != other.last:
            words.append("the last message was %d and is %d" % (self.last, other.last))
        return words


class Batch:
    def __init__(self, number, orders):
        self.number, self.orders = number, orders
        self.is_stored = False
        self.is_promised = any(_is_promised(order) for order in orders)


def _is_promised(order):
    return order[0] not in _NOT_PROMISED and (order[0] != "state" or order[1] not in _STATES_NOT_PROMISED)


class Promises:
    """Reads the marks of a life in their order."""

    def __init__(self, base):
        self.safe = base  # with everything that is promised
        self.open = []  # begun since, and not promised
        self.problems = []  # what a start has found after a process was killed
        self._point = base.last_point

    def hear(self, mark):
        word, _, rest = mark.strip().partition(" ")
        if word == "begin":
            number, _, orders = rest.partition(" ")
            self.open.append(Batch(int(number), [self._numbered(order) for order in json.loads(orders)]))
        elif word == "stored":
            self._stored(int(rest))
        elif word == "closed":
            self._promise(1 << 62)
        elif word == "found":
            self._start(json.loads(rest))

    def _numbered(self, order):
        # Given by the process that writes it: all batches before it count, whether a cut takes them or not.
        if order[0] != "history":
            return order
        self._point += 1
        return [*order, self._point]

    def _stored(self, number):
        for batch in self.open:
            batch.is_stored = batch.is_stored or batch.number == number
        if any(batch.number == number and batch.is_promised for batch in self.open):
            self._promise(number)

    def _start(self, answer):
        # The end of a process takes nothing that was stored. What was found is durable from here on, whether it was
        # before or not.
        words, state = complaints(self, answer, 0, is_kill=True)
        self.problems += ["after a kill: " + one for one in words if not one.startswith("tells")]
        self.safe, self.open = (state or self.safe).copy(), []
        self._point = self.safe.last_point

    def _promise(self, through):
        while self.open and self.open[0].number <= through:
            self.safe.carry_out(self.open.pop(0))

    def possible(self, is_kill):
        """Every state that a start may find, the likely ones first."""
        count = len(self.open)
        likely = [tuple(index < length for index in range(count)) for length in range(count, -1, -1)]
        others = (way for way in itertools.product((True, False), repeat=count) if way not in likely)
        for way in itertools.chain(likely, others):
            if is_kill and not all(is_there or not batch.is_stored for batch, is_there in zip(self.open, way)):
                continue
            state = self.safe.copy()
            for batch, is_there in zip(self.open, way):
                if is_there:
                    state.carry_out(batch)
            yield state


def complaints(promises, answer, damaged_before, is_kill=False):
    """What a start has found and must not, and the state that it did find (None: none that is possible)."""
    if "error" in answer:
        return ["does not open: " + answer["error"]], None
    words, found = inner(answer), State.found(answer, 0)
    best = None
    for state in promises.possible(is_kill):
        differences = state.differences(found)
        if not differences:
            break
        if best is None or len(differences) < len(best):
            best = differences
    else:
        state = None
        words.append("; ".join(best[:6]))
    if answer["notices"] or answer["damaged"] != damaged_before:
        words.append("tells of damage where there is none: %s" % (answer["notices"] or answer["damaged"]))
    return words, state


def inner(answer):
    """What does not agree in itself."""
    words = []
    messages, points = answer["messages"], answer["points"]
    if not answer["isKept"]:
        words.append("the start after the next finds something else")
    if not answer["isIndexed"]:
        words.append("the index of the queue is not the queue's")
    if answer["queued"] != len(messages) or answer["bytes"] != sum(size for _, _, size in messages):
        words.append("counts %d messages of %d bytes" % (answer["queued"], answer["bytes"]))
    if answer["counted"] != len(points):
        words.append("counts %d points, and has %d" % (answer["counted"], len(points)))
    if answer["first"] != (messages[0][0] if messages else 0):
        words.append("the first message is said to be %d" % answer["first"])
    return words


def made_up(base, marks, answer):
    """For a disk that lied: values that nobody has ever stored there."""
    if "error" in answer:
        return ["does not open: " + answer["error"]]
    known = {"messages": {value for value, _ in base.messages.values()}, "regions": set(base.regions.values()),
             "points": {value for value, _ in base.points.values()}}
    states = {(name, value) for name, value in base.states.items()}
    for mark in marks:
        if mark.startswith("begin "):
            for order in json.loads(mark.split(" ", 2)[2]):
                if order[0] == "insert":
                    known["messages"].add(order[2])
                elif order[0] == "region":
                    known["regions"].add(order[2])
                elif order[0] == "history":
                    known["points"].add(order[1])
                elif order[0] == "state":
                    states.add((order[1], order[2]))
    words = ["%s: %s was never stored" % (name, one[0])
             for name in known for one in answer[name] if one[1] not in known[name]]
    return words + ["%s was never so" % name for name, value in answer["states"].items()
                    if (name, value) not in states]
