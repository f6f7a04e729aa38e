#!/usr/bin/env python3
# takes: 40 s
"""A few of the faults that Tests/Programs/faults/run makes by the hundred: the network."""
import sys

sys.path.insert(1, sys.path[0] + "/../world")
import faults
import network
from world import claim, main


@claim("loss, delay, spikes of 8 s and black holes between namespaces: all arrives, in order", **network.WORLD)
def few(world):
    faults.few(world, network, 4)


if __name__ == "__main__":
    main()
