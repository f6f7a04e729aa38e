"""kill -9 at random instants of one long drive, half of them while the broker is out of reach."""
import random
import time

from trip import REGION, Trip

WORLD = {"has_proxy": True, "waypoints": REGION}
# Kills in a row with the broker in reach, or without.
BLOCK = 10


def run(world, times, seed):
    chance, begun = random.Random(seed), time.monotonic()
    world.start()
    trip = Trip(world)
    for number in range(times):
        if number % BLOCK == 0:
            _switch(world, number // BLOCK % 2 == 1, chance)
        # Mostly in the middle of its start, the others after it has settled.
        trip.watch(chance.uniform(0, 0.6) if chance.random() < 0.6 else chance.uniform(0.6, 3.0))
        trip.kill()
        time.sleep(chance.uniform(0, 0.1))  # a board does not start its programs the instant they end
        trip.restart()
    _switch(world, False, chance)
    starts = sorted(trip.starts) or [0.0]
    return trip.finish("kill -9", times=times, seed=seed, seconds=round(time.monotonic() - begun),
                       medianStart=round(starts[len(starts) // 2], 2), longestStart=round(starts[-1], 2))


def _switch(world, is_cut, chance):
    world.proxy.restore()
    if is_cut:
        world.proxy.cut(chance.choice(["refuse", "stall", "drop"]))
