"""What the short forms of Tests/Programs/hostile have in common: import it before a module from there."""
import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../hostile/kinds"))

from world import expect  # noqa: E402


def hold(result):
    """Shows the figures; the tracker has to have held."""
    print("# " + ", ".join("%s %s" % (name, value) for name, value in result.items() if name != "problems"), flush=True)
    expect(not result["problems"], "; ".join(result["problems"]))
