#!/usr/bin/env python3
# takes: 40 s
# busy
# touches: Sources/Uplink Sources/CMosquitto Sources/CPacketGate Sources/OwnTracks Sources/Storage
# touches: Sources/Core/Control Sources/Core/Outbox Sources/Core/Reasons Sources/Core/Reporting Sources/Host Sources/Loop
# touches: Sources/Timebase Sources/CLinux Sources/homewardd Tests/Programs/hostile Tests/Programs/faults/ledger.py
# touches: Tests/Programs/world Tests/Programs/shims
# behaviour: The owner's program
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
