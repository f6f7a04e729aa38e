#!/usr/bin/env python3
# takes: 50 s
# touches: Sources/Uplink Sources/CMosquitto Sources/CPacketGate Sources/OwnTracks Sources/Storage
# touches: Sources/Core/Control Sources/Core/Outbox Sources/Core/Reasons Sources/Core/Reporting Sources/Host Sources/Loop
# touches: Sources/Timebase Sources/CLinux Sources/homewardd Tests/Programs/hostile Tests/Programs/faults/ledger.py
# touches: Tests/Programs/world Tests/Programs/shims Sources/CCurl
"""An endpoint that says 404 for a while, or a hotel's page: what was posted to it is not lost."""
import sys

sys.path.insert(1, sys.path[0] + "/../world")
import attacks
import portal
from world import claim, main


@claim("404 for 10 s: nothing is lost", **portal.WORLD)
def missing(world):
    attacks.hold(portal.wrong(world, "404"))


@claim("a captive portal's page with status 200: nothing is lost", **portal.WORLD)
def page(world):
    attacks.hold(portal.wrong(world, "200 with a page"))


@claim("a page that calls itself JSON: nothing is lost", **portal.WORLD)
def disguised(world):
    attacks.hold(portal.wrong(world, "200 with a page that does not say so"))


if __name__ == "__main__":
    main()
