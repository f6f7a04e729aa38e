#!/usr/bin/env python3
# takes: 240 s
# limit: 900 s
# behaviour: Presence and Home Assistant
"""What the real Home Assistant shows of a board is true: where it is, and whether it is there at all."""
import os
import sys
import time

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Programs/world"))
from home import Home  # noqa: E402
from nmea import along, degrees  # noqa: E402
from subscriber import Subscriber  # noqa: E402
from waiting import in_the_end  # noqa: E402
from world import claim, expect, main  # noqa: E402

PLACE, CARD = "device_tracker.board_place", "device_tracker.ute_board"
HOUSE, AWAY = (0.0, 0.0), (900.0, 0.0)


def waypoint(name, place, radius=120, **more):
    latitude, longitude = degrees(place)
    return dict({"_type": "waypoint", "desc": name, "lat": latitude, "lon": longitude, "rad": radius, "tst": 5}, **more)


def begin(world, *waypoints, **settings):
    """A board and a Home Assistant that knows it."""
    world.tracker.configure(waypoints=list(waypoints) or None, **settings)
    home = Home(world).start()
    world.start()
    return home


def go(world, *corners):
    """Drives there and stands for a while."""
    world.feed(along([world.place, *corners], speed=30.0) + [corners[-1]] * 8, hz=10)


def ask(world, *words):
    answer = world.tracker.ask(*words)
    expect(answer.status == 0, "%s: %s%s" % (" ".join(words), answer.text, answer.error))


# --- Where it is ----------------------------------------------------------------------------------------

BEACON = {"desc": "Garage:CA271EAE-5FA8-4E80-8F08-2A302A95A959:1:2", "rad": 0}


@claim("both its integrations show home, away and home again, with the beacon of the garage among the regions",
       discovery=True, keepalive=5)
def comes_and_goes(world):
    home = begin(world, waypoint("Home", HOUSE), waypoint(BEACON["desc"], HOUSE, 0, tst=6))
    go(world, AWAY)
    for entity in (PLACE, CARD):
        home.expect_state(entity, "not_home", when="away")
    go(world, HOUSE)
    for entity in (PLACE, CARD):
        home.expect_state(entity, "home", when="back")
    go(world, AWAY)
    for entity in (PLACE, CARD):
        home.expect_state(entity, "not_home", when="away again")


def change_while_home(world, change, after=lambda: None, **more):
    """Enters Home, changes something, drives away: Home Assistant has to see that."""
    home = begin(world, waypoint("Home", HOUSE, **more))
    go(world, AWAY)
    home.expect_state(CARD, "not_home", when="away")
    go(world, HOUSE)
    home.expect_state(CARD, "home", when="at home")
    change()
    go(world, AWAY)
    after()
    go(world, (900.0, 60.0))
    home.expect_state(CARD, "not_home", when="after the change")
    home.expect_state(PLACE, "not_home", when="after the change")


def changing(name, *changes):
    """`changes`: words for `homeward`, or a function of the world; after `None` the board has left."""
    @claim("Home Assistant does not stay at home: " + name, discovery=True, keepalive=5)
    def run(world):
        def perform(some):
            for change in some:
                change(world) if callable(change) else ask(world, *change)
        at = changes.index(None) if None in changes else len(changes)
        change_while_home(world, lambda: perform(changes[:at]), lambda: perform(changes[at + 1:]))


def settings(**changed):
    def change(world):
        world.tracker.configure(**changed)
        world.tracker.hang_up()
        time.sleep(1)
    return change


def reach_again(world):
    settings(port=world.broker.port)(world)
    world.tracker.wait_for_status(lambda status: status["connection"]["state"] == "connected")


changing("its region is removed", ("region", "rm", "Home"))
changing("its region is renamed", ("region", "set", "Home", "--name", "House"))
changing("its region is moved", ("region", "set", "Home", "--lat", "48.5", "--lon", "16.0"))
changing("its region is no longer shared", ("region", "set", "Home", "--share", "no"))
changing("it is left in quiet mode", ("mode", "quiet"), None, ("mode", "move"))
changing("it is left while the board is offline", settings(port=0), None, reach_again)


