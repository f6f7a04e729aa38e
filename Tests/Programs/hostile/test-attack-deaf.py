#!/usr/bin/env python3
# takes: 50 s
# touches: Sources/Uplink Sources/CMosquitto Sources/CPacketGate Sources/OwnTracks Sources/Storage
# touches: Sources/Core/Control Sources/Core/Outbox Sources/Core/Reasons Sources/Core/Reporting Sources/Host Sources/Loop
# touches: Sources/Timebase Sources/CLinux Sources/homewardd Tests/Programs/hostile Tests/Programs/faults/ledger.py
# touches: Tests/Programs/world Tests/Programs/shims
# behaviour: Subscribing and receiving
"""Subscribed means that the broker has said so: after any cut the board obeys commands."""
import sys

sys.path.insert(1, sys.path[0] + "/../world")
import attacks
import deaf
from world import claim, main


@claim("cut at ten places of the handshake, at 3.1.1", **deaf.WORLD)
def cuts4(world):
    attacks.hold(deaf.cuts(world, 10, level=4))


@claim("cut at ten places of the handshake, at 5", **deaf.WORLD)
def cuts5(world):
    attacks.hold(deaf.cuts(world, 10, level=5))


@claim("cut where friends are subscribed to as well", **deaf.WORLD)
def friends(world):
    attacks.hold(deaf.cuts(world, 10, friends=True))


@claim("cut again after the broker has forgotten all sessions", **deaf.WORLD)
def later(world):
    attacks.hold(deaf.cuts(world, 10, is_later=True))


@claim("a broker ends the connection over the friends' topics: commands are obeyed, at 3.1.1", **deaf.WORLD)
def forbidden4(world):
    attacks.hold(deaf.forbidden(world, 4))


@claim("a broker ends the connection over the friends' topics: commands are obeyed, at 5", **deaf.WORLD)
def forbidden5(world):
    attacks.hold(deaf.forbidden(world, 5))


if __name__ == "__main__":
    main()
