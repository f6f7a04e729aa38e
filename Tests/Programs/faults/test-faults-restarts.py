#!/usr/bin/env python3
# takes: 20 s
"""A few of the faults that Tests/Programs/faults/run makes by the hundred: restarts."""
import sys

sys.path.insert(1, sys.path[0] + "/../world")
import faults
import restarts
from world import claim, main


@claim("the broker and gpsd restarted at random: every crossing once, in order", **restarts.WORLD)
def few(world):
    faults.few(world, restarts, 4)


if __name__ == "__main__":
    main()
