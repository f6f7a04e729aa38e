"""The tracker in a network namespace of its own, and a bad road from it to the broker: loss, delay, spikes,
black holes, all with real packets and the kernel's own TCP."""
import random
import socket
import time

from link import NEAR, Link
from proxy import Proxy
from servers import free_port
from trip import REGION, Trip
from world import as_root

WORLD = {"waypoints": REGION}


class Door(Proxy):
    """A proxy that listens at an address of the link."""

    address = NEAR

    def _listen(self):
        self._listener = socket.socket()
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._listener.bind((self.address, self.port))
        self._listener.listen(16)


def run(world, times, seed):
    as_root()
    chance, begun = random.Random(seed), time.monotonic()
    link = Link(world, seed)
    doors = [Door(free_port(), server.port) for server in (world.broker, world.gpsd)]
    world._closing += [door.close for door in doors]
    # gpsd is on the board itself: what is between it and the tracker is no road.
    link.spared = doors[1].port
    world.tracker.configure(host=NEAR, port=doors[0].port, gpsdHost=NEAR, gpsdPort=doors[1].port)
    world.start(before=["ip", "netns", "exec", link.namespace])
    trip, sums = Trip(world), dict.fromkeys(("loss", "delay", "spikes", "blackHoles"), 0)
    trip.senses()
    for number in range(times):
        _worsen(trip, link, list(sums)[number % 4], chance, sums)
        link.loss, link.delay, link.is_black_hole = 0.0, 0.0, False
        trip.watch(chance.uniform(1, 3))
    result = trip.finish("network", times=times, seed=seed, packets=link.passed,
                         packetsDropped=link.dropped, **sums)
    return dict(result, seconds=round(time.monotonic() - begun), netem="our own, on tun devices")


def _worsen(trip, link, kind, chance, sums):
    sums[kind] += 1
    if kind == "loss":
        link.loss = 10.0
        trip.watch(chance.uniform(3, 6))
    elif kind == "delay":
        link.delay = 0.15
        trip.watch(chance.uniform(3, 6))
    elif kind == "spikes":
        link.delay = 4.0  # each way: eight seconds there and back
        trip.watch(chance.uniform(0.5, 1.5))
    else:
        link.is_black_hole = True
        # The kernel gives a connection up after 20 s without an answer: every other one outlasts it.
        trip.watch(chance.uniform(21, 24) if sums[kind] % 2 else chance.uniform(3, 8))
