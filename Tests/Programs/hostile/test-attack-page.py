#!/usr/bin/env python3
# takes: 20 s
# touches: Sources/Web Sources/homeward-web Sources/Access Sources/Answers Sources/OwnTracks Sources/CMicroHTTPD
# touches: Sources/CSodium Sources/CSQLite Sources/CZlib Sources/Host/Control Sources/homeward/Web Sources/homeward/Sharing
# touches: Sources/Loop Sources/Timebase Sources/CLinux Sources/homewardd Tests/Programs/hostile
# touches: Tests/Programs/world Tests/Programs/shims
"""Rubbish for the page's server: the short form of Tests/Programs/hostile/kinds/rubbish.py."""
import sys

sys.path.insert(1, sys.path[0] + "/../world")
import attacks
import rubbish
from world import claim, main


@claim("who is not known is told nothing, whatever he asks for", **rubbish.WORLD)
def strangers(world):
    attacks.hold(rubbish.thrown(world, seconds=12))


@claim("somebody who is known cannot end it", **rubbish.WORLD)
def known(world):
    attacks.hold(rubbish.thrown(world, seconds=12, is_known=True))


if __name__ == "__main__":
    main()
