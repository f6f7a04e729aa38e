#!/usr/bin/env python3
# takes: 40 s
# behaviour: What was announced
"""Somebody who was told that the vehicle has entered a region is told that it has left, whatever happened to the
region and to the board. Home Assistant ignores every location until then."""
import sys

sys.path.insert(1, sys.path[0] + "/../world")
from nmea import degrees  # noqa: E402
from waiting import in_the_end  # noqa: E402
from world import claim, expect, main  # noqa: E402


def enter(world):
    """Drives into Work, which lies on the way."""
    latitude, longitude = degrees((400.0, 400.0))
    world.tracker.configure(
        monitoring=2, physicsGate=True,
        waypoints=[{"_type": "waypoint", "desc": "Work", "lat": latitude, "lon": longitude, "rad": 200, "tst": 5}])
    world.start()
    world.feed(world.drive(60), hz=10)
    expect(in_the_end(lambda: world.crossings() == [("enter", "Work")]), "%s" % world.crossings())


def expect_left(world, when):
    expect(in_the_end(lambda: ("leave", "Work") in world.crossings()), "%s: %s" % (when, world.crossings()))
    expect(world.crossings().count(("leave", "Work")) == 1, "%s: %s" % (when, world.crossings()))


def ask(world, *words):
    answer = world.tracker.ask(*words)
    expect(answer.status == 0, "%s: %s%s" % (" ".join(words), answer.text, answer.error))


@claim("a region that is renamed while the vehicle is in it is left by the name that was announced")
def renamed(world):
    enter(world)
    ask(world, "region", "set", "Work", "--name", "Office")
    expect_left(world, "renamed")
    world.feed(world.drive(60), hz=10)
    expect(in_the_end(lambda: ("leave", "Office") in world.crossings()), "%s" % world.crossings())
    expect_left(world, "driven away")


@claim("one that was removed in quiet mode, before the board died, is left when that mode ends")
def removed_and_killed(world):
    enter(world)
    ask(world, "mode", "quiet")
    ask(world, "region", "rm", "Work")
    world.tracker.kill()
    world.tracker.start()
    world.feed(world.stand(10))
    expect(world.crossings() == [("enter", "Work")], "told in quiet mode: %s" % world.crossings())
    ask(world, "mode", "move")
    expect_left(world, "move mode")
    why = world.tracker.ask("why")
    expect("changed or removed" in why.text, "why does not say it: %s" % why.text)


@claim("a region that is not shared is crossed without a name, said as null")
def unshared(world):
    latitude, longitude = degrees((400.0, 400.0))
    world.tracker.configure(monitoring=2, waypoints=[
        {"_type": "waypoint", "desc": "Work", "lat": latitude, "lon": longitude, "rad": 200, "tst": 5, "share": False}])
    world.start()
    world.feed(world.drive(60), hz=10)
    expect(in_the_end(lambda: world.transitions()), "no transition")
    expect("desc" in world.transitions()[0], "no desc: %s" % world.transitions()[0])
    expect(world.transitions()[0]["desc"] is None, "named: %s" % world.transitions()[0])


@claim("a follow region goes along over a kill: a board that stands tells no place by itself afterwards")
def followed_and_killed(world):
    latitude, longitude = degrees((0.0, 0.0))
    world.tracker.configure(
        monitoring=2, physicsGate=False,
        waypoints=[{"_type": "waypoint", "desc": "+30follow", "lat": latitude, "lon": longitude, "rad": 60, "tst": 5}])
    world.start()
    ask(world, "mode", "manual")
    world.feed(world.drive(60), hz=10)

    def followed():
        return [message for message in world.locations() if message.get("t") == "C"]
    expect(in_the_end(followed), "the drive left no circle: %s" % world.locations())
    before = len(followed())
    world.tracker.kill()
    world.tracker.start()
    world.feed(world.stand(20))
    expect(len(followed()) == before, "told after the kill, standing: %s" % followed()[before:])
    world.feed(world.drive(60), hz=10)
    expect(in_the_end(lambda: len(followed()) > before), "the circle does not go along any more")


if __name__ == "__main__":
    main()
