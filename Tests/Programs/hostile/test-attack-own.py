#!/usr/bin/env python3
# takes: 80 s
# busy
# touches: Sources/Uplink Sources/CMosquitto Sources/CPacketGate Sources/OwnTracks Sources/Storage
# touches: Sources/Core/Control Sources/Core/Outbox Sources/Core/Reasons Sources/Core/Reporting Sources/Host Sources/Loop
# touches: Sources/Timebase Sources/CLinux Sources/homewardd Tests/Programs/hostile Tests/Programs/faults/ledger.py
# touches: Tests/Programs/world Tests/Programs/shims
"""Own first: 5000 messages of friends a second and a slow disk hold up nothing of the owner's."""
import sys

sys.path.insert(1, sys.path[0] + "/../world")
import attacks
import own
from world import claim, main


@claim("crossings, answers and the end under a flood, at 3.1.1", **own.at(4))
def flooded4(world):
    attacks.hold(own.flooded(world))


@claim("crossings, answers and the end under a flood, at 5", **own.at(5))
def flooded5(world):
    attacks.hold(own.flooded(world))


if __name__ == "__main__":
    main()
