#!/usr/bin/env python3
# takes: 40 s
# behaviour: What is durable when
"""kill -9, as a power cut does it, while the broker is out of reach."""
import sys

sys.path.insert(1, sys.path[0] + "/../world")
from nmea import along, degrees, stand
from waiting import in_the_end
from world import claim, expect, main

GATE = degrees((200.0, 0.0))
REGION = [{"_type": "waypoint", "desc": "Gate", "lat": GATE[0], "lon": GATE[1], "rad": 60, "tst": 1385997757}]


@claim("automatic positions come to the disk by themselves, and a kill costs none of those", has_proxy=True)
def positions(world):
    world.start()
    world.cut_off()
    sent = world.feed(world.drive(60))
    expect(world.stored(max(sent)), "what waits does not come to the disk")
    # How many of these are on the disk is a matter of moments, see Tests/Simulator; their order is not.
    world.feed(world.drive(10))
    world.tracker.kill()
    world.tracker.start()
    world.proxy.restore()
    world.wait_for_locations(sent)
    expect(world.tracker.is_drained(), "messages wait")
    world.expect_once_in_order()


@claim("no crossing is lost, whenever the power goes", has_proxy=True, waypoints=REGION)
def crossings(world):
    world.start()
    world.proxy.cut("refuse")
    inside, outside = (200.0, 0.0), (0.0, 0.0)
    for start, end in [(outside, inside), (inside, outside)] * 2:
        world.settle(start)
        sent = world.feed(along([start, end]) + stand(4, end))
        expect(world.tracker.handles(max(sent)), "the drive did not come through")
        world.tracker.kill()
        world.tracker.start()
    world.proxy.restore()
    wanted = [("enter", "Gate"), ("leave", "Gate")] * 2
    in_the_end(lambda: len(world.crossings()) >= 4)
    expect(world.crossings() == wanted, "crossings %s" % world.crossings())


@claim("what the broker has confirmed is not sent again after a kill")
def confirmed(world):
    world.start()
    sent = world.feed(world.drive(30))
    world.wait_for_locations(sent)
    expect(world.tracker.is_drained(), "messages wait")
    # Done is said when all before it is on the disk.
    expect(world.tracker.ask("tag", "later").status == 0, "no tag")
    world.tracker.kill()
    world.tracker.start()
    world.settle()
    world.wait_for_locations([world.clock - 1])
    world.expect_once_in_order()


@claim("region states survive: no second enter after a kill inside", waypoints=REGION)
def presence(world):
    world.start()
    world.feed(along([(0, 0), (200, 0)]) + stand(5, (200, 0)))
    expect(in_the_end(lambda: world.crossings() == [("enter", "Gate")]), "crossings %s" % world.crossings())
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
    expect(in_the_end(lambda: world.tracker.status()["store"]["bytesWritten"] > written), "nothing was written")
    world.tracker.kill()
    world.tracker.start()
    status = world.tracker.wait_for_status(lambda status: True)
    expect(status and status["mode"] == "significant", "after the kill: %s" % (status or {}).get("mode"))


if __name__ == "__main__":
    main()
