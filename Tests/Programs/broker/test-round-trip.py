#!/usr/bin/env python3
# takes: 100 s
# behaviour: Whether what is acknowledged arrives
# behaviour: A broker that has lost its memory
"""A broker that acknowledges and drops, or loses, is found out, as far as its protocol lets anybody know."""
import signal
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
    newest = max(world.feed(world.stand(10)))
    is_done = lambda status: status["fix"]["tst"] >= newest and status["queue"]["count"] == 0
    expect(is_done(world.tracker.wait_for_status(is_done)), "not all was delivered")
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


# As mosquitto is by itself: what it has goes to the disk every half hour.
FORGETFUL = "autosave_interval 1800\nautosave_on_changes false"


def witness(world):
    """Sees everything as it is acknowledged: the payloads by topic and time, of both kinds of messages that count."""
    return Subscriber(world.broker.port, [TOPIC, EVENT], "witness")


def words(messages):
    """The payloads by topic and time: the last place, told where no fix comes, has the time of that fix."""
    found = {}
    for message in messages:
        if message.json() and message.json()["_type"] != "lwt":
            found.setdefault((message.topic, message.json()["tst"]), set()).add(message.payload)
    return found


def killed(world):
    """The broker loses its memory, and is back."""
    world.broker.kill()
    world.broker.start()


def away(world):
    """Who listens is away, with a session that collects for them: those who come back have another name."""
    world.watcher.close()
    world.watcher.name = "nobody"


@claim("what a killed broker had acknowledged and lost is sent again, in the same words, once the listeners are back",
       broker=FORGETFUL, pace=20)
def lost(world):
    world.start()
    seen = witness(world)
    world.tracker.ask("region", "add", "Yard", "--lat", "48.2", "--lon", "16.3", "--radius", "60")
    away(world)
    sent = world.feed(world.drive(120))
    expect(seen.wait(lambda messages: max(sent) in {tst for _, tst in words(messages)}), "the drive has not arrived")
    before = words(seen.messages)
    seen.close()
    killed(world)
    world.listen()
    # Those who listen come back, and everything of before comes to them.
    wanted = {key for key in before if key[1] in sent or key[0] == EVENT}
    wants = lambda found: [key for key in wanted if not before[key] <= found.get(key, set())]
    world.watcher.wait(lambda messages: not wants(words(messages)))
    after = words(world.watcher.messages)
    lacking = [key for key in wanted if key not in after]
    expect(not lacking, "%d of %d did not arrive again" % (len(lacking), len(wanted)))
    others = [before[key] - after[key] for key in wants(after)]
    expect(not others, "%d came in other words: %s" % (len(others), others[:1]))
    retained = [m for m in world.watcher.messages if m.topic == TOPIC and m.is_retained]
    expect(not retained, "an old place is retained")
    why = world.tracker.ask("why").text
    expect("the broker has lost what it had acknowledged" in why, why)


@claim("a broker that comes back with an earlier memory gets what it acknowledged since", broker=FORGETFUL, pace=20)
def earlier(world):
    world.start()
    early = world.feed(world.drive(120))
    world.wait_for_locations(early)
    world.broker.process.send_signal(signal.SIGUSR1)
    expect(in_the_end(lambda: "Saving in-memory database" in world.broker.log()), "mosquitto does not save")
    late = world.feed(world.drive(120))
    world.wait_for_locations(late)
    world.watcher.close()
    killed(world)
    world.listen()
    world.wait_for_locations(late)
    again = [message["tst"] for message in world.locations()]
    expect(min(again) > max(early) - 65, "%d of before the loss came again" % sum(tst in early for tst in again))


@claim("a broker that comes back with its memory gets nothing again", pace=20)
def kept(world):
    world.start()
    sent = world.feed(world.drive(60))
    world.wait_for_locations(sent)
    world.broker.stop()
    world.broker.start()
    more = world.feed(world.drive(20))
    world.wait_for_locations(more)
    world.lasts(240)
    world.expect_once_in_order()


@claim("5: with holdUnheard messages wait until somebody has subscribed, and all arrive, once and in order",
       has_broker=False, mqttProtocolLevel=5, holdUnheard=True, pubRetain=False, pace=10)
def held_unheard(world):
    world.broker.start()
    world.tracker.start()
    world.settle()
    sent = world.feed(world.drive(30))
    status = world.tracker.wait_for_status(lambda s: TOPIC in s["queue"].get("held", []))
    expect(status["queue"]["count"] >= len(sent), "%s" % status["queue"])
    expect("unheard" not in status["connection"]["delivery"], "%s" % status["connection"]["delivery"])
    expect(status["connection"]["untaken"][0]["topic"] == TOPIC, "%s" % status["connection"])
    text = " ".join(world.tracker.ask("status").text.split())
    expect("nobody has subscribed" in text and "no client subscribes" not in text, text)
    expect("holdUnheard false" in finding(world, "held")["remedy"], "%s" % finding(world, "held"))
    # A minute of the tracker's own time.
    world.lasts(60)
    world.listen()
    world.wait_for_locations(sent)
    world.expect_once_in_order()
    world.tracker.is_drained()


if __name__ == "__main__":
    main()
