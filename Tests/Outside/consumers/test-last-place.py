#!/usr/bin/env python3
# takes: 120 s
# limit: 600 s
# behaviour: Presence and Home Assistant
"""Where the board was seen last stays known to the real Home Assistant when the board goes, and nothing of that is a
complaint."""
import json
import os
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Programs/world"))
from home import Home  # noqa: E402
from nmea import along, degrees  # noqa: E402
from subscriber import Subscriber  # noqa: E402
from tracker import TOPIC  # noqa: E402
from waiting import in_the_end  # noqa: E402
from world import claim, expect, main  # noqa: E402

PLACE, REGION, SEEN = "device_tracker.board_place", "sensor.board_home", "sensor.board_seen"
HOUSE, AWAY = (0.0, 0.0), (900.0, 0.0)


def waypoint(name, place, radius=120):
    latitude, longitude = degrees(place)
    return {"_type": "waypoint", "desc": name, "lat": latitude, "lon": longitude, "rad": radius, "tst": 5}


def is_placed(status):
    return status["connection"].get("statusWill", {}).get("placed")


def at_home(world, **settings):
    """A board that stands at home and has told so; what Home Assistant makes of that is what has to stay."""
    world.tracker.configure(waypoints=[waypoint("Home", HOUSE)], **settings)
    home = Home(world).start()
    world.start()
    world.feed(along([world.place, AWAY, HOUSE], speed=30.0) + [HOUSE] * 8, hz=10)
    world.tracker.wait_for_status(is_placed)
    home.expect_there("after the start")
    home.expect_state(PLACE, "home", when="at home")
    home.expect_state(REGION, "in", when="at home")
    world.tracker.wait_for_status(lambda status: status["queue"]["count"] == 0)
    before = home.last_place()
    expect(before[SEEN][0][:2] == "20" and before[PLACE][1][0] is not None, "%s" % before)
    return home, before


def expect_kept(home, before, when, since=None):
    """`since`: what of the place's history has been seen."""
    expect(in_the_end(lambda: home.last_place() == before, every=0.2),
           "%s: %s, not %s" % (when, home.last_place(), before))
    if since is not None:
        told = home.history(PLACE)
        expect(told[since:] == [], "%s: the place was %s meanwhile" % (when, told[since:]))


def complaints(home):
    """Of our own message types the owntracks integration says what it thinks, see docs/home-assistant.md."""
    return [line for line in home.complaints() if "unsupported message type" not in line]


@claim("a power cut, a start without a fix and restarts of Home Assistant leave the last place", discovery=True,
       keepalive=5)
def cut(world):
    home, before = at_home(world)
    seen = len(home.history(PLACE))
    world.tracker.kill()
    home.expect_gone("after the cut")
    expect_kept(home, before, "after the cut", seen)
    # The receiver is in a garage: nothing is fed to it.
    world.tracker.start()
    world.tracker.wait_for_status(is_placed)
    home.expect_there("started without a fix")
    expect_kept(home, before, "started without a fix", seen)
    expect(not complaints(home), "%s" % complaints(home)[:3])
    home.restart()
    home.expect_there("after a restart of Home Assistant")
    expect_kept(home, before, "after a restart of Home Assistant")
    world.tracker.kill()
    home.expect_gone("after another cut")
    home.restart()
    home.expect_gone("after a restart of Home Assistant")
    expect_kept(home, before, "of a board that is off")
    expect(not complaints(home), "%s" % complaints(home)[:3])


def in_order(name, *suffixes):
    @claim("the two wills take nothing of the last place away: " + name, discovery=True, keepalive=5)
    def run(world):
        home, before = at_home(world)
        seen = len(home.history(PLACE))
        said = {"": {"_type": "lwt", "tst": 1700000000},
                "/status": {"_type": "status", "linux": {"online": False}, "tst": 1700000000}}
        for suffix in suffixes:
            # As the broker says them, with the board still there to be heard of afterwards.
            world.watcher.publish(TOPIC + suffix, json.dumps(said[suffix]).encode())
            home.expect_gone("after " + (suffix or "the will on the base topic"))
            expect_kept(home, before, "after " + (suffix or "the will on the base topic"), seen)
        world.tracker.kill()
        world.tracker.start()
        world.tracker.wait_for_status(is_placed)
        home.expect_there("there again")
        expect_kept(home, before, "there again", seen)
        expect("" not in home.of_board().values() and "None" not in home.of_board().values(), "%s" % home.of_board())
        expect(not complaints(home), "%s" % complaints(home)[:3])


in_order("the one on status first", "/status", "")
in_order("the one on the base topic first", "", "/status")


@claim("a broker that has lost all that it kept is told the place again, with the time that it had", discovery=True,
       keepalive=5, broker="persistence false", monitoring=1, ping=0)
def forgetful(world):
    home, before = at_home(world)
    told = world.locations()[-1]
    world.broker.stop()
    world.broker.start()
    home.restart()
    world.tracker.wait_for_status(is_placed)
    home.expect_there("after the broker's loss")
    expect_kept(home, before, "after the broker's loss")
    late = Subscriber(world.broker.port, [TOPIC], name="late", keeps_session=False)
    try:
        expect(late.wait(lambda messages: messages, 10), "who comes late gets no location")
        kept = late.messages[0].json()
        expect(late.messages[0].is_retained, "it is not retained")
        keys = ("_type", "lat", "lon", "tst", "acc", "inregions")
        expect([kept[key] for key in keys] == [told[key] for key in keys], "%s, not %s" % (kept, told))
    finally:
        late.close()


@claim("a region that is made around the parked board is in, at once", discovery=True, keepalive=5, monitoring=1,
       ping=0)
def learnt(world):
    home, before = at_home(world)
    answer = world.tracker.ask("region", "add", "Drive", "--radius", "60")
    expect(answer.status == 0, "%s%s" % (answer.text, answer.error))
    home.expect_state("sensor.board_drive", "in", when="made around it")
    now = home.last_place()
    expect({name: now[name] for name in before} == before, "%s, not %s" % (now, before))


if __name__ == "__main__":
    main()
