#!/usr/bin/env python3
# takes: 60 s
# limit: 1300 s
"""What beacons cost and how soon they are told, in a guest whose processor is as slow as a small board's."""
import sys

import guests

if __name__ == "__main__":
    sys.exit(guests.main([["cost"]]))
