#!/usr/bin/env python3
# takes: 40 s
# behaviour: History
"""kill -9, as a power cut does it: what is left of the own track."""
import os
import sys
import threading

sys.path.insert(1, sys.path[0] + "/../world")
from waiting import in_the_end
from world import claim, expect, main

DELAY = 60  # seconds that a point waits for company on its way to the disk
# How many times as fast the tracker lives.
PACE = 6


def _kept(world):
    return [point["tst"] for point in world.tracker.ask("history", "--json").json()["history"]]


def _cut(world):
    """The track as the next start finds it."""
    world.tracker.kill()
    world.tracker.start()
    expect(in_the_end(lambda: world.tracker.status() is not None), "it does not come up again")
    return _kept(world)


def _expect_all(kept, sent):
    lost = set(sent) - set(kept)
    expect(not lost, "%d of %d points are lost" % (len(lost), len(set(sent))))
    expect(len(kept) == len(set(kept)), "points are there twice")


@claim("of a track that waits for the broker a power cut takes the last second at most", has_proxy=True)
def waiting(world):
    world.start()
    world.cut_off()
    sent = world.feed(world.drive(60))
    expect(world.stored(max(sent)), "what waits does not come to the disk")
    _expect_all(_cut(world), sent)


@claim("of a track that is delivered at once it takes the last minute at most, for one small write a minute",
       pace=PACE)
def delivered(world):
    world.start()
    writes = _Writes(os.path.join(world.tracker.state, "store.log"))
    # As fast as a receiver goes: a second's delay would be some 20 writes.
    sent = world.feed(world.drive(40), hz=1.0 * PACE)
    world.wait_for_locations(sent)
    world.lasts(DELAY + 2)
    count = writes.stop()
    expect(1 <= count <= 8, "%d writes for %d points in a minute" % (count, len(sent)))
    _expect_all(_cut(world), sent)


@claim("of a track that goes nowhere it takes the last minute at most", port=0, pace=PACE)
def recorded(world):
    world.tracker.start()
    world.settle()
    sent = world.feed(world.drive(60))
    expect(in_the_end(lambda: (world.tracker.status() or {}).get("fix", {}).get("tst") == max(sent)),
           "the drive did not come through")
    world.lasts(DELAY + 2)
    _expect_all(_cut(world), sent)


class _Writes(threading.Thread):
    """Counts how often a file is written until it is stopped; writes within 50 ms are one."""

    def __init__(self, path):
        super().__init__(daemon=True)
        self.path, self.ended = path, threading.Event()
        self.times = {self._time()}
        self.start()

    def _time(self):
        return os.stat(self.path).st_mtime_ns

    def run(self):
        while not self.ended.wait(0.05):
            self.times.add(self._time())

    def stop(self):
        self.ended.set()
        self.join()
        return len(self.times) - 1


if __name__ == "__main__":
    main()
