#!/usr/bin/env python3
# takes: 10 s
"""The daemon is one thread with two workers and listens on no port. What it takes besides is measured."""
import os
import subprocess
import sys

sys.path.insert(1, sys.path[0] + "/../world")
from tracker import DAEMON, ROOT
from world import Skip, claim, expect, main


@claim("one thread and at most two workers")
def threads(world):
    world.start()
    world.feed(world.drive(20))
    expect(world.tracker.threads() <= 3, "%d threads" % world.tracker.threads())


@claim("no port listens")
def ports(world):
    world.start()
    own = set()
    for name in os.listdir("/proc/%d/fd" % world.tracker.pid):
        try:
            own.add(os.readlink("/proc/%d/fd/%s" % (world.tracker.pid, name)))
        except OSError:
            continue
    for table in ("tcp", "tcp6", "udp", "udp6"):
        try:
            with open("/proc/%d/net/%s" % (world.tracker.pid, table)) as file:
                rows = [line.split() for line in file.readlines()[1:]]
        except OSError:
            continue
        for row in rows:
            is_open = row[3] == "0A" if table.startswith("tcp") else row[3] == "07"
            expect(not (is_open and "socket:[%s]" % row[9] in own), "listens on %s %s" % (table, row[1]))


@claim("four fifths of the functions that are to lie side by side are in the program")
def order(_):
    with open(os.path.join(ROOT, "board/link/order")) as file:
        listed = {line.strip() for line in file if not line.startswith("#")}
    table = subprocess.run(["nm", DAEMON], check=True, capture_output=True, text=True).stdout.splitlines()
    if len(table) < 1000:
        raise Skip("the program is stripped")
    gone = listed - {line.split()[-1] for line in table}
    expect(len(listed) > 200 and len(gone) <= len(listed) / 5,
           "%d of %d are gone: make the list anew (Tests/Instruments/Bench/order)" % (len(gone), len(listed)))


if __name__ == "__main__":
    main()
