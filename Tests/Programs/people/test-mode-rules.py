#!/usr/bin/env python3
# takes: 10 s
# behaviour: Mode by network and by time
"""The mode follows the time of day where the board is, by the clocks of its zone."""
import os
import sys
import time

sys.path.insert(1, sys.path[0] + "/../world")
from tracker import shim
from waiting import in_the_end, stays
from world import claim, expect, main

NOON = 12 * 3600


def start(world, at):
    """The tracker in a zone where it is this second of the day now: the moment of noon there."""
    now = int(time.time())
    east = (at - now) % 86400
    if east > 43200:
        east -= 86400
    sign = "-" if east >= 0 else "+"
    zone = "TST%s%d:%02d:%02d" % (sign, abs(east) // 3600, abs(east) // 60 % 60, abs(east) % 60)
    clock = shim("kernel_clock", world.folder)
    world.tracker.start(env={"LD_PRELOAD": clock, "CLOCK_IS": "synchronised", "TZ": zone})
    expect(in_the_end(lambda: mode(world) is not None), "it does not come up: %s" % world.tracker.log()[-500:])
    return now + NOON - at


def mode(world):
    status = world.tracker.status()
    return status and status["mode"]


def reasons(world):
    return [one["word"] for one in world.tracker.ask("why", "--json").json()["reasons"]]


@claim("at the minute where times begin the mode is theirs, and after a kill it is not set once more",
       timeModes=["12:00-13:00|1|2"], has_gpsd=False)
def begin(world):
    for lead in (6, 20, 60):
        noon = start(world, NOON - lead)
        found = mode(world)
        if time.time() < noon:
            break
        # It took the machine so long that there was nothing to see.
        world.tracker.stop()
        for name in os.listdir(world.tracker.state):
            os.remove(os.path.join(world.tracker.state, name))
    expect(found == "move", "before the edge it is %s" % found)
    is_set = lambda: mode(world) == "significant"
    expect(in_the_end(is_set, seconds=lead + 60, every=0.05), "noon passed: %s" % mode(world))
    expect(time.time() >= noon - 0.1, "%.1f s early" % (noon - time.time()))
    expect(reasons(world) == ["modeByTime"], "why: %s" % reasons(world))
    expect(world.tracker.ask("mode", "move").status == 0, "no mode")
    before = reasons(world)
    world.tracker.kill()
    start(world, NOON + 1800)
    is_left = stays(lambda: mode(world) == "move" and reasons(world) == before, 1)
    expect(is_left, "after a kill: %s, %s" % (mode(world), reasons(world)))
    world.tracker.stop()
    start(world, NOON + 7200)
    is_told = in_the_end(lambda: reasons(world) == before + ["modeByTime"])
    expect(is_told, "what ended while it was off: %s" % reasons(world))


@claim("new times count at once, in the middle and when they are taken out; a bad one changes nothing",
       has_gpsd=False)
def reload(world):
    start(world, NOON + 1800)
    world.tracker.configure(timeModes=["12:00-13:00|0|1"])
    expect(world.tracker.ask("reload").status == 0, "no reload")
    expect(in_the_end(lambda: mode(world) == "manual"), "with the times it is %s" % mode(world))
    world.tracker.configure(timeModes=["12:00-13:00|2|", "12:00-24:30|0|1"])
    answer = world.tracker.ask("reload")
    expect(answer.status != 0 and 'timeModes is "12:00-24:30|0|1", expected' in answer.error + answer.text,
           "taken: %s %s" % (answer.text, answer.error))
    expect(mode(world) == "manual", "the bad list made it %s" % mode(world))
    world.tracker.configure(timeModes=None)
    expect(world.tracker.ask("reload").status == 0, "no reload")
    expect(in_the_end(lambda: mode(world) == "significant"), "without the times it is %s" % mode(world))


if __name__ == "__main__":
    main()
