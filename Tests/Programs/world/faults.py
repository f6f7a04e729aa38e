"""What the short forms of Tests/Programs/faults have in common: import it before a module from there."""
import os
import random
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../faults"))

from world import expect  # noqa: E402


def few(world, kind, times, crossings=2):
    """So many faults of this kind by a seed of the day, which is said; and enough has to have happened meanwhile."""
    seed = random.randrange(1 << 30)
    print("# seed %d" % seed)
    result = kind.run(world, times, seed)
    expect(not result["problems"], "%s (seed %d)" % ("; ".join(result["problems"]), seed))
    expect(result["crossings"] >= crossings and result["owed"] > 10, "too little happened: %s" % result)
