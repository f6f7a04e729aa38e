#!/usr/bin/env python3
# takes: 60 s
# behaviour: The window and the limits
"""A connection without traffic is pinged as the keepalive says: rarely enough for a battery, often enough to stand."""
import re
import sys

sys.path.insert(1, sys.path[0] + "/../world")
from waiting import in_the_end
from world import claim, expect, main

# So that it tells of pings.
TALKATIVE = "log_type all\nlog_dest stderr\n"


def heard(world, packet):
    """When the broker heard the tracker's packets of this kind, unix times in seconds."""
    return [int(found) for found in re.findall(r"^(\d+): Received %s from ute-board\b" % packet, world.broker.log(), re.M)]


def pings(world):
    return heard(world, "PINGREQ")


def are_heard(world, count):
    return in_the_end(lambda: len(pings(world)) >= count)


def is_standing(world):
    """The one connection of the start; the broker ends one that is late by half a keepalive."""
    return world.broker.log().count(" as ute-board ") == 1 and world.tracker.status()["connection"]["state"] == "connected"


@claim("no more than once in a keepalive, and no less: the connection stands", keepalive=7, broker=TALKATIVE)
def idle(world):
    world.tracker.start()
    expect(are_heard(world, 4), "pinged at %s" % pings(world))
    found = pings(world)
    gaps = [after - before for before, after in zip(found, found[1:])]
    # Whole seconds of the broker's log, on which it writes a line when it comes to it.
    expect(min(gaps) >= 6, "pinged at %s" % found)
    expect(is_standing(world), world.broker.log()[-2000:])


# With nobody else there: newer brokers of such a setting refuse clients of 3.1.1 that ping less often.
@claim("a broker that wants to hear more often than we have it does", has_broker=False, mqttProtocolLevel=5,
       keepalive=3600, broker=TALKATIVE + "max_keepalive 10")
def wanted(world):
    world.broker.start()
    world.tracker.start()
    expect(are_heard(world, 3), "pinged at %s" % pings(world))
    expect(is_standing(world), world.broker.log()[-2000:])


@claim("what is sent and answered puts the ping off", keepalive=10, broker=TALKATIVE)
def busy(world):
    world.start()
    before = len(pings(world))
    world.feed(world.drive(25), hz=1)
    expect(are_heard(world, before + 1), "it does not ping after that")
    published = heard(world, "PUBLISH")
    expect(len(published) >= 25, "published at %s" % published)
    for ping in [ping for ping in pings(world) if ping >= published[0]]:
        # The log has whole seconds.
        last = max(moment for moment in published if moment <= ping)
        expect(ping - last >= 9, "pinged at %d, %d s after a message was sent" % (ping, ping - last))
    expect(is_standing(world), world.broker.log()[-2000:])


if __name__ == "__main__":
    main()
