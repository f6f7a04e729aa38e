#!/usr/bin/env python3
# takes: 150 s
# limit: 1300 s
# alone
# touches: Sources/Radio Sources/CBlueZ Sources/Host Sources/Core/Beacons Sources/Core/Regions Sources/Core/Settings
# touches: Sources/Model/Observations Sources/homeward/Beacons Sources/homeward/Doctor Sources/Loop Sources/Timebase
# touches: Sources/CLinux Sources/homewardd board/homeward.service board/homeward-radio board/homeward-radio.path
# touches: board/homeward-radio.service Tests/Programs/radio Tests/Instruments/VM Tests/Programs/world
# touches: Tests/Programs/shims
# behaviour: Enter and leave
# behaviour: A radio that falls silent
"""iBeacons through a real kernel's Bluetooth stack: starts guests that run the claims beside this.

    Tests/Programs/radio/test-bluetooth.py [FILE[:CLAIM]]...    those whose names contain it
"""
import sys

import guests

# Each group has a guest. They take about as long, and wait for nothing: see machine.py.
GROUPS = (("stack", "regions", "faults", "recovery"), ("makes", "neighbours", "crowd", "people"))

if __name__ == "__main__":
    sys.exit(guests.main(GROUPS))
