"""A road to the broker that ends at a chosen byte of the handshake, or where a chosen filter is asked for."""
import packets
from proxy import Proxy

TO_BROKER, TO_BOARD = "to the broker", "to the board"


class Relay(Proxy):
    """`cuts`: for connections to come, in turn: (direction, bytes that still pass, whether it ends at once),
    or None for a whole one. It ends when these bytes have passed, or else when one more would; both ends are
    closed, and what comes after the cut is never seen.

    `forbidden`: a filter; a connection that asks for it is closed at once, as RabbitMQ does where rights
    lack, and the SUBSCRIBE does not reach the broker.

    `seen[n]`: the packets of connection n in order, as (direction, kind, where it ends in its direction)."""

    def __init__(self, port, target, cuts=(), forbidden=None):
        self.cuts, self.forbidden, self.seen = list(cuts), forbidden, []
        super().__init__(port, target)

    def _accept(self):
        before = len(self._flows)
        super()._accept()
        if len(self._flows) == before:
            return
        number, cut = len(self.seen), self.cuts.pop(0) if self.cuts else None
        self.seen.append([])
        for flow, way in zip(self._flows[before:], (TO_BROKER, TO_BOARD)):
            flow.way, flow.number, flow.level = way, number, 4
            flow.data, flow.parsed, flow.passed = bytearray(), 0, 0
            flow.left = cut[1] if cut and cut[0] == way else None
            flow.is_at_once, flow.is_refused = bool(cut and cut[2]), False

    def _read(self, flow):
        known = len(flow.waiting)
        super()._read(flow)
        if len(flow.waiting) == known or not flow.waiting[known][1]:
            return
        moment, data = flow.waiting.pop()
        self._look(flow, data)
        passing = len(data) if flow.left is None else min(flow.left, len(data))
        is_over = flow.left is not None and (len(data) > flow.left or (len(data) == flow.left and flow.is_at_once))
        if flow.is_refused:
            passing, is_over = 0, True
        if passing:
            flow.waiting.append((moment, data[:passing]))
        if is_over:
            # What was before the cut passes, and then nothing more, either way.
            flow.waiting.append((moment, b""))
            flow.is_ended = True
        elif flow.left is not None:
            flow.left -= passing

    def _look(self, flow, data):
        """Takes note of whole packets."""
        if flow.parsed is None:
            return
        flow.data += data
        while found := packets.end(flow.data, flow.parsed):
            stop, body = found
            kind = flow.data[flow.parsed] >> 4
            if kind == packets.CONNECT:
                self._level(flow, flow.data[body + 6])
            self.seen[flow.number].append((flow.way, kind, stop))
            if kind == packets.SUBSCRIBE and self.forbidden in packets.filters(bytes(flow.data[body:stop]), flow.level):
                flow.is_refused = True
            flow.parsed = stop
        if flow.parsed > 100_000:
            flow.data, flow.parsed = None, None

    def _level(self, flow, level):
        for other in self._flows:
            if other.number == flow.number:
                other.level = level

    # What the judge asks

    def subscriptions(self, number):
        """How many SUBACKs connection `number` has brought, None before it is made."""
        if number >= len(self.seen):
            return None
        return sum(kind == packets.SUBACK for way, kind, _ in list(self.seen[number]) if way == TO_BOARD)

    def is_greeted(self, number):
        return number < len(self.seen) and any(
            kind == packets.CONNACK for way, kind, _ in list(self.seen[number]) if way == TO_BOARD)


def cut_points(seen, chance=None, more=0):
    """Where a handshake can be cut, from the packets of a whole one: [(cut, words)].

    In the middle of its packets and between them, and in each packet at `more` bytes by lot. What the board
    sends is cut when it has been sent, so that a SUBSCRIBE has left the board and has not arrived; the broker's
    words both ways."""
    points, before = [], {TO_BROKER: 0, TO_BOARD: 0}
    names = {packets.CONNECT: "CONNECT", packets.CONNACK: "CONNACK", packets.SUBSCRIBE: "SUBSCRIBE",
             packets.SUBACK: "SUBACK"}
    for way, kind, stop in seen:
        start = before[way]
        before[way] = stop
        if kind not in names:
            continue
        size, name = stop - start, names[kind]
        drawn = chance.sample(range(size), min(more, size)) if more else []
        for at in sorted({0, 1, 2, 3, size // 2, size - 1, *drawn}):
            points.append(((way, start + at, False), "%d of %d bytes of %s" % (at, size, name)))
        if way == TO_BOARD:
            points.append(((way, stop, True), "right after " + name))
    return points
