#!/usr/bin/env python3
# takes: 80 s
# limit: 200 s
# busy
"""A thousand friends' crossings a second: the owner's program runs for the owner's, the journal stays short."""
import sys

sys.path.insert(1, sys.path[0] + "/../world")
import attacks
import events
import own
from world import claim, main


@claim("onEvent runs for both own crossings and the journal takes ten lines, at 3.1.1", **own.at(4))
def crossings4(world):
    attacks.hold(events.crossings(world))


@claim("onEvent runs for both own crossings and the journal takes ten lines, at 5", **own.at(5))
def crossings5(world):
    attacks.hold(events.crossings(world))


if __name__ == "__main__":
    main()
