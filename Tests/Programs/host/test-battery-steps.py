#!/usr/bin/env python3
# takes: 150 s
# behaviour: Battery steps
"""A battery that runs down takes the receiver away, step by step, and a person may have it look once."""
import os
import sys
import time

sys.path.insert(1, sys.path[0] + "/../world")
from waiting import in_the_end
from world import claim, expect, main


def write(path, text):
    with open(path + ".new", "w") as file:
        file.write(text)
    os.rename(path + ".new", path)


def step(world):
    return (world.tracker.status() or {}).get("batteryStep")


def cause(world):
    return (world.tracker.status() or {}).get("gps", {}).get("cause")


@claim("at beacons the receiver is off but for looks that are asked for, and a charger ends that", seconds=900)
def beacons(world):
    path = os.path.join(world.folder, "battery")
    write(path, "20 Discharging\n")
    world.tracker.configure(
        batterySource="file:" + path, batterySteps=["receiver|40%", "beacons|25%"], monitoring=1, availability=True)
    world.start()
    fed = time.monotonic()
    expect(step(world) == "none", "it steps down at once")
    expect(in_the_end(lambda: step(world) == "beacons", seconds=120), "no step after a minute")
    expect(in_the_end(lambda: cause(world) == "the receiver rests"), "the receiver is on: %s" % cause(world))
    expect(in_the_end(lambda: world.locations()[-1].get("t") == "9"), "not told: %s" % world.locations()[-1])
    expect(world.locations()[-1]["batteryStep"] == "beacons", "the message has no step")
    expect("step beacons" in world.tracker.ask("status").text, "homeward status does not say so")
    expect("battery step beacons" in world.tracker.ask("why").text, "homeward why does not say so")
    before = len(world.locations())
    text = world.tracker.ask("publish").text
    expect("the receiver is woken for one look" in text, "publish says %s" % text)
    # As much as has passed: the receiver's time is the only one that is believed.
    world.clock += round(time.monotonic() - fed)
    world.feed(world.stand(5))
    expect(in_the_end(lambda: len(world.locations()) >= before + 2), "no place of the look")
    expect(in_the_end(lambda: cause(world) == "the receiver rests"), "it goes on looking")
    write(path, "20 Charging\n")
    expect(in_the_end(lambda: step(world) == "none", seconds=120), "a charger ends nothing")
    expect(cause(world) != "the receiver rests", "the receiver is still off")
    expect(in_the_end(lambda: world.locations()[-1].get("batteryStep") == "none"), "the end is not told")


if __name__ == "__main__":
    main()
