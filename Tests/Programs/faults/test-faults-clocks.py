#!/usr/bin/env python3
# takes: 20 s
# behaviour: Clock
"""A few of the faults that Tests/Programs/faults/run makes by the hundred: clocks."""
import sys

sys.path.insert(1, sys.path[0] + "/../world")
import faults
import clocks
from world import claim, main


@claim("the system's clock jumps by years, trusted and not: times are the receiver's, nothing is lost", **clocks.WORLD)
def few(world):
    faults.few(world, clocks, 8)


if __name__ == "__main__":
    main()
