#!/usr/bin/env python3
# takes: 90 s
# behaviour: Data volume
"""What the connection costs, as the tracker counts it and as it goes over the wire."""
import sys

sys.path.insert(1, sys.path[0] + "/../world")
from waiting import in_the_end
from wire import Wire
from world import as_root, claim, expect, main


def month(world):
    return ((world.tracker.status() or {}).get("data") or {}).get("month", 0)


def expect_same(world, wire, when):
    carried = lambda: wire.of(world.proxy.port)
    is_same = lambda: abs(month(world) - carried()) <= 0.03 * carried()
    expect(in_the_end(is_same), "%s: %d bytes counted, %d carried" % (when, month(world), carried()))


@claim("what is counted is what goes over the wire: at first, after a reconnection, after a restart",
       has_proxy=True, monitoring=2, locatorDisplacement=0)
def whole(world):
    as_root()
    wire = Wire()
    world.start()
    world.wait_for_locations(world.feed(world.drive(40)))
    expect(wire.of(world.proxy.port) > 10000, "only %d bytes were seen" % wire.of(world.proxy.port))
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
