#!/usr/bin/env python3
# takes: 60 s
# behaviour: Old locations
"""What becomes of positions that waited for a connection: over a modem none of them goes, over a cable all do."""
import os
import subprocess
import sys

sys.path.insert(1, sys.path[0] + "/../world")
from nmea import along, degrees
from subscriber import retained
from tracker import TOPIC
from waiting import in_the_end, stays
from world import Skip, as_root, claim, expect, main

INSIDE = "HOMEWARD_OWN_NETWORK"
GATE = degrees((150.0, 0.0))
REGION = [{"_type": "waypoint", "desc": "Gate", "lat": GATE[0], "lon": GATE[1], "rad": 60, "tst": 1385997757}]
WAYS = """link add wwan0 type veth peer name far0
link add eth0 type veth peer name far1
link set wwan0 up
link set far0 up
link set eth0 up
link set far1 up
addr add 10.9.1.2/24 dev wwan0
addr add 10.9.2.2/24 dev eth0
"""


def _own_network():
    """The default route is ours to change, and nobody else's: everything runs in a network of its own."""
    if INSIDE in os.environ or os.geteuid() != 0:
        return
    if subprocess.run(["unshare", "-n", "true"], stderr=subprocess.DEVNULL).returncode == 0:
        os.environ[INSIDE] = "1"
        os.execvp("unshare", ["unshare", "-n", "sh", "-c", "ip link set lo up; exec \"$@\"", "sh", sys.executable]
                  + sys.argv)


def _way_out(interface):
    gateway = {"wwan0": "10.9.1.1", "eth0": "10.9.2.1"}[interface]
    subprocess.run(["ip", "route", "replace", "default", "via", gateway, "dev", interface], check=True)


def _ways():
    as_root()
    if INSIDE not in os.environ:
        raise Skip("no network namespaces here")
    if subprocess.run(["ip", "link", "show", "wwan0"], capture_output=True).returncode != 0:
        done = subprocess.run(["ip", "-batch", "-"], input=WAYS.encode(), stderr=subprocess.PIPE)
        if done.returncode != 0:
            raise Skip("no pairs of interfaces here: %s" % done.stderr.decode().strip())
    _way_out("wwan0")


# How many times as fast the tracker lives: the minute after which a position is old takes so much less of ours.
PACE = 3


def _after_a_minute_out_of_reach(world):
    """The times of what is old by then, and of what is not. The road is open again, over the modem."""
    _ways()
    world.start()
    world.tracker.wait_for_status(lambda status: status["network"] == "mobile")
    world.cut_off()
    old = world.feed(along([(0, 0), (600, 0)]))
    world.tracker.wait_for_status(lambda status: status.get("fix", {}).get("tst", 0) >= max(old))
    world.lasts(61)
    new = world.feed(along([(600, 0), (700, 0)]))
    world.tracker.wait_for_status(lambda status: status.get("fix", {}).get("tst", 0) >= max(new))
    world.proxy.restore()
    world.wait_for_locations(new)
    return old, new


def _arrived(world, times):
    return len(set(times) & {location["tst"] for location in world.locations()})


@claim("over a modem only what is young goes, with every crossing; over a cable the rest, and the newest is kept",
       has_proxy=True, waypoints=REGION, backlog="wifi", reconnectMax=5, pace=PACE)
def waits(world):
    old, new = _after_a_minute_out_of_reach(world)
    expect(stays(lambda: _arrived(world, old) == 0, 3), "%d old positions went over the modem" % _arrived(world, old))
    expect(in_the_end(lambda: world.crossings() == [("enter", "Gate"), ("leave", "Gate")]),
           "the crossings: %s" % world.crossings())
    queue = world.tracker.status()["queue"]
    expect(queue.get("waitsForWifi", 0) >= len(old), "the queue: %s" % queue)
    live = world.feed(world.stand(10))
    expect(stays(lambda: _arrived(world, old) == 0, 2), "an old position went along with the present ones")
    _way_out("eth0")
    world.tracker.wait_for_status(lambda status: status["network"] == "wired")
    world.wait_for_locations(old)
    expect(in_the_end(lambda: world.tracker.status()["queue"]["count"] == 0), "something still waits")
    times = [location["tst"] for location in world.locations()]
    expect(len(times) == len(set(times)), "positions came more than once")
    late = [tst for tst in times if tst in set(old)]
    expect(late == sorted(late), "old positions came out of their order")
    found = retained(world.broker.port, [TOPIC])
    expect(found, "the broker keeps no position")
    kept = found[0].json()["tst"]
    expect(kept >= max(new), "the broker keeps a position of %d s before the newest" % (max(new) - kept))
    expect(live is not None, "nothing was played")


@claim("where no backlog is wanted it is dropped, and the crossings and the young ones arrive", has_proxy=True,
       waypoints=REGION, backlog="never", days=1, reconnectMax=5, pace=PACE)
def dropped(world):
    old, _ = _after_a_minute_out_of_reach(world)
    _way_out("eth0")
    expect(in_the_end(lambda: world.crossings() == [("enter", "Gate"), ("leave", "Gate")]),
           "the crossings: %s" % world.crossings())
    expect(in_the_end(lambda: world.tracker.status()["queue"]["count"] == 0), "something still waits")
    expect(_arrived(world, old) == 0, "%d old positions went" % _arrived(world, old))
    expect(world.tracker.status()["queue"].get("notSent", 0) >= len(old), "they are not counted")
    words = [reason["word"] for reason in world.tracker.ask("why", "--json").json()["reasons"]]
    expect("backlogDropped" in words, "`why` does not say so")
    expect(world.tracker.status()["history"] >= len(old), "the history has not kept them")


if __name__ == "__main__":
    _own_network()
    main()
