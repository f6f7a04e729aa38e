#!/usr/bin/env python3
# takes: 10 s
# behaviour: Clock
"""In the cage for boards without Bluetooth the tracker works, and knows by systemd-timesyncd that the clock is right."""
import os
import sys
import time

sys.path.insert(1, sys.path[0] + "/../world")
from tracker import HERE, shim
from world import claim, expect, main

CAGE = (sys.executable, os.path.join(HERE, "cage.py"))


def start(world, age):
    """`age`: seconds since systemd-timesyncd has put the clock right; None: never."""
    stamp = os.path.join(world.folder, "synchronized")
    if age is not None:
        with open(stamp, "w"):
            pass
        os.utime(stamp, (time.time() - age,) * 2)
    world.tracker.start(CAGE, {"LD_PRELOAD": shim("timesync_stamp", world.folder), "TIMESYNC_STAMP": stamp})


def is_trusted(world):
    status = world.tracker.wait_for_status(lambda status: True)
    return status["clock"]["trusted"]


@claim("positions arrive, and nothing is logged over and over")
def works(world):
    start(world, None)
    world.warm_up()
    world.wait_for_locations(world.feed(world.drive(20)))
    lines = [line for line in world.tracker.log().splitlines() if "warning" in line or "error" in line]
    expect(len(lines) <= 2, "journal %s" % lines)


@claim("the clock is right while systemd-timesyncd has put it right within nine hours", has_gpsd=False)
def clock(world):
    for age, truth in ((None, False), (10, True), (31900, True), (33000, False), (-60, False)):
        start(world, age)
        expect(is_trusted(world) is truth, "%s s after it: trusted %s" % (age, not truth))
        world.tracker.kill()


if __name__ == "__main__":
    main()
