#!/usr/bin/env python3
"""A few of the faults that Tests/Faults/run makes by the hundred: restarts."""
import os
import random
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "Faults"))

import restarts  # noqa: E402
from world import claim, expect, main  # noqa: E402


@claim("the broker and gpsd restarted at random: every crossing once, in order", **restarts.WORLD)
def few(world):
    seed = random.randrange(1 << 30)
    print("# seed %d" % seed)
    result = restarts.run(world, 4, seed)
    expect(not result["problems"], "%s (seed %d)" % ("; ".join(result["problems"]), seed))
    expect(result["crossings"] >= 2 and result["owed"] > 20, "too little happened: %s" % result)


if __name__ == "__main__":
    main()
