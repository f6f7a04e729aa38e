#!/usr/bin/env python3
# takes: 40 s
# behaviour: Harsh driving
"""Harsh driving as a real gpsd tells of it: by a receiver of five positions a second, and not by one of one."""
import sys

sys.path.insert(1, sys.path[0] + "/../world")
from nmea import Epoch, burst, degrees
from servers import Feeder
from tracker import TOPIC
from waiting import in_the_end, stays
from world import claim, expect, main


def stop(world, hz, force):
    """Five seconds at 72 km/h, a stop with so many metres a second squared, and five seconds at rest: Epochs."""
    found, metres, speed = [], 0.0, 20.0
    for count in range(int(hz * (10 + 20 / force))):
        north, tst = world.place[1] + metres, world.clock + count / hz
        latitude, longitude = degrees((world.place[0], north))
        found.append(Epoch(tst, latitude, longitude, burst(tst, latitude, longitude, speed, 0.0)))
        slower = max(0.0, speed - (force / hz if count / hz >= 5 else 0))
        metres += (speed + slower) / 2 / hz
        speed = slower
    world.clock += int(count / hz) + 1
    world.place = (world.place[0], world.place[1] + metres)
    return found


def feed(world, epochs):
    feeder = Feeder(world.gpsd, epochs, 10)
    feeder.join()
    # Its end is read as well: later positions come behind it.
    world.settle()


def alarms(world):
    return world.heard("alarm", TOPIC + "/alarm")


def letters(world):
    return [(message["t"], message.get("rty")) for message in world.locations() if message.get("t") == "h"]


@claim("hard braking is an alarm and a location, once a stop", harshDriving=True)
def hard(world):
    world.start()
    feed(world, stop(world, 5, 2.0))
    expect(not alarms(world) and not letters(world), "usual braking is told: %s" % alarms(world))
    begun = world.clock
    feed(world, stop(world, 5, 4.5))
    expect(in_the_end(lambda: alarms(world) and letters(world)), "it is not told: %s" % world.tracker.ask("why").text)
    told = alarms(world)
    expect([one["alarm"] for one in told] == ["braking"], "told as %s" % told)
    expect(0.4 < told[0]["g"] < 0.5, "with %s g" % told[0]["g"])
    expect(begun + 5 <= told[0]["tst"] <= begun + 7, "%s s after the beginning" % (told[0]["tst"] - begun - 5))
    expect(letters(world) == [("h", 0)], "the letters are %s" % letters(world))


@claim("by one position a second nothing is told, and the doctor says why", harshDriving=True)
def slow(world):
    world.start()
    feed(world, stop(world, 1, 4.5))
    expect(in_the_end(lambda: (world.tracker.status().get("harshDriving") or {}).get("tooSlow")), "it is not noticed")
    expect(stays(lambda: not alarms(world), 1), "told all the same: %s" % alarms(world))
    expect(world.tracker.ask("why").text.count("harshDriving needs 5 positions a second") == 1, "it is not said")
    expect("harshDriving needs 5" in world.tracker.ask("doctor", "--file", world.tracker.configuration).text,
           "the doctor does not say it")


if __name__ == "__main__":
    main()
