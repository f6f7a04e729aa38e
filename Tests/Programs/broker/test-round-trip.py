#!/usr/bin/env python3
# takes: 60 s
# behaviour: Whether what is acknowledged arrives
"""A broker that acknowledges and drops is found out, as far as its protocol lets anybody know."""
import sys

sys.path.insert(1, sys.path[0] + "/../world")
from nmea import along
from rights import Rights
from subscriber import Subscriber
from tracker import TOPIC
from waiting import in_the_end
from world import claim, expect, main

RIGHTS = Rights()
EVENT = TOPIC + "/event"
LOCATIONS = "topic readwrite %s" % TOPIC
EVERYTHING = "topic readwrite %s/#" % TOPIC
COMMANDS = "\ntopic read %s/cmd" % TOPIC


def begin(world):
    world.broker.start()
    world.listen()
    world.tracker.start()


def cross(world):
    """Leaves a region."""
    world.settle()
    done = world.tracker.ask("region", "add", "Barn", "--here", "--radius", "80")
    expect(done.status == 0, "no region: %s%s" % (done.text, done.error))
    world.feed(along([(0, 0), (900, 0)], 20.0))


def connection(world):
    return world.tracker.status()["connection"]


def told(world, word, colour):
    """The status once its light has this colour and its cause this word."""
    good = lambda status: status["connection"]["colour"] == colour and word in status["connection"]["cause"]
    return world.tracker.wait_for_status(good)["connection"]


def finding(world, subject):
    """What `doctor` has to say of it, with its remedy."""
    findings = world.tracker.ask("doctor", "--json", "--file", world.tracker.configuration).json()
    return next(finding for finding in findings if finding["subject"] == subject)


def broker_line(world):
    return finding(world, "broker")


LOGIN = dict(has_broker=False, auth=True, password="secret")


@claim("3.1.1: a list of rights without the topics below is found out by the first crossing, and positions are proven",
       broker=RIGHTS.settings("crossing", LOCATIONS + COMMANDS), mqttProtocolLevel=4, **LOGIN)
def crossing(world):
    begin(world)
    cross(world)
    found = told(world, EVENT, "amber")
    expect(found["delivery"]["proven"] == [TOPIC], "proven: %s" % found["delivery"])
    expect(EVENT in found["delivery"]["missing"], "missing: %s" % found["delivery"])
    expect("%s is acknowledged and does not come back" % EVENT in world.tracker.log(), "no line in the journal")
    line = broker_line(world)
    expect("topic readwrite %s/#" % TOPIC in line["remedy"], "the remedy is %s" % line)
    expect("mqttProtocolLevel 5" in line["remedy"], "MQTT 5 is not named: %s" % line)
    text = world.tracker.ask("status").text
    expect("NOTHING came back of what went out on %s" % EVENT in text.replace("\n", " "), "status: %s" % text)
    expect(not world.transitions(), "the broker has passed it on")
    # As the doctor says it.
    RIGHTS.change(world, "crossing", EVERYTHING)
    expect(world.tracker.ask("reload").status == 0, "no reload")
    expect(connection(world)["colour"] == "green", "still amber")
    world.feed(along([(900, 0), (0, 0)], 20.0))
    expect(in_the_end(lambda: EVENT in connection(world)["delivery"].get("proven", [])), "not proven")
    expect(world.transitions() and connection(world)["colour"] == "green", "no crossing")


@claim("3.1.1: rights for another topic are found out by the first position", broker=RIGHTS.settings(
    "other", "topic readwrite owntracks/other/#" + COMMANDS), mqttProtocolLevel=4, **LOGIN)
def elsewhere(world):
    begin(world)
    world.settle()
    found = told(world, TOPIC, "amber")
    expect("right to write" in found["cause"] and "reading it" in found["cause"], found["cause"])
    RIGHTS.change(world, "other", EVERYTHING)
    world.feed(world.stand(5))
    told(world, "", "green")
    expect("comes back again" in world.tracker.log(), "no line in the journal")


@claim("3.1.1: who may write and not read is told both, and can switch the looking off",
       broker=RIGHTS.settings("writer", "topic write %s/#" % TOPIC + COMMANDS), mqttProtocolLevel=4, **LOGIN)
