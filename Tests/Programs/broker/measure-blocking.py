#!/usr/bin/env python3
# takes: 80 s
"""How old the newest fix becomes, how long an answer and an end take, while something blocks for seconds."""
import socket
import sys
import time

sys.path.insert(1, sys.path[0] + "/../world")
from endpoint import Endpoint
from figures import figure
from servers import free_port
from tracker import shim
from world import claim, expect, main

# Seconds: what is promised.
AGE, ANSWER, END = 1.0, 1.0, 5.0


def look(world, what, seconds=12):
    """Feeds five positions a second and asks again and again how old the newest one is."""
    world.settle()
    feeder = world.feeding(world.drive(int(seconds * 5) + 20), hz=5)
    time.sleep(0.5)
    end, oldest, slowest = time.monotonic() + seconds, 0.0, 0.0
    while time.monotonic() < end:
        start = time.monotonic()
        age = world.tracker.fix_age()
        slowest = max(slowest, time.monotonic() - start)
        expect(age is not None, "the daemon has handled no fix")
        oldest = max(oldest, age)
        time.sleep(0.05)
    feeder.stop()
    figure("oldest newest fix, %s" % what, oldest, "s", AGE)
    figure("slowest answer, %s" % what, slowest, "s", ANSWER)


def look_at_end(world, what):
    start = time.monotonic()
    expect(world.tracker.stop() == 0, "it does not end")
    figure("time to end, %s" % what, time.monotonic() - start, "s", END)


@claim("nothing blocks")
def nothing(world):
    world.start()
    look(world, "nothing blocks")
    look_at_end(world, "nothing blocks")


@claim("a TLS peer that accepts and says nothing")
def tls(world):
    with socket.create_server(("127.0.0.1", free_port())) as listener:
        world.tracker.configure(port=listener.getsockname()[1], tls=True)
        world.tracker.start()
        look(world, "a TLS peer is silent")
        look_at_end(world, "a TLS peer is silent")


@claim("a name server that does not answer")
def names(world):
    endpoint = Endpoint()
    world._closing.append(endpoint.stop)
    world.tracker.configure(mode=3, url="http://slow.example/pub", connectionTimeoutSeconds=2)
    world.tracker.start(env={"LD_PRELOAD": shim("slow_names", world.folder), "SLOW_NAMES_SECONDS": "600"})
    look(world, "a name is asked for")
    look_at_end(world, "a name is asked for")


@claim("a disk whose fsync takes five seconds", has_proxy=True)
def fsync(world):
    world.tracker.start(env={"LD_PRELOAD": shim("slow_disk", world.folder), "SLOW_DISK_SECONDS": "5"})
    # Making the store takes some of these five seconds.
    expect(world.tracker.wait_for_status(lambda _: True, seconds=200), "it does not come up")
    world.settle()
    world.cut_off()
    look(world, "fsync takes 5 s", 20)
    expect("slow_disk: waits" in world.tracker.log(), "nothing was synchronised")
    look_at_end(world, "fsync takes 5 s")


if __name__ == "__main__":
    main()
