#!/usr/bin/env python3
# takes: 190 s
"""kill -9, as a power cut does it: what is left of the own track."""
import sys
import time

sys.path.insert(1, sys.path[0] + "/../world")
from servers import poll
from world import claim, expect, main

DELAY = 60  # seconds that a point waits for company on its way to the disk


def _kept(world):
    return [point["tst"] for point in world.tracker.ask("history", "--json").json()["history"]]


def _cut(world):
    """The track as the next start finds it."""
    world.tracker.kill()
    world.tracker.start()
    expect(poll(lambda: world.tracker.status() is not None, 20), "it does not come up again")
    return _kept(world)


def _expect_all(kept, sent):
    lost = set(sent) - set(kept)
    expect(not lost, "%d of %d points are lost" % (len(lost), len(set(sent))))
    expect(len(kept) == len(set(kept)), "points are there twice")


@claim("of a track that waits for the broker a power cut takes the last second at most", has_proxy=True)
def waiting(world):
    world.start()
    world.proxy.cut("refuse")
    time.sleep(0.5)
    sent = world.feed(world.drive(60))
    time.sleep(1.5)
    _expect_all(_cut(world), sent)


@claim("of a track that is delivered at once it takes the last minute at most, for one small write a minute")
def delivered(world):
    world.start()
    time.sleep(DELAY + 2)
    before = _written(world)
    sent = world.feed(world.drive(60))
    world.wait_for_locations(sent)
    time.sleep(DELAY + 2)
    grown = _written(world) - before
    expect(grown < 64 * 1024, "%d kB written for 60 points in a minute" % (grown // 1024))
    _expect_all(_cut(world), sent)


@claim("of a track that goes nowhere it takes the last minute at most", port=0)
def recorded(world):
    world.tracker.start()
    world.settle()
    sent = world.feed(world.drive(60))
    expect(poll(lambda: (world.tracker.status() or {}).get("fix", {}).get("tst") == max(sent), 10),
           "the drive did not come through")
    time.sleep(DELAY + 2)
    _expect_all(_cut(world), sent)


def _written(world):
    """Bytes that the daemon has given to write(2), by the kernel's account."""
    with open("/proc/%d/io" % world.tracker.pid) as file:
        return int(dict(line.split(": ") for line in file.read().splitlines())["write_bytes"])


if __name__ == "__main__":
    main()