@claim("a region that is not shared neither holds Home Assistant nor breaks it", discovery=True, keepalive=5)
def unshared(world):
    home = begin(world, waypoint("Secret", HOUSE, share=False))
    go(world, AWAY)
    go(world, HOUSE)
    expect(in_the_end(lambda: len(world.transitions()) >= 1), "no transition")
    go(world, AWAY)
    for entity in (PLACE, CARD):
        home.expect_state(entity, "not_home", when="away")
    expect(not [name for name in home.states() if "ecret" in name], "it is shown by name")


# --- Whether it is there --------------------------------------------------------------------------------

def is_placed(status):
    return status["connection"].get("statusWill", {}).get("placed")


def shown(world, broker=""):
    """A board that Home Assistant shows, with the will placed that takes it back."""
    home = begin(world, waypoint("Home", HOUSE))
    world.tracker.wait_for_status(is_placed)
    home.expect_there("after the start")
    return home


def restart_broker(world):
    world.broker.stop()
    world.broker.start()


def back(world, home, when):
    world.tracker.start()
    world.tracker.wait_for_status(is_placed)
    home.expect_there(when)


@claim("a board whose power was cut is gone, also for a Home Assistant or a broker that is restarted afterwards",
       discovery=True, keepalive=5)
def power_cut(world):
    home = shown(world)
    world.tracker.kill()
    home.expect_gone("after the cut")
    home.restart()
    home.expect_gone("after a restart of Home Assistant")
    restart_broker(world)
    home.expect_gone("after a restart of the broker")
    home.restart()
    home.expect_gone("after restarts of both")
    back(world, home, "on power again")


@claim("the same with a broker that keeps nothing over its restart", broker="persistence false", discovery=True,
       keepalive=5)
def forgetful(world):
    home = shown(world)
    world.tracker.kill()
    home.expect_gone("after the cut")
    restart_broker(world)
    time.sleep(3)
    home.expect_gone("after a restart of the broker")
    home.restart()
    expect(not [s for s in home.of_board().values() if s != "unavailable"], "after both: %s" % home.of_board())
    back(world, home, "on power again")


@claim("a board that lived through the broker's loss of all it had is shown again, by a new Home Assistant too",
       broker="persistence false", discovery=True, keepalive=5)
def session_lost(world):
    home = shown(world)
    home.stop()
    restart_broker(world)
    world.tracker.wait_for_status(is_placed)
    home.start()
    home.expect_there("after the broker's loss")


@claim("a board that ended in order is gone, before and after restarts", discovery=True, keepalive=5)
def orderly(world):
    home = shown(world)
    world.tracker.stop()
    home.expect_gone("after the end")
    restart_broker(world)
    home.restart()
    home.expect_gone("after restarts of both")
    back(world, home, "started again")


@claim("a board that falls silent while the broker is restarted is gone", has_proxy=True, discovery=True, keepalive=5)
def silent(world):
    home = shown(world)
    world.proxy.cut("stall")
    world.broker.kill()
    world.tracker.kill()
    world.broker.start()
    births = Subscriber(world.broker.port, ["homeassistant/status"], name="births")
    # Until it says that it is back, it shows what it was told before.
    expect(births.wait(lambda messages: messages, 40), "Home Assistant does not come back")
    home.expect_gone("after the cut", 30)
    home.restart()
    expect(births.wait(lambda messages: len(messages) > 1, 40), "Home Assistant does not come back")
    home.expect_gone("after a restart of Home Assistant", 30)
    births.close()
    world.proxy.restore()
    back(world, home, "on power again")


@claim("a board is there again after each restart of the broker and of Home Assistant", discovery=True, keepalive=5)
def lives_on(world):
    home = shown(world)
    home.restart()
    home.expect_there("after a restart of Home Assistant")
    restart_broker(world)
    world.tracker.wait_for_status(is_placed)
    home.expect_there("after a restart of the broker")


if __name__ == "__main__":
    main()
