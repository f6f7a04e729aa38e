#!/usr/bin/env python3
# takes: 150 s
# limit: 1300 s
# alone
"""iBeacons through a real kernel's Bluetooth stack: starts guests that run the claims beside this.

    Tests/Programs/radio/test-bluetooth.py [FILE[:CLAIM]]...    those whose names contain it
"""
import sys

import guests

# Each group has a guest. They take about as long, and wait for nothing: see machine.py.
GROUPS = (("stack", "regions", "faults", "recovery"), ("makes", "neighbours", "crowd", "people"))

if __name__ == "__main__":
    sys.exit(guests.main(GROUPS))
