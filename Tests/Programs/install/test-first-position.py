#!/usr/bin/env python3
# takes: 20 s
"""What install.sh says at its end: that the broker has the first position, or what stands in the way."""
import os
import subprocess
import sys

sys.path.insert(1, sys.path[0] + "/../world")
from tracker import COMMAND_LINE, ROOT
from world import claim, expect, main

SCRIPT = """
say() { printf '%s\\n' "$*"; }
root() { "$@"; }
tool=$1
. "$2/board/first-position"
await_position "$3"
"""


def waited(world, seconds):
    """What the installer says after that start."""
    tool = os.path.join(world.folder, "tool")
    with open(tool, "w") as file:
        file.write("#!/bin/sh\nwhere=; [ $1 != doctor ] || where='--file %s'\nexec %s \"$@\" --socket %s $where\n" % (
            world.tracker.configuration, COMMAND_LINE, world.tracker.socket))
    os.chmod(tool, 0o755)
    done = subprocess.run(["sh", "-euc", SCRIPT, "sh", tool, ROOT, str(seconds)], capture_output=True, text=True,
                          timeout=seconds + 120)
    expect(done.returncode == 0 and not done.stderr, "status %d: %s" % (done.returncode, done.stderr))
    return done.stdout


@claim("the broker has the first position")
def delivered(world):
    world.start()
    text = waited(world, 60)
    expect("the broker has your first position" in text and "doctor" not in text, text)


@claim("there is no position yet")
def blind(world):
    world.tracker.start()
    text = waited(world, 3)
    expect("there is no position yet" in text and "first position. See" not in text, text)
    expect("What stands in the way (homeward doctor):" in text, text)


@claim("the broker is not there: it is named, with what to do")
def no_broker(world):
    world.broker.stop()
    world.tracker.start()
    world.settle()
    text = waited(world, 3)
    expect("the broker has not taken it yet" in text, text)
    expect(any("broker" in line and line.split()[0] in ("fail", "warn") for line in text.splitlines()
               if line.startswith("  ")), text)
    expect("-> " in text, text)


@claim("the tracker does not run")
def silent(world):
    text = waited(world, 2)
    expect("the tracker does not answer yet" in text and "fail" in text, text)


if __name__ == "__main__":
    main()
