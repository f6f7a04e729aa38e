"""What a disk was asked to do during one life of the store, and what a power cut may leave of it.

Everything before the last flush that came before the cut is on the device. Of what was written after it, each sector
may be there or not: a card holds writes back, drops them, does them in another order and tears them."""
import bisect
import random

import disk

SECTOR = 512
# Bytes from the beginning of the disk.
_SUPERBLOCK = 1024


class Recording:
    def __init__(self, base, record):
        """`base`: the bytes that the disk began with. `record`: what disk.py has written."""
        self.base, self.writes, self.marks = base, [], []
        # How many writes had come when each flush came, and that flush's place.
        self.flushes, self._flushed = [0], [0]
        place = offset = 0
        while offset < len(record):
            kind, where, length = disk.ENTRY.unpack_from(record, offset)
            offset += disk.ENTRY.size
            data = record[offset:offset + length]
            offset += length
            place += 1
            if kind == disk.WRITE:
                self.writes.append((place, where, data))
            elif kind == disk.MARK:
                self.marks.append((place, data.decode()))
            else:
                self.flushes.append(place)
                self._flushed.append(len(self.writes))
        self.length = place
        self._places = [place for place, _, _ in self.writes]

    def open_places(self):
        """Where something was written since the last flush: there a cut has a choice."""
        flushes = set(self.flushes)
        is_open, found, writes = False, [], set(self._places)
        for place in range(1, self.length + 1):
            is_open = place in writes or (is_open and place not in flushes)
            if is_open:
                found.append(place)
        return found

    def pending(self, place, lies=0):
        """The numbers of the first and behind the last write that a cut at `place` may take; with `lies` so many
        flushes before it did nothing."""
        flush = max(0, bisect.bisect_right(self.flushes, place) - 1 - lies)
        return self._flushed[flush], bisect.bisect_right(self._places, place)

    def marks_until(self, place):
        return [text for at, text in self.marks if at <= place]


class Cut:
    """A place in a recording, and the sectors that came to the card of those that may have."""

    def __init__(self, place, first, kept, of):
        # `kept`: offset on the disk and bytes, in the order in which they were written. `of`: how many there were.
        self.place, self.first, self.kept, self.of = place, first, kept, of

    def name(self):
        """Two cuts that leave the same have the same."""
        return self.first, hash(tuple(offset for offset, _ in self.kept))


def cut(recording, place, lot, lies=0):
    """The same for the same arguments."""
    chance = random.Random("%d %d %d" % (place, lot, lies))
    first, end = recording.pending(place, lies)
    pieces = []  # number of the write, offset, bytes
    for number in range(first, end):
        _, offset, data = recording.writes[number]
        pieces += [(number, offset + at, data[at:to]) for at, to in _units(offset, len(data))]
    keeps = chance.choice(_WAYS)(chance, pieces, first, end)
    kept = [(offset, data) for number, offset, data in pieces if keeps(number, offset)]
    return Cut(place, first, kept, len(pieces))


def _units(offset, length):
    """What of a write is there whole or not at all. ext4 trusts the device with the two sectors of its superblock: one
    that is torn no kernel mounts, and a file system as small as ours has no second one."""
    starts = [at for at in range(0, length, SECTOR) if offset + at != _SUPERBLOCK + SECTOR]
    return list(zip(starts, starts[1:] + [length]))


def _none(chance, pieces, first, end):
    return lambda number, offset: False


def _all(chance, pieces, first, end):
    return lambda number, offset: True


def _sectors(chance, pieces, first, end):
    share = chance.choice((0.1, 0.5, 0.5, 0.9))
    return lambda number, offset: chance.random() < share


def _writes(chance, pieces, first, end):
    share = chance.choice((0.3, 0.7))
    there = {number for number in range(first, end) if chance.random() < share}
    return lambda number, offset: number in there


def _in_order(chance, pieces, first, end):
    """All before one sector."""
    left = chance.randint(0, len(pieces))

    def keeps(number, offset):
        nonlocal left
        left -= 1
        return left >= 0
    return keeps


def _but_one(chance, pieces, first, end):
    missing = chance.choice(pieces)[:2] if pieces else None
    return lambda number, offset: (number, offset) != missing


def _torn(chance, pieces, first, end):
    """Every write whole but one, of which the end or the beginning is missing."""
    torn = chance.randrange(first, end) if end > first else None
    size = sum(number == torn for number, _, _ in pieces)
    at, has_beginning = chance.randint(0, size), chance.random() < 0.5
    seen = 0

    def keeps(number, offset):
        nonlocal seen
        seen += number == torn
        return number != torn or (seen <= at) == has_beginning
    return keeps


_WAYS = (_none, _all, _sectors, _sectors, _sectors, _writes, _writes, _in_order, _in_order, _but_one, _torn, _torn)


class Replay:
    """The images of cuts in the order of their places."""

    def __init__(self, recording):
        self.recording = recording
        self._image, self._done = bytearray(recording.base), 0

    def put(self, cut, image):
        """Makes `image` what is on the device after this cut; none of those before this one may follow."""
        if cut.first < self._done:  # only where flushes did nothing
            self._image, self._done = bytearray(self.recording.base), 0
        for _, offset, data in self.recording.writes[self._done:cut.first]:
            self._image[offset:offset + len(data)] = data
        self._done = cut.first
        image[:] = self._image
        for offset, data in cut.kept:
            image[offset:offset + len(data)] = data
