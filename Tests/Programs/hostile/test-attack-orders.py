#!/usr/bin/env python3
# takes: 50 s
# touches: Sources/Uplink Sources/CMosquitto Sources/CPacketGate Sources/OwnTracks Sources/Storage
# touches: Sources/Core/Control Sources/Core/Outbox Sources/Core/Reasons Sources/Core/Reporting Sources/Host Sources/Loop
# touches: Sources/Timebase Sources/CLinux Sources/homewardd Tests/Programs/hostile Tests/Programs/faults/ledger.py
# touches: Tests/Programs/world Tests/Programs/shims Sources/CJansson Sources/CCurl
# behaviour: What commands do
"""Orders without sense: within 32 MB, and ten lines of the journal a minute at the most."""
import sys

sys.path.insert(1, sys.path[0] + "/../world")
import attacks
import memory
from world import claim, main


@claim("waypoints that are none, commands off", **memory.at(4))
def waypoints_off(world):
    attacks.hold(memory.waypoints(world))


@claim("waypoints that are none, commands on", **memory.at(5, cmd=True, remoteConfiguration=True))
def waypoints_on(world):
    attacks.hold(memory.waypoints(world))


@claim("of one message at most five problems are told", **memory.at(4, cmd=True, remoteConfiguration=True))
def problems(world):
    attacks.hold(memory.one_message(world))


@claim("an endpoint answers with 1 MB of waypoints that are none", has_broker=False, cmd=True)
def http(world):
    attacks.hold(memory.http(world))


if __name__ == "__main__":
    main()
