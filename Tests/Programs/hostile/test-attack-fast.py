#!/usr/bin/env python3
# takes: 10 s
# touches: Sources/Receiver Sources/CGPS Sources/Core/Positions Sources/Core/Tracker Sources/Core/Reasons Sources/Core/Reporting
# touches: Sources/Loop Sources/Timebase Sources/CLinux Sources/homewardd Tests/Programs/hostile
# touches: Tests/Programs/world Tests/Programs/shims
"""A receiver of up to 100 Hz is believed after its three seconds, also where nobody has set the clock."""
import sys

sys.path.insert(1, sys.path[0] + "/../world")
import attacks
import fast
from world import claim, main


@claim("reports 25 times a second", **fast.WORLD)
def hz25(world):
    attacks.hold(fast.pretended(world, 25))


@claim("reports 100 times a second", **fast.WORLD)
def hz100(world):
    attacks.hold(fast.pretended(world, 100))


@claim("the real gpsd with a receiver of 25 Hz", **fast.WORLD)
def real25(world):
    attacks.hold(fast.real(world, 25))


if __name__ == "__main__":
    main()
