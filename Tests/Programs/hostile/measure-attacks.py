#!/usr/bin/env python3
# takes: 90 s
"""How soon the owner's own comes through while friends flood, and a fast receiver's first position."""
import sys

sys.path.insert(1, sys.path[0] + "/../world")
import attacks  # noqa: F401 (finds the others)
import fast
import own
from figures import figure
from world import claim, expect, main

# Seconds: from the fix that decided to the broker, an answer, a tag, an end.
PROMISED = {"crossing": 2.0, "status": 1.0, "tag": 2.0, "end": 5.0}


def measure_own(world, level):
    result = own.flooded(world)
    expect(not result["problems"], "; ".join(result["problems"]))
    figure("a crossing before the flood, at %d" % level, result["quiet"], "s", 0.1)
    for name, promised in PROMISED.items():
        figure("%s under 5000 messages a second, at %d" % (name, level), result[name], "s", promised)


@claim("under a flood, at 3.1.1", **own.at(4))
def flooded4(world):
    measure_own(world, 4)


@claim("under a flood, at 5", **own.at(5))
def flooded5(world):
    measure_own(world, 5)


@claim("a receiver of 25 Hz on a board whose clock nobody has set", **fast.WORLD)
def hz25(world):
    figure("first position of a receiver of 25 Hz", fast.pretended(world, 25)["first"], "s", 5)


@claim("a receiver of 100 Hz", **fast.WORLD)
def hz100(world):
    figure("first position of a receiver of 100 Hz", fast.pretended(world, 100)["first"], "s", 5)


if __name__ == "__main__":
    main()
