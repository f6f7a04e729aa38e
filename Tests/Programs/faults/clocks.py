"""The system's clock jumps by years, is synchronised and is not: messages bear the receiver's time."""
import os
import random
import struct
import time

from ledger import Arrivals
from tracker import effort, shim
from trip import REGION, Trip

WORLD = {"has_proxy": True, "waypoints": REGION}
YEAR = 365.25 * 86_400
# What is played of the receiver's time while the clock is right, at most, seconds.
AHEAD = 120


class Clock:
    """What the daemon takes for the system's clock."""

    def __init__(self, world):
        self._path = os.path.join(world.folder, "clock")
        with open(self._path, "wb") as file:
            file.write(bytes(16))
        self._file = open(self._path, "r+b", buffering=0)
        world._closing.append(self._file.close)
        self.environment = {"LD_PRELOAD": shim("shifted_clock", world.folder), "CLOCK_FILE": self._path}

    def set(self, shift, is_synchronised):
        self._file.seek(0)
        self._file.write(struct.pack("qq", int(shift), is_synchronised))


def run(world, times, seed):
    chance, begun = random.Random(seed), time.monotonic()
    clock = Clock(world)
    world.start(env=clock.environment)
    first = world.clock
    trip = Trip(world)
    trip.senses()
    before, since, jumps, cuts = effort(world.tracker.pid), time.monotonic(), 0, 0
    for number in range(times):
        if number % 4 == 3:
            cuts += 1
            world.proxy.cut("stall")
        if chance.random() < 0.3:
            # Somebody sets the clock right: whom the kernel believes knows the receiver's time. It is played faster than
            # life, and no fix may come before it was measured.
            clock.set(max(trip.car.sent) + AHEAD - time.time(), True)
            trip.watch(chance.uniform(0.3, 2.0))
        clock.set(chance.uniform(-30, 30) * YEAR, False)
        jumps += 1
        trip.watch(chance.uniform(0.3, 2.0))
        world.proxy.restore()
    seconds, _ = effort(world.tracker.pid)
    share = (seconds - before[0]) / (time.monotonic() - since)
    result = trip.finish("clock jumps", times=times, seed=seed, jumps=jumps, cuts=cuts, effort=round(share, 3))
    told = set(Arrivals(world).times) | {tst for tst, _ in Arrivals(world).crossings}
    invented = sorted(tst for tst in told if tst >= first and tst not in trip.car.sent or tst > max(trip.car.sent))
    if invented:
        result["problems"].append("%d messages bear times of no fix: %s" % (len(invented), invented[:5]))
    return dict(result, seconds=round(time.monotonic() - begun))
