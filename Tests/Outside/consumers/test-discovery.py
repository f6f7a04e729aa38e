#!/usr/bin/env python3
# takes: 200 s
# limit: 900 s
# behaviour: Presence and Home Assistant
"""What a board describes to the real Home Assistant is taken back, told again, and made of what has a value."""
import json
import os
import sys
import time

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Programs/world"))
sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Programs/receivers"))
from home import Home  # noqa: E402
from nmea import along, degrees  # noqa: E402
from subscriber import Subscriber  # noqa: E402
from tracker import TOPIC, Tracker  # noqa: E402
from ublox import UBlox  # noqa: E402
from waiting import in_the_end, poll  # noqa: E402
from world import claim, expect, main  # noqa: E402

HERE, AWAY = (0.0, 0.0), (900.0, 0.0)
EVERYTHING = dict(discovery=True, keepalive=5, cmd=True, remoteConfiguration=True, odometer=True, trips=True, towAlarm=100,
                  overspeed=130)


def waypoint(name, place=HERE, radius=120):
    latitude, longitude = degrees(place)
    return {"_type": "waypoint", "desc": name, "lat": latitude, "lon": longitude, "rad": radius, "tst": 5}


def descriptions(world):
    """What the broker keeps for Home Assistant, by topic, whatever the prefix."""
    late = Subscriber(world.broker.port, ["+/+/+/+/config"], name="late", keeps_session=False)
    try:
        time.sleep(0.5)
        return {message.topic: message.json() for message in late.messages if message.is_retained}
    finally:
        late.close()


def expect_kept(world, predicate, what, seconds=10):
    found = poll(lambda: predicate(descriptions(world)), seconds, every=0.3)
    expect(found, "%s: %s" % (what, sorted(descriptions(world))))


def begin(world, **settings):
    world.tracker.configure(waypoints=[waypoint("Home")], **settings)
    home = Home(world).start()
    world.start()
    poll(lambda: len(home.of_board()) > 10, 10, every=0.2)
    home.expect_there("after the start")
    return home


def reload(world, **settings):
    world.tracker.configure(**settings)
    world.tracker.hang_up()


def restart(world, **settings):
    world.tracker.stop()
    world.tracker.configure(**settings)
    world.tracker.start()


def entity(described, name):
    return next((value for topic, value in described.items() if topic.split("/")[3] == name), None)


# --- Taken back -----------------------------------------------------------------------------------------

def taken_back(change, **settings):
    how = "%s, %s" % (change.__name__, ", ".join("%s %s" % pair for pair in sorted(settings.items())))

    @claim("all is taken back: " + how, **EVERYTHING)
    def run(world):
        home = begin(world)
        count = len(descriptions(world))
        expect(count >= 15, "%d descriptions" % count)
        change(world, **settings)
        expect_kept(world, lambda kept: not kept, how)
        expect(in_the_end(lambda: not home.of_board(), every=0.2), "still shown: %s" % home.of_board())


for way, changed in ((reload, {"discovery": False}), (reload, {"discovery": False, "availability": False}),
                     (restart, {"discovery": False}), (reload, {"encryptionKey": "secret"}), (restart, {"encryptionKey": "s"}),
                     (reload, {"mode": 3, "url": "http://127.0.0.1:9/"}), (reload, {"port": 0})):
    taken_back(way, **changed)


@claim("a tracker that is removed takes all of it back first", **EVERYTHING)
def removed(world):
    home = begin(world)
    answer = world.tracker.ask("withdraw")
    expect(answer.status == 0 and "taken back" in answer.text, "%s%s" % (answer.text, answer.error))
    world.tracker.stop()
    expect_kept(world, lambda kept: not kept, "withdrawn")
    expect(in_the_end(lambda: not home.of_board(), every=0.2), "still shown: %s" % home.of_board())
    world.tracker.start()
    expect_kept(world, lambda kept: len(kept) >= 15, "started again")


