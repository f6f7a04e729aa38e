#!/usr/bin/env python3
# takes: 40 s
"""A broker that takes less than it is asked for, QoS 2, or wants more, a name that it knows, gets what it wants; where
that cannot be, the remedy is said."""
import sys

sys.path.insert(1, sys.path[0] + "/../world")
from waiting import in_the_end
from world import claim, expect, main

ONE = "max_qos 1"


def driven(world):
    """Each place of a drive, once, in its order."""
    feeder = world.feeding(world.drive(20))
    feeder.join()
    world.wait_for_locations(feeder.sent)
    world.expect_once_in_order(twice=2)
    expect(in_the_end(lambda: world.tracker.status()["connection"]["colour"] == "green"), "it is not green")


@claim("5: the broker says it while it greets", broker=ONE, pubQos=2)
def said(world):
    world.start()
    driven(world)
    expect(world.broker.log().count(" as ute-board ") == 1, "it has connected again: %s" % world.broker.log())
    says_so = lambda: "lower QoS" in " ".join(world.tracker.ask("status").text.split())
    expect(says_so(), "status does not say so")
    world.tracker.configure(pubQos=1)
    world.tracker.hang_up()
    expect(in_the_end(lambda: not says_so()), "it says so where nobody asks for more")


@claim("3.1.1: the connections that end over one teach it", broker=ONE, pubQos=2, mqttProtocolLevel=4, pace=4)
def found(world):
    world.start()
    driven(world)
    expect(world.broker.log().count(" as ute-board ") < 6, "it goes on connecting: %s" % world.broker.log())
    expect("lower QoS" in " ".join(world.tracker.ask("status").text.split()), "status does not say so")


@claim("a broker that takes QoS 2 gets it", broker="log_type all", pubQos=2, mqttProtocolLevel=4)
def taken(world):
    world.start()
    driven(world)
    expect(" (d0, q2, " in world.broker.log(), "no message of QoS 2")
    expect("lower QoS" not in " ".join(world.tracker.ask("status").text.split()), "status says that it takes none")


# The one who watches has such a name too.
@claim("a board is let in under its registered name only", broker="clientid_prefixes wa", clientId="wa/van-1")
def registered(world):
    world.start()
    driven(world)
    expect(" as wa/van-1 " in world.broker.log(), "another name: %s" % world.broker.log())


@claim("and under another one its people read of the name", broker="clientid_prefixes wa", clientId="ute")
def unregistered(world):
    world.tracker.start()
    helps = lambda: "homeward config set clientId NAME" in " ".join(world.tracker.ask("doctor").text.split())
    expect(in_the_end(helps), world.tracker.ask("doctor").text)


@claim("3.1.1: over a retained message the connection ends, and what helps is said", mqttProtocolLevel=4,
       broker="retain_available false", pubRetain=True)
def unretained(world):
    world.tracker.start()
    world.feed(world.drive(20))
    helps = lambda: "homeward config set pubRetain false" in world.tracker.ask("doctor").text
    expect(in_the_end(helps), world.tracker.ask("doctor").text)
    world.tracker.configure(pubRetain=False)
    world.tracker.hang_up()
    expect(world.tracker.is_drained(), "it helps nothing: %s" % world.tracker.log())


if __name__ == "__main__":
    sys.exit(main())