def writer(world):
    begin(world)
    world.settle()
    told(world, TOPIC, "amber")
    expect("roundTrip false" in broker_line(world)["remedy"], "no way out is named")
    world.tracker.configure(roundTrip=False)
    expect(world.tracker.ask("reload").status == 0, "no reload")
    found = told(world, "", "green")
    expect(found["delivery"] == {"by": "nothing"}, "%s" % found)


@claim("5: a list of rights without the base topic turns the light amber, and the remedy makes it green", broker=RIGHTS.settings(
    "forbidden", "topic readwrite %s" % EVENT + COMMANDS), mqttProtocolLevel=5, **LOGIN)
def forbidden(world):
    begin(world)
    world.settle()
    found = told(world, TOPIC, "amber")
    expect("not authorised" in found["cause"], found["cause"])
    expect("topic readwrite %s/#" % TOPIC in broker_line(world)["remedy"], "the remedy is %s" % broker_line(world))
    RIGHTS.change(world, "forbidden", EVERYTHING + "\n" + LOCATIONS)
    told(world, "", "green")
    expect(in_the_end(lambda: world.locations()), "nothing that waited has arrived")


@claim("3.1.1: where all is well each topic is subscribed to once, for a moment, and with friends not at all",
       broker=RIGHTS.settings("well", EVERYTHING + "\ntopic read owntracks/#"), mqttProtocolLevel=4, **LOGIN)
def well(world):
    begin(world)
    world.settle()
    expect(in_the_end(lambda: connection(world)["delivery"].get("proven") == [TOPIC]), "%s" % connection(world))
    log = world.broker.log()
    asked = "Received SUBSCRIBE from"
    expect(log.count("\t%s (QoS 1)" % TOPIC) == 1, "not subscribed once")
    expect(in_the_end(lambda: "Received UNSUBSCRIBE" in world.broker.log()), "not unsubscribed")
    before = world.broker.log().count(asked)
    world.feed(world.stand(10))
    expect(world.broker.log().count(asked) == before, "subscribed to again")
    world.tracker.configure(friends=True)
    expect(world.tracker.ask("reload").status == 0, "no reload")
    # What goes out before the tracker knows that the filter is granted would be subscribed to by itself.
    granted = lambda: "owntracks/+/+" in connection(world).get("subscription", [])
    expect(in_the_end(granted), "friends are not subscribed to")
    world.feed(world.stand(10))
    expect(in_the_end(lambda: connection(world)["delivery"].get("proven") == [TOPIC]), "%s" % connection(world))
    expect(world.broker.log().count("\t%s (QoS 1)" % TOPIC) == 1, "the filter of friends does not serve")


@claim("5: the topic that the broker refuses is held and named, and its crossing comes when it may",
       broker=RIGHTS.settings("five", LOCATIONS + COMMANDS), **LOGIN)
def five(world):
    begin(world)
    cross(world)
    held = lambda status: EVENT in status["queue"].get("held", [])
    status = world.tracker.wait_for_status(held)
    expect(status["connection"]["delivery"]["by"] == "reasonCodes", "%s" % status["connection"])
    held = finding(world, "held")
    expect(EVENT in held["text"] and "right to publish" in held["remedy"], "%s" % held)
    RIGHTS.change(world, "five", EVERYTHING)
    expect(world.watcher.wait(lambda _: bool(world.transitions())), "the crossing is lost")


@claim("5: where nobody has subscribed that is said, and is no fault", has_broker=False, mqttProtocolLevel=5)
def unheard(world):
    world.broker.start()
    world.tracker.start()
    world.settle()
    found = world.tracker.wait_for_status(lambda s: s["connection"].get("delivery", {}).get("unheard"))["connection"]
    expect(found["delivery"]["unheard"] == [TOPIC] and found["colour"] == "green", "%s" % found)
    expect("no client subscribes to %s" % TOPIC in world.tracker.ask("status").text.replace("\n", " "), "not said")
    listener = Subscriber(world.broker.port, [TOPIC], name="late", keeps_session=False)
    try:
        world.feed(world.stand(10))
        world.tracker.wait_for_status(lambda s: "unheard" not in s["connection"]["delivery"])
    finally:
        listener.close()


if __name__ == "__main__":
    main()
