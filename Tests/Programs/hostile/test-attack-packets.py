#!/usr/bin/env python3
# takes: 110 s
# touches: Sources/Uplink Sources/CMosquitto Sources/CPacketGate Sources/OwnTracks Sources/Storage
# touches: Sources/Core/Control Sources/Core/Outbox Sources/Core/Reasons Sources/Core/Reporting Sources/Host Sources/Loop
# touches: Sources/Timebase Sources/CLinux Sources/homewardd Tests/Programs/hostile Tests/Programs/faults/ledger.py
# touches: Tests/Programs/world Tests/Programs/shims
# behaviour: Subscribing and receiving
"""Packets larger than anybody needs: within 32 MB, the tracker lives on, and its own positions come through."""
import sys

sys.path.insert(1, sys.path[0] + "/../world")
import attacks
import memory
from world import claim, main


@claim("packets of 1, 30 and 60 MB kept on friends' topics, at 3.1.1", **memory.at(4))
def cards4(world):
    attacks.hold(memory.retained(world))


@claim("packets of 1, 30 and 60 MB kept on friends' topics, at 5", **memory.at(5))
def cards5(world):
    attacks.hold(memory.retained(world))


@claim("a packet of 60 MB kept on the own topic of commands, at 3.1.1", **memory.at(4))
def own4(world):
    attacks.hold(memory.retained(world, "cmd", sizes=[60]))


@claim("a packet of 60 MB kept on the own topic of commands, at 5", **memory.at(5))
def own5(world):
    attacks.hold(memory.retained(world, "cmd", sizes=[60]))


@claim("a broker sends 100 MB although less was agreed, at 5", has_broker=False, **memory.at(5))
def oversize(world):
    attacks.hold(memory.oversize(world))


@claim("a broker sends 100 MB through TLS, at 3.1.1", has_broker=False, **memory.at(4))
def oversize_tls4(world):
    attacks.hold(memory.oversize(world, has_tls=True))


@claim("a broker sends 100 MB through TLS although less was agreed, at 5", has_broker=False, **memory.at(5))
def oversize_tls5(world):
    attacks.hold(memory.oversize(world, has_tls=True))


if __name__ == "__main__":
    main()
