#!/usr/bin/env python3
# takes: 90 s
# behaviour: Data volume
"""What the connection costs, as the tracker counts it and as it goes over the wire."""
import socket
import struct
import sys
import threading

sys.path.insert(1, sys.path[0] + "/../world")
from waiting import in_the_end
from world import as_root, claim, expect, main


class Wire:
    """The bytes of IP packets that one port of the loopback has sent and received, seen from outside."""

    def __init__(self, port):
        self.port, self.bytes = port, 0
        self._socket = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.ntohs(0x0800))
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
        self._socket.bind(("lo", 0x0800))
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self):
        while True:
            packet, about = self._socket.recvfrom(65536)
            # On the loopback each packet comes in once; 6 is TCP.
            if about[2] == socket.PACKET_OUTGOING or packet[9] != 6:
                continue
            start = 4 * (packet[0] & 15)
            if self.port in struct.unpack(">HH", packet[start:start + 4]):
                self.bytes += struct.unpack(">H", packet[2:4])[0]


def month(world):
    return ((world.tracker.status() or {}).get("data") or {}).get("month", 0)


def expect_same(world, wire, when):
    is_same = lambda: abs(month(world) - wire.bytes) <= 0.03 * wire.bytes
    expect(in_the_end(is_same), "%s: %d bytes counted, %d carried" % (when, month(world), wire.bytes))


@claim("what is counted is what goes over the wire: at first, after a reconnection, after a restart",
       has_proxy=True, monitoring=2, locatorDisplacement=0)
def whole(world):
    as_root()
    wire = Wire(world.proxy.port)
    world.start()
    world.wait_for_locations(world.feed(world.drive(40)))
    expect(wire.bytes > 10000, "only %d bytes were seen" % wire.bytes)
    expect_same(world, wire, "at first")
    world.cut_off()
    world.proxy.restore()
    world.wait_for_locations(world.feed(world.drive(40)))
    expect_same(world, wire, "after a reconnection")
    before = month(world)
    world.tracker.stop()
    world.start()
    expect(month(world) >= before, "%d bytes after a restart, %d before" % (month(world), before))
    world.wait_for_locations(world.feed(world.drive(40)))
    expect_same(world, wire, "after a restart")


if __name__ == "__main__":
    main()
