#!/usr/bin/env python3
# takes: 20 s
# behaviour: Life and memory
"""A few of the faults that Tests/Programs/faults/run makes by the hundred: stops."""
import sys

sys.path.insert(1, sys.path[0] + "/../world")
import faults
import stops
from world import claim, main


@claim("stopped for seconds: the watchdog would notice, and nothing is lost", **stops.WORLD)
def few(world):
    faults.few(world, stops, 3)


if __name__ == "__main__":
    main()