@claim("another prefix leaves nothing below the old one, also after a stop", **EVERYTHING)
def prefix(world):
    begin(world)
    count = len(descriptions(world))
    for change, name in ((reload, "elsewhere"), (restart, "homeassistant")):
        change(world, discoveryPrefix=name)
        expect_kept(world, lambda kept: len(kept) == count and all(topic.startswith(name + "/") for topic in kept), name)


@claim("without commands there is no choice of the mode and no button, and no leftover of either", **EVERYTHING)
def commands(world):
    begin(world)
    for change, isOn in ((reload, False), (restart, True), (restart, False)):
        change(world, cmd=isOn)
        expect_kept(world, lambda kept: [topic.split("/")[1] for topic in kept if topic.endswith("/mode/config")] == [
            "select" if isOn else "sensor"], "cmd %s by %s" % (isOn, change.__name__))
        expect_kept(world, lambda kept: bool(entity(kept, "locate")) == isOn, "the button with cmd %s" % isOn)


@claim("a base topic that changes makes another device, and takes the old one back", **EVERYTHING)
def renamed(world):
    begin(world)
    before = descriptions(world)
    restart(world, pubTopicBase="owntracks/ute/boat", deviceId="boat")
    expect_kept(world, lambda kept: len(kept) == len(before) and not set(kept) & set(before), "another base topic")


# --- Told again -----------------------------------------------------------------------------------------

@claim("a broker that has lost everything, and a Home Assistant that starts, are told again", broker="persistence false",
       **EVERYTHING)
def again(world):
    home = begin(world)
    topics = set(descriptions(world))
    world.broker.stop()
    world.broker.start()
    expect_kept(world, lambda kept: set(kept) == topics, "after the broker's loss", 20)
    home.expect_there("after the broker's loss")
    watcher = Subscriber(world.broker.port, ["homeassistant/+/+/+/config"], name="all")
    watcher.messages.clear()
    home.restart()
    told = watcher.wait(lambda messages: topics <= {m.topic for m in messages if not m.is_retained and m.payload}, 30)
    expect(told, "not told when Home Assistant started")
    home.expect_there("after its start")
    watcher.close()


@claim("two boards of one cloned card are two devices, and each goes alone", **EVERYTHING)
def twins(world):
    home = begin(world)
    os.mkdir(os.path.join(world.folder, "twin"))
    twin = Tracker(os.path.join(world.folder, "twin"), world.gpsd.port, world.broker.port, discovery=True, keepalive=5,
                   deviceId="boat", pubTopicBase="owntracks/ute/boat")
    world._closing.append(twin.kill)
    twin.start()
    boat = lambda: {name: state for name, state in ((n, v["state"]) for n, v in home.states().items())
                    if name.split(".")[1].startswith("boat_")}
    expect(in_the_end(lambda: len(boat()) > 5 and "unavailable" not in boat().values(), every=0.2), "the twin: %s" % boat())
    home.expect_there("beside the twin")
    twin.stop()
    # Where it was last seen, how well that is known and since when stay.
    gone = lambda: {state for name, state in boat().items() if name.split("boat_")[1] not in ("place", "accuracy", "seen")}
    expect(in_the_end(lambda: gone() == {"unavailable"}, every=0.2), "the twin after its end: %s" % boat())
    home.expect_there("without the twin")


# --- What is shown --------------------------------------------------------------------------------------

