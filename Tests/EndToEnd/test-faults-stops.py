#!/usr/bin/env python3
"""A few of the faults that Tests/Faults/run makes by the hundred: stops."""
import os
import random
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "Faults"))

import stops  # noqa: E402
from world import claim, expect, main  # noqa: E402


@claim("stopped for seconds: the watchdog would notice, and nothing is lost", **stops.WORLD)
def few(world):
    seed = random.randrange(1 << 30)
    print("# seed %d" % seed)
    result = stops.run(world, 3, seed)
    expect(not result["problems"], "%s (seed %d)" % ("; ".join(result["problems"]), seed))
    expect(result["crossings"] >= 2 and result["owed"] > 20, "too little happened: %s" % result)


if __name__ == "__main__":
    main()
