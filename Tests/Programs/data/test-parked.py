#!/usr/bin/env python3
# takes: 150 s
# behaviour: Keepalive of a parked vehicle
"""A parked board is hardly heard, a moving one as often as before; and a connection that has died meanwhile is found."""
import re
import sys

sys.path.insert(1, sys.path[0] + "/../world")
from waiting import in_the_end
from world import claim, expect, main

# So that it tells of each packet.
TALKATIVE = "log_type all\nlog_dest stderr\n"
PARKED = 300  # seconds without movement, of the tracker's own time


def heard(world, packet):
    """When the broker heard the tracker's packets of this kind, unix times in seconds."""
    return [int(found) for found in re.findall(r"^(\d+): Received %s from ute-board\b" % packet, world.broker.log(), re.M)]


def are_heard(world, packet, count):
    return in_the_end(lambda: len(heard(world, packet)) >= count)


def connections(world):
    return world.broker.log().count(" as ute-board ")


@claim("a board asks as often as before until it is parked, then pings rarely, and asks again once it has moved",
       pace=60, keepalive=10, keepAliveParked=20, broker=TALKATIVE)
def rhythm(world):
    # The library pings by a clock that does not run faster.
    world.tracker.start()
    expect(are_heard(world, "UNSUBSCRIBE", 3), "a board that has just started does not ask")
    world.lasts(PARKED)
    before = len(heard(world, "UNSUBSCRIBE"))
    expect(are_heard(world, "PINGREQ", 2), "a parked board does not ping")
    found = heard(world, "PINGREQ")
    gaps = [after - before for before, after in zip(found, found[1:])]
    expect(min(gaps) >= 20 - 2, "pinged at %s" % found)
    expect(len(heard(world, "UNSUBSCRIBE")) <= before + 1, "a parked board asks")
    expect(connections(world) == 1, "parking costs a connection")
    world.wait_for_locations(world.feed(world.drive(60)))
    now = len(heard(world, "UNSUBSCRIBE"))
    expect(are_heard(world, "UNSUBSCRIBE", now + 2), "a board that has moved does not ask")
    expect(connections(world) == 1, "setting out costs a connection")


@claim("what meets a connection that the network has forgotten is delivered over another one",
       has_proxy=True, pace=20, keepalive=60, keepAliveParked=900)
def forgotten(world):
    world.start()
    world.lasts(PARKED + 120)
    world.proxy.forget()
    sent = world.feed(world.drive(30))
    # A clock that runs so fast finds most of them late, and publishes a few.
    world.wait_for_locations(sent, may_lack=len(sent) - 1)
    expect(in_the_end(lambda: world.tracker.status()["queue"]["count"] == 0), "not all is delivered")
    error = world.tracker.status()["connection"].get("lastError") or {}
    expect("acknowledge" in error.get("text", ""), "found otherwise: %s" % error)
    expect(world.proxy.connections == 2, "%d connections" % world.proxy.connections)


if __name__ == "__main__":
    main()
