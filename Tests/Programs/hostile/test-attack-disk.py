#!/usr/bin/env python3
# takes: 320 s
# limit: 1920 s
# touches: Sources/Uplink Sources/CMosquitto Sources/CPacketGate Sources/OwnTracks Sources/Storage
# touches: Sources/Core/Control Sources/Core/Outbox Sources/Core/Reasons Sources/Core/Reporting Sources/Host Sources/Loop
# touches: Sources/Timebase Sources/CLinux Sources/homewardd Tests/Programs/hostile Tests/Programs/faults/ledger.py
# touches: Tests/Programs/world Tests/Programs/shims Sources/CSQLite
# behaviour: A disk that fails, fills or lies
"""Friends keep within 8 MB of the disk; what waits for the broker survives, and a full disk heals."""
import sys

sys.path.insert(1, sys.path[0] + "/../world")
import attacks
import disk
from world import claim, main


@claim("300 MB of initials with accents without end", **disk.WORLD)
def tids(world):
    attacks.hold(disk.budget(world))


@claim("300 MB of faces", **disk.WORLD)
def cards(world):
    attacks.hold(disk.budget(world, "card", size=100_000))


@claim("100 MB of small faces, each within what a packet may be", **disk.WORLD)
def small(world):
    attacks.hold(disk.budget(world, "card", megabytes=100, size=10_000))


@claim("friends have 40 MB to fill: what waits survives kill -9", **disk.WORLD)
def crowded(world):
    attacks.hold(disk.crowded(world))


@claim("friends have 3 MB to fill, less than they may have: they give way", **disk.WORLD)
def narrow(world):
    attacks.hold(disk.crowded(world, taken=37))


@claim("a file fills 40 MB: what waits survives kill -9, and room again heals within 2 minutes", **disk.WORLD)
def filled(world):
    attacks.hold(disk.filled(world))


@claim("the disk is full at the start: with room again the same process goes on, kill -9 costs nothing",
       **dict(disk.WORLD, odometer=True))
def late(world):
    attacks.hold(disk.late(world))


@claim("the same where there is first too little room for all that waits", **dict(disk.WORLD, odometer=True))
def tight(world):
    attacks.hold(disk.late(world, tight=500))


@claim("on a full disk nobody hears done of what a kill would undo", **disk.WORLD)
def answered(world):
    attacks.hold(disk.answered(world))


if __name__ == "__main__":
    main()
