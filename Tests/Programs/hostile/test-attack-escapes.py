#!/usr/bin/env python3
# takes: 10 s
"""Nothing from outside reaches a terminal or the journal with control characters."""
import sys

sys.path.insert(1, sys.path[0] + "/../world")
import attacks
import escapes
from world import claim, main


@claim("no command and no line of the journal shows them as they are", **escapes.WORLD)
def everywhere(world):
    attacks.hold(escapes.everywhere(world))


if __name__ == "__main__":
    main()
