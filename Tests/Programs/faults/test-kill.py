#!/usr/bin/env python3
# takes: 100 s
"""kill -9, as a power cut does it, while the broker is out of reach."""
import sys
import time

sys.path.insert(1, sys.path[0] + "/../world")
from nmea import along, degrees, stand
from servers import poll
from world import claim, expect, main

GATE = degrees((200.0, 0.0))
REGION = [{"_type": "waypoint", "desc": "Gate", "lat": GATE[0], "lon": GATE[1], "rad": 60, "tst": 1385997757}]


@claim("at most the last second of automatic positions is lost", has_proxy=True)
def positions(world):
    world.start()
    world.proxy.cut("refuse")
    time.sleep(0.5)
    sent = world.feed(world.drive(60))
    killed = time.monotonic()
    world.tracker.kill()
    world.tracker.start()
    world.proxy.restore()
    poll(lambda: len({m["tst"] for m in world.locations()} & set(sent)) >= len(sent), 20)
    arrived = {message["tst"] for message in world.locations()}
    lost = [tst for tst in sent if tst not in arrived]
    # A second until the group commit, and what gpsd and the disk take.
    early = [tst for tst in lost if sent[tst] < killed - 1.3]
    expect(not early, "%d lost, %d of them older than a second" % (len(lost), len(early)))
    world.expect_once_in_order()


@claim("no crossing is lost, whenever the power goes", has_proxy=True, waypoints=REGION)
def crossings(world):
    world.start()
    world.proxy.cut("refuse")
    inside, outside = (200.0, 0.0), (0.0, 0.0)
    for start, end in [(outside, inside), (inside, outside)] * 2:
        world.settle(start)
        world.feed(along([start, end]) + stand(4, end))
        time.sleep(0.15)
        world.tracker.kill()
        world.tracker.start()
    world.proxy.restore()
    wanted = [("enter", "Gate"), ("leave", "Gate")] * 2
    poll(lambda: len(world.crossings()) >= 4, 30)
    expect(world.crossings() == wanted, "crossings %s" % world.crossings())


@claim("what the broker has confirmed is not sent again after a kill")
def confirmed(world):
    world.start()
    sent = world.feed(world.drive(30))
    world.wait_for_locations(sent)
    time.sleep(1.5)
    world.tracker.kill()
    world.tracker.start()
    world.settle()
    world.wait_for_locations([world.clock - 1])
    world.expect_once_in_order()


@claim("region states survive: no second enter after a kill inside", waypoints=REGION)
def presence(world):
    world.start()
    world.feed(along([(0, 0), (200, 0)]) + stand(5, (200, 0)))
    expect(poll(lambda: world.crossings() == [("enter", "Gate")], 10), "crossings %s" % world.crossings())
    world.tracker.kill()
    world.tracker.start()
    world.settle((200.0, 0.0))
    world.wait_for_locations([world.clock - 1])
    expect(world.crossings() == [("enter", "Gate")], "crossings %s" % world.crossings())
    expect(world.locations()[-1]["inregions"] == ["Gate"], "the region is forgotten")


@claim("the mode survives a kill")
def mode(world):
    world.start()
    written = world.tracker.status()["store"]["bytesWritten"]
    expect(world.tracker.ask("mode", "significant").status == 0, "homeward mode failed")
    # The answer does not wait for the disk, which takes a moment.
    expect(poll(lambda: world.tracker.status()["store"]["bytesWritten"] > written, 10), "nothing was written")
    world.tracker.kill()
    world.tracker.start()
    status = world.tracker.wait_for_status(lambda status: True)
    expect(status and status["mode"] == "significant", "after the kill: %s" % (status or {}).get("mode"))


if __name__ == "__main__":
    main()
