#!/usr/bin/env python3
# takes: 70 s
# busy
# touches: Sources/Uplink Sources/CMosquitto Sources/CPacketGate Sources/OwnTracks Sources/Storage
# touches: Sources/Core/Control Sources/Core/Outbox Sources/Core/Reasons Sources/Core/Reporting Sources/Host Sources/Loop
# touches: Sources/Timebase Sources/CLinux Sources/homewardd Tests/Programs/hostile Tests/Programs/faults/ledger.py
# touches: Tests/Programs/world Tests/Programs/shims
# behaviour: Friends
"""Floods of friends' messages: within 32 MB, the tracker lives on, and its own positions come through."""
import sys

sys.path.insert(1, sys.path[0] + "/../world")
import attacks
import memory
from world import claim, main


@claim("2500 cards with faces and a card that takes 100 ms to write", **memory.at(4))
def faces(world):
    attacks.hold(memory.cards(world))


@claim("positions of others at QoS 1 as fast as they go for 8 s", **memory.at(4))
def qos1(world):
    attacks.hold(memory.qos1(world))


@claim("60,000 messages at QoS 2 that are never released", has_broker=False, **memory.at(4))
def qos2(world):
    attacks.hold(memory.qos2(world))


if __name__ == "__main__":
    main()
