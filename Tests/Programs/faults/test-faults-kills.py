#!/usr/bin/env python3
# takes: 40 s
# behaviour: What is durable when
"""A few of the kills that Tests/Programs/faults/run makes by the thousand."""
import sys

sys.path.insert(1, sys.path[0] + "/../world")
import faults
import kills
from car import GATE
from nmea import stand
from waiting import in_the_end
from world import claim, expect, main


@claim("kill -9 at random instants: every crossing once, positions but for the last second, in order", **kills.WORLD)
def kill(world):
    # Most of a short life is its last second, of which nothing is owed: thirty, or one draw has too little.
    faults.few(world, kills, 30, crossings=4)


@claim("killed as soon as it knew to be outside, started inside: the entering is told", waypoints=kills.REGION)
def first(world):
    world.start()
    world.tracker.kill()
    world.tracker.start()
    world.feed(stand(30, GATE))
    expect(in_the_end(world.crossings), "what it had learnt before the kill is forgotten")
    expect(world.crossings() == [("enter", "Gate")], "crossings %s" % world.crossings())


if __name__ == "__main__":
    main()
