#!/usr/bin/env python3
"""A few of the kills that Tests/Faults/run makes by the thousand."""
import os
import random
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "Faults"))

import kills  # noqa: E402
from car import GATE  # noqa: E402
from nmea import stand  # noqa: E402
from servers import poll  # noqa: E402
from world import claim, expect, main  # noqa: E402


@claim("kill -9 at random instants: every crossing once, positions but for the last second, in order", **kills.WORLD)
def kill(world):
    seed = random.randrange(1 << 30)
    print("# seed %d" % seed)
    result = kills.run(world, 20, seed)
    expect(not result["problems"], "%s (seed %d)" % ("; ".join(result["problems"]), seed))
    expect(result["crossings"] >= 4 and result["owed"] > 20, "too little happened: %s" % result)


@claim("killed as soon as it knew to be outside, started inside: the entering is told", waypoints=kills.REGION)
def first(world):
    world.start()
    world.tracker.kill()
    world.tracker.start()
    world.feed(stand(30, GATE))
    expect(poll(world.crossings, 10), "what it had learnt before the kill is forgotten")
    expect(world.crossings() == [("enter", "Gate")], "crossings %s" % world.crossings())


if __name__ == "__main__":
    main()
