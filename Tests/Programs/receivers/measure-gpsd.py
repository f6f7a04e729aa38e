#!/usr/bin/env python3
# takes: 20 s
"""What the daemon does while gpsd is absent, gone or hangs: next to nothing."""
import os
import signal
import sys
import time

sys.path.insert(1, sys.path[0] + "/../world")
from figures import figure
from tracker import effort_over
from world import claim, main


def look(world, what, seconds=6):
    time.sleep(2)
    share, sleeps = effort_over(world.tracker.pid, seconds)
    figure("processor, gpsd %s" % what, share * 100, "per cent", 2)
    figure("wake-ups, gpsd %s" % what, sleeps, "a second", 10)


@claim("gpsd is absent", has_gpsd=False)
def absent(world):
    world.tracker.start()
    look(world, "absent")


@claim("gpsd is killed and stays away")
def killed(world):
    world.start()
    world.gpsd.kill()
    look(world, "killed")


@claim("gpsd hangs")
def hung(world):
    world.start()
    os.kill(world.gpsd.pid, signal.SIGSTOP)
    look(world, "hung")
    os.kill(world.gpsd.pid, signal.SIGCONT)


if __name__ == "__main__":
    main()
