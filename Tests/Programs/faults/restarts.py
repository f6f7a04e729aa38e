"""The broker and gpsd are restarted at random: orderly or by kill -9, the broker also without its session."""
import os
import random
import signal
import time

from trip import REGION, Trip, status
from waiting import in_the_end
from world import expect

WORLD = {"has_proxy": True, "waypoints": REGION}


def run(world, times, seed):
    chance, begun = random.Random(seed), time.monotonic()
    world.start()
    trip, sums = Trip(world), {"brokerRestarts": 0, "withoutSession": 0, "gpsdRestarts": 0}
    trip.senses()
    for number in range(times):
        trip.watch(chance.uniform(0.5, 3.0))
        if number % 2:
            restart_gpsd(trip, chance)
            sums["gpsdRestarts"] += 1
        else:
            keeps = chance.random() < 0.5
            restart_broker(trip, chance, keeps)
            sums["brokerRestarts"] += 1
            sums["withoutSession"] += not keeps
    # Connections that die young one after the other are tried less and less often: up to 77 s apart.
    in_the_end(lambda: _with(trip).get("connection", {}).get("state") == "connected", seconds=160, every=0.5)
    result = trip.finish("restarts", times=times, seed=seed, **sums)
    return dict(result, seconds=round(time.monotonic() - begun))


def _with(trip):
    trip.watch(0.2)
    return status(trip.tracker)


def restart_broker(trip, chance, keeps_session):
    world = trip.world
    if not keeps_session:
        # Until the listener is back a broker without sessions would drop what it confirms.
        world.proxy.cut("refuse")
    world.broker.stop(chance.choice([signal.SIGTERM, signal.SIGKILL]))
    if not keeps_session:
        for name in os.listdir(world.folder):
            if name.startswith("mosquitto.db"):
                os.remove(os.path.join(world.folder, name))
    trip.watch(chance.uniform(0, 2.0))
    # The flag is cleared when the old connection is found to be gone, a moment after the stop.
    expect(in_the_end(lambda: not world.watcher.is_subscribed.is_set()), "the listener has not noticed")
    world.broker.start()
    expect(in_the_end(world.watcher.is_subscribed.is_set), "the listener has not come back")
    world.proxy.restore()


def restart_gpsd(trip, chance):
    world, since = trip.world, time.monotonic()
    world.gpsd.stop(chance.choice([signal.SIGTERM, signal.SIGKILL]))
    trip.watch(chance.uniform(0, 2.0))
    world.gpsd.start()
    restarted = max(trip.car.sent)
    is_back = in_the_end(lambda: _with(trip).get("fix", {}).get("tst", 0) > restarted)
    trip.ledger.silences.append((since - 0.3, time.monotonic()))
    expect(is_back, "gpsd is back and the tracker has no fix")
