#!/usr/bin/env python3
# takes: 140 s
"""How fast what has waited goes out, over a slow road and over one that resets connections; how soon a road that is
stuck is noticed."""
import sys
import time

sys.path.insert(1, sys.path[0] + "/../world")
from drains import arrivals, backlog, meddler
from figures import figure
from waiting import in_the_end
from world import claim, expect, main


@claim("1000 positions at a round trip of 600 ms", has_proxy=True, seconds=1100, broker="max_inflight_messages 200")
def slow(world):
    world.proxy.delay = 0.3
    world.start()
    world.cut_off()
    since = len(world.watcher.messages)
    sent = world.feed(world.drive(1000), hz=60)
    world.proxy.restore()
    world.wait_for_locations(sent)
    moments = [moment for _, moment in arrivals(world, since)]
    # A window that stays at 20 gives 33, one that grows 200.
    figure("messages at a round trip of 600 ms", len(moments) / (moments[-1] - moments[0]), "a second", 50)


def resets(world, name, **settings):
    road = meddler(world, delay_up=0.3, **settings)
    since, sent = backlog(world, road, 1500)
    for count in (200, 600, 1000):
        expect(in_the_end(lambda: len(arrivals(world, since)) >= count), "%d never came" % count)
        road.reset()
    last = time.monotonic()
    world.wait_for_locations(sent)
    # One message at a time over this road of 0.3 s would take 150.
    figure("500 messages after the last of three resets" + name, arrivals(world, since)[-1][1] - last, "s", 5)


@claim("1500 positions and three resets", seconds=1700)
def resets_4(world):
    resets(world, "")


@claim("the same with MQTT 5", seconds=1700, broker="max_inflight_messages 200")
def resets_5(world):
    resets(world, ", MQTT 5", mqttProtocolLevel=5)


@claim("a road that is stuck", has_proxy=True, keepalive=60)
def stuck(world):
    world.start()
    world.proxy.cut("drop")
    feeder = world.feeding(world.stand(400), hz=2)
    start = time.monotonic()
    gone = lambda: world.tracker.status()["connection"]["state"] != "connected"
    expect(in_the_end(gone, seconds=150, every=0.2), "never noticed")
    feeder.stop()
    figure("until a road that is stuck is noticed, keepalive 60 s", time.monotonic() - start, "s", 60)


if __name__ == "__main__":
    main()