@claim("each entity has a value, a readable id and an icon or a class, and Home Assistant complains of none", **EVERYTHING)
def values(world):
    home = begin(world)
    world.feed(along([world.place, AWAY], speed=25.0) + [AWAY] * 8, hz=10)
    shown = lambda: {name.split(".", 1)[1][6:]: (name.split(".")[0], value) for name, value in home.states().items()
                     if name.split(".")[1].startswith("board_")}
    expect(in_the_end(lambda: shown()["home"][1]["state"] == "out", every=0.2), "the region: %s" % (shown()["home"],))
    # 2024.3 takes any word, later versions those that were named.
    expect(shown()["home"][1]["attributes"].get("options", ["in", "out"]) == ["in", "out"], "%s" % (shown()["home"],))
    expect(in_the_end(lambda: shown()["trip"][1]["attributes"].get("event_type") == "start", every=0.2),
           "the trip: %s" % (shown()["trip"],))
    driven = lambda: float(shown()["odometer"][1]["state"])
    expect(in_the_end(lambda: driven() > 0.5, every=0.2), "the odometer: %s" % (shown()["odometer"],))
    # The receiver's satellites are counted every half minute.
    known = lambda: {key for key, (kind, value) in shown().items()
                     if value["state"] == "unknown" and kind not in ("event", "button")}
    expect(in_the_end(lambda: not known() - {"satellites"}, every=0.2), "unknown: %s" % known())
    expect("battery" not in shown() and "ignition" not in shown(), "%s" % sorted(shown()))
    for topic, described in descriptions(world).items():
        for key in ("origin", "default_entity_id", "object_id", "unique_id"):
            expect(key in described, "%s has no %s" % (topic, key))
        expect("icon" in described or "device_class" in described or "source_type" in described, topic)
    place = home.states()["device_tracker.board_place"]
    expect(place["attributes"]["friendly_name"] == "board", "%s" % place)
    # Of waypoints as zones, and of our own message types, the owntracks integration says what it thinks.
    own = [line for line in home.complaints() if "owntracks" not in line]
    expect(not own, "%s" % own[:3])


@claim("the button asks for the location, the mode can be chosen, and alarms are events", **EVERYTHING)
def orders(world):
    home = begin(world)
    before = len(world.locations())
    home.call("button", "press", entity_id="button.board_locate")
    expect(in_the_end(lambda: len(world.locations()) > before), "no location")
    expect(world.locations()[-1].get("t") == "r", "%s" % world.locations()[-1])
    home.call("select", "select_option", entity_id="select.board_mode", option="manual")
    home.expect_state("select.board_mode", "manual", when="chosen")
    world.watcher.publish(TOPIC + "/alarm", json.dumps({
        "_type": "alarm", "alarm": "overspeed", "event": "begin", "limit": 130, "lat": 1.0, "lon": 2.0, "tst": 5}).encode())
    kind = lambda: home.states()["event.board_overspeed"]["attributes"].get("event_type")
    expect(in_the_end(lambda: kind() == "begin", every=0.2), "the alarm is %s" % kind())
    expect(home.states()["event.board_tow"]["attributes"].get("event_type") is None, "towed as well")


@claim("the number of waiting messages is true after an outage, too", has_proxy=True, **EVERYTHING)
def waiting(world):
    home = begin(world)
    home.expect_state("sensor.board_queue", "0", when="after the start")
    world.proxy.cut("refuse")
    world.feed(world.drive(30), hz=10)
    world.proxy.restore()
    expect(world.tracker.is_drained(), "it still waits")
    home.expect_state("sensor.board_queue", "0", when="after the drain")
    told = [message["linux"].get("queueLength") for message in world.heard("status", TOPIC + "/status")]
    expect(max(count or 0 for count in told) > 5, "the outage was not told of: %s" % told)


@claim("a receiver that is jammed is a problem until that is over", has_gpsd=False, seconds=600)
def jammed(world):
    world.gpsd.flags = ["-n"]
    world.gpsd.start()
    world.tracker.configure(jammingWatch=True, **EVERYTHING)
    home, receiver = Home(world).start(), UBlox(world)
    world.tracker.start()
    for state, wanted in ((1, "off"), (3, "on"), (1, "off")):
        receiver.has_fix, receiver.jamming = state < 3, state
        shown = lambda: home.state("binary_sensor.board_jamming") == wanted
        expect(receiver.until(shown, 200), "not %s: %s" % (wanted, home.of_board()))
        expect(home.state("binary_sensor.board_spoofing") == "off", "spoofed: %s" % home.of_board())
    own = [line for line in home.complaints() if "owntracks" not in line]
    expect(not own, "%s" % own[:3])


if __name__ == "__main__":
    main()
