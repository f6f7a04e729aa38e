#!/usr/bin/env python3
# takes: 150 s
"""What the daemon takes from the board. The limits here are half as much again as what is promised, so
that they hold on other machines; Tests/Instruments/Bench/run shows the real numbers."""
import json
import os
import socket
import sys
import time

sys.path.insert(1, sys.path[0] + "/../world")
from tracker import effort_over
from world import claim, expect, main

PROMISED = {"Private_Dirty": 1300, "Rss": 11000}


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


@claim("memory, idle and after 200 positions")
def sizes(world):
    world.tracker.start()
    world.tracker.wait_for_status(lambda status: status["connection"]["state"] == "connected")
    time.sleep(3)
    idle = world.tracker.memory()
    world.warm_up()
    world.wait_for_locations(world.feed(world.drive(200), hz=20))
    busy = world.tracker.memory()
    for name, limit in PROMISED.items():
        print("# %s: %d kB idle, %d kB after 200 positions; promised %d idle" % (
            name, idle[name], busy[name], limit))
        expect(idle[name] <= limit * 1.5, "%s %d kB idle" % (name, idle[name]))
        expect(busy[name] <= limit * 1.5 + 500, "%s %d kB after 200 positions" % (name, busy[name]))


def ask(world, *words):
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(10)
        line.connect(world.tracker.socket)
        line.sendall(json.dumps(words).encode() + b"\n")
        while line.recv(65536):
            pass


@claim("what a burst of questions has grown is given back within a minute", seconds=900)
def answers(world):
    world.start()
    world.feed(world.drive(400), hz=40)
    ask(world, "status")
    time.sleep(35)
    before = world.tracker.memory()["Private_Dirty"]
    for _ in range(5):
        for words in (["why"], ["history"], ["friends"], ["region", "list"], ["queue"], ["settings", "show"]):
            ask(world, *words)
    during = world.tracker.memory()["Private_Dirty"]
    time.sleep(20)
    _, waking = effort_over(world.tracker.pid, 20)
    time.sleep(15)
    after = world.tracker.memory()["Private_Dirty"]
    # What is written to the disk just then counts as well, once: what goes on is in each of these spans.
    idle = min(effort_over(world.tracker.pid, 10)[1] for _ in range(3))
    print("# Private_Dirty: %d kB before, %d after the questions, %d a minute later; %.2f and %.2f wake-ups a second" % (
        before, during, after, waking, idle))
    expect(after - before <= 32, "%d kB are kept" % (after - before))
    expect(idle <= 1.5, "%.2f wake-ups a second afterwards" % idle)


@claim("memory stays where it is over 2000 positions out of coverage", has_proxy=True, seconds=2300)
def growth(world):
    world.start()
    world.proxy.cut("refuse")
    world.feed(world.drive(200), hz=60)
    before = world.tracker.memory()["Private_Dirty"]
    world.feed(world.drive(2000), hz=100)
    grown = world.tracker.memory()["Private_Dirty"] - before
    expect(grown < 1024, "%d kB more" % grown)


@claim("wake-ups: one a second with gpsd silent, four with a fix a second")
def wakeups(world):
    world.start()
    time.sleep(3)
    cpu, idle = effort_over(world.tracker.pid, 15)
    feeder = world.feeding(world.stand(17), hz=1)
    time.sleep(1)
    _, busy = effort_over(world.tracker.pid, 15)
    feeder.join()
    print("# wake-ups a second: %.2f idle, %.2f with a fix a second" % (idle, busy))
    expect(idle <= 1.5, "%.2f wake-ups a second, idle" % idle)
    expect(busy <= 6, "%.2f wake-ups a second at a fix a second" % busy)
    expect(cpu < 0.005, "%.1f ms CPU a second, idle" % (cpu * 1000))


if __name__ == "__main__":
    main()
