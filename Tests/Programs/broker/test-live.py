#!/usr/bin/env python3
# takes: 40 s
# behaviour: Topics and messages
"""A drive as it happens: positions, crossings, retained copies, the will."""
import numbers
import sys
import time

sys.path.insert(1, sys.path[0] + "/../world")
from nmea import along, degrees, stand
from subscriber import retained
from tracker import TOPIC, shim
from waiting import in_the_end, stays
from world import claim, expect, main

# name: (type, is it required, least, most)
LOCATION = {
    "_type": (str, True, None, None), "tid": (str, True, None, None), "t": (str, False, None, None),
    "lat": (float, True, -90, 90), "lon": (float, True, -180, 180), "tst": (int, True, 1, None),
    "created_at": (int, False, 1, None), "acc": (int, True, 1, None), "alt": (int, False, None, None),
    "vac": (int, False, 0, None), "vel": (int, False, 0, None), "cog": (int, False, 0, 360),
    "batt": (int, False, 0, 100), "bs": (int, False, 1, 3), "p": (float, False, 30, 120),
    "conn": (str, False, None, None), "SSID": (str, False, None, None), "BSSID": (str, False, None, None),
    "m": (int, True, -1, 2), "inregions": (list, True, None, None), "inrids": (list, True, None, None),
}
TRANSITION = {
    "_type": (str, True, None, None), "tid": (str, True, None, None), "t": (str, True, None, None),
    "lat": (float, True, -90, 90), "lon": (float, True, -180, 180), "acc": (int, True, 1, None),
    "tst": (int, True, 1, None), "wtst": (int, True, 0, None), "event": (str, True, None, None),
    "created_at": (int, False, 1, None), "desc": (str, False, None, None), "rid": (str, True, None, None),
    "rad": (int, False, 1, None),
}
HERE, THERE = degrees((500.0, 0.0)), degrees((1300.0, 0.0))
REGIONS = [
    {"_type": "waypoint", "desc": "Works", "lat": HERE[0], "lon": HERE[1], "rad": 120, "tst": 1385997757},
    {"_type": "waypoint", "desc": "Quay", "lat": THERE[0], "lon": THERE[1], "rad": 150, "tst": 1385997758},
]


def check_fields(message, fields):
    unknown = set(message) - set(fields)
    expect(not unknown, "unknown fields %s in %s" % (sorted(unknown), message))
    for name, (kind, is_required, least, most) in fields.items():
        if name not in message:
            expect(not is_required, "%s is missing in %s" % (name, message))
            continue
        value = message[name]
        wanted = numbers.Real if kind is float else kind
        expect(isinstance(value, wanted) and not isinstance(value, bool),
               "%s is %r, not a %s" % (name, value, kind.__name__))
        if least is not None:
            expect(value >= least, "%s is %r, less than %r" % (name, value, least))
        if most is not None:
            expect(value <= most, "%s is %r, more than %r" % (name, value, most))


@claim("every position of a drive arrives once and in order")
def positions(world):
    world.start()
    world.wait_for_locations(world.feed(world.drive(100), hz=10))
    world.expect_once_in_order()


@claim("a position is where the receiver said")
def place(world):
    world.start()
    world.feed(along([(0, 0), (300, 400)]))
    world.wait_for_locations([world.clock - 1])
    last = world.locations()[-1]
    expected = degrees((300, 400))
    expect(abs(last["lat"] - expected[0]) < 2e-5, "lat %s, sent %s" % (last["lat"], expected[0]))
    expect(abs(last["lon"] - expected[1]) < 2e-5, "lon %s, sent %s" % (last["lon"], expected[1]))
    expect(abs(last["vel"] - 54) <= 2, "vel %s, sent 15 m/s" % last["vel"])
    expect(abs(last["cog"] - 37) <= 2, "cog %s, sent 37 degrees" % last.get("cog"))


@claim("a position has the fields that consumers need and no others")
def fields(world):
    world.start()
    world.wait_for_locations(world.feed(world.drive(30)))
    for message in world.locations():
        check_fields(message, LOCATION)
    expect(world.locations()[-1]["m"] == 2, "m is not the mode")


@claim("two regions on the way: enter and leave of each, in order", waypoints=REGIONS)
def regions(world):
    world.start()
    world.feed(along([(0, 0), (1800, 0)]) + stand(5, (1800, 0)), hz=8)
    wanted = [("enter", "Works"), ("leave", "Works"), ("enter", "Quay"), ("leave", "Quay")]
    in_the_end(lambda: len(world.crossings()) >= 4)
    expect(world.crossings() == wanted, "crossings %s" % world.crossings())
    for message in world.transitions():
        check_fields(message, TRANSITION)
    # The location of a crossing may come after it.
    in_the_end(lambda: sum(m.get("t") == "c" for m in world.locations()) >= 4)
    enters = [m for m in world.locations() if m.get("t") == "c"]
    expect(len(enters) == 4, "%d locations with t=c go with 4 transitions" % len(enters))
    inside = [m["inregions"] for m in world.locations()]
    expect(["Works"] in inside and ["Quay"] in inside, "no location names the region it is in")


@claim("the position is retained, a crossing is not", waypoints=REGIONS)
def kept(world):
    world.start()
    world.feed(along([(0, 0), (500, 0)]) + stand(5, (500, 0)))
    expect(in_the_end(lambda: world.crossings()), "no crossing")
    kept = [message.topic for message in retained(world.broker.port, [TOPIC + "/#"])]
    expect(kept == [TOPIC], "retained topics %s" % kept)


@claim("a clean stop leaves no will and ends with status 0")
def clean_stop(world):
    world.start()
    status = world.tracker.stop()
    expect(status == 0, "exit status %s" % status)
    expect(stays(lambda: not world.heard("lwt"), 2), "the will was published")


@claim("a killed tracker's will is published, not retained")
def will(world):
    world.start()
    world.tracker.kill()
    expect(in_the_end(lambda: world.heard("lwt")), "no will")
    expect(isinstance(world.heard("lwt")[0]["tst"], int), "the will has no tst")
    kinds = [message.json()["_type"] for message in retained(world.broker.port, [TOPIC])]
    expect(kinds == ["location"], "retained on the base topic: %s" % kinds)


@claim("both wills have the time of their connection, not that of the start", has_proxy=True, has_gpsd=False,
       availability=True, statusInterval=3600)
def dated(world):
    world.tracker.start(env={"LD_PRELOAD": shim("kernel_clock", world.folder), "CLOCK_IS": "synchronised"})
    placed = lambda status: status["connection"]["state"] == "connected" and status["connection"]["statusWill"].get("placed")
    expect(placed(world.tracker.wait_for_status(placed)), "no second connection")
    time.sleep(3)
    began = int(time.time())
    world.cut_off()
    gone = lambda status: status["connection"]["state"] != "connected"
    expect(gone(world.tracker.wait_for_status(gone)), "the loss is not noticed")
    world.proxy.restore()
    expect(placed(world.tracker.wait_for_status(placed)), "they are not placed again")
    before = len(world.watcher.messages)
    world.tracker.kill()
    wills = lambda: [m.json() for m in world.watcher.messages[before:] if m.topic in (TOPIC, TOPIC + "/status")]
    expect(in_the_end(lambda: len(wills()) == 2), "not both: %s" % wills())
    expect(all(will["tst"] >= began for will in wills()), "%s, connected after %d" % (wills(), began))


if __name__ == "__main__":
    main()
