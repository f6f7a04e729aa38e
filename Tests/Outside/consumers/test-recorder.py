#!/usr/bin/env python3
# takes: 150 s
# limit: 600 s
"""What the real OwnTracks Recorder keeps of a board is all of it, once and in order; and it survives every message."""
import os
import sys
import time

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Programs/world"))
from nmea import along, degrees  # noqa: E402
from recorder import Recorder  # noqa: E402
from tracker import TOPIC  # noqa: E402
from waiting import in_the_end  # noqa: E402
from world import claim, expect, main  # noqa: E402

KEY = "a secret of some length"
HOUSE, AWAY = (0.0, 0.0), (900.0, 0.0)


def waypoint(name, place, radius=120, **more):
    latitude, longitude = degrees(place)
    return dict({"_type": "waypoint", "desc": name, "lat": latitude, "lon": longitude, "rad": radius, "tst": 5}, **more)


PLACES = [waypoint("Home", HOUSE), waypoint("Secret", HOUSE, 200, tst=6, share=False)]


def ask(world, *words):
    answer = world.tracker.ask(*words)
    expect(answer.status == 0, "%s: %s%s" % (" ".join(words), answer.text, answer.error))


def go(world, *corners):
    world.feed(along([world.place, *corners], speed=30.0) + [corners[-1]] * 8, hz=10)


def everything(world):
    """Crossings of a shared and an unshared region, an outage, and all that people can ask for."""
    go(world, AWAY)
    if world.proxy:
        world.proxy.cut("refuse")
    go(world, HOUSE)
    if world.proxy:
        world.proxy.restore()
    go(world, AWAY)
    ask(world, "publish", "--poi", "the gate")
    ask(world, "region", "add", "Barn", "--radius", "80")
    ask(world, "region", "set", "Barn", "--lat", "48.5", "--lon", "16.0")
    ask(world, "region", "rm", "Barn")
    for mode in ("manual", "quiet", "significant", "move"):
        ask(world, "mode", mode)
        ask(world, "publish")
    go(world, HOUSE)
    delivered(world)


def delivered(world):
    world.tracker.wait_for_status(lambda status: not status["queue"]["count"])


def identity(value):
    """What a location or a transition is known by on its way; the Recorder adds keys and turns null into nothing."""
    names = ("_type", "tst", "lat", "lon", "event", "desc", "t", "poi", "rid")
    return tuple(value.get(name) for name in names)


def kept_as_sent(world, recorder, sent):
    """`sent`: what it has to have."""
    expect(len(sent) > 15, "only %d messages" % len(sent))

    def missing():
        kept = [identity(value) for _, value in recorder.kept()]
        return [one for one in sent if identity(one) not in kept]
    in_the_end(lambda: not missing())
    expect(recorder.is_alive(), "the Recorder has ended with %s" % recorder.process.poll())
    expect(not missing(), "%d of %d are not in its store: %s" % (len(missing()), len(sent), missing()[:2]))
    kept = [identity(value) for kind, value in recorder.kept() if value.get("_type") == "location"]
    expect(len(set(kept)) == len(kept), "it keeps a location twice")
    times = [one[1] for one in kept]
    expect(times == sorted(times), "its locations are out of order")


@claim("all of a drive over MQTT is kept, with an outage and a region that is not shared", has_proxy=True,
       locatorDisplacement=100, reconnectMax=2, waypoints=PLACES, odometer=True, trips=True, overspeed=60)
def over_mqtt(world):
    recorder = Recorder(world).start()
    world.start()
    everything(world)
    crossings = world.heard("transition", TOPIC + "/event")
    shared = [one for one in crossings if one["desc"] is not None]
    expect(len(shared) >= 4 and len(crossings) > len(shared), "the drive crossed %s" % crossings)
    # What has no description it passes over: the location that tells of the same moment is all that it keeps.
    kept_as_sent(world, recorder, world.locations() + shared)


@claim("what is encrypted is kept as clear as it was made", locatorDisplacement=100, encryptionKey=KEY, waypoints=PLACES)
def encrypted(world):
    recorder = Recorder(world, KEY).start()
    world.tracker.start()
    for _ in range(6):
        world.feed(world.stand(5))
    everything(world)
    expect(in_the_end(lambda: len(recorder.kept()) > 15), "it keeps %d messages" % len(recorder.kept()))
    expect(recorder.is_alive(), "the Recorder has ended with %s" % recorder.process.poll())
    kinds = {value.get("_type") for _, value in recorder.kept()}
    expect("encrypted" not in kinds and {"location", "transition"} <= kinds, "it keeps %s" % kinds)


@claim("all of a drive over HTTP is kept", locatorDisplacement=100, waypoints=PLACES)
def over_http(world):
    recorder = Recorder(world).start()
    world.tracker.configure(mode=3, url="http://127.0.0.1:%d/pub" % recorder.port, locatorDisplacement=100,
                            waypoints=PLACES)
    world.tracker.start()
    for _ in range(6):
        world.feed(world.stand(5))
    everything(world)
    expect(in_the_end(lambda: len(recorder.kept()) > 15), "it keeps %d messages" % len(recorder.kept()))
    expect(recorder.is_alive(), "the Recorder has ended with %s" % recorder.process.poll())
    kept = [value for _, value in recorder.kept()]
    crossings = [value.get("event") for value in kept if value.get("_type") == "transition"]
    expect(crossings.count("enter") >= 2 and crossings.count("leave") >= 2, "crossings: %s" % crossings)


@claim("a place that is old is kept with the time when it was measured, and does not become the last one anew",
       locatorDisplacement=100, fixTimeout=2)
def old_place(world):
    recorder = Recorder(world).start()
    world.start()
    go(world, AWAY)
    delivered(world)
    time.sleep(4)
    before = len(world.locations())
    ask(world, "publish")
    expect(in_the_end(lambda: len(world.locations()) > before), "nothing was told")
    old = world.locations()[-1]
    expect(old.get("created_at", 0) > old["tst"], "it does not say that it is old: %s" % old)
    expect("vel" not in old and "cog" not in old, "an old place moves: %s" % old)
    kept_last = in_the_end(lambda: recorder.last().get("tst") == old["tst"])
    expect(kept_last, "the Recorder shows %s" % recorder.last())


@claim("a card without a face leaves the photo that the Recorder has", locatorDisplacement=100)
def card(world):
    recorder = Recorder(world).start()
    world.start()
    picture = os.path.join(world.folder, "face.png")
    with open(picture, "wb") as file:
        file.write(bytes.fromhex(
            "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360f8cf50"
            "0f0003860180b4d3e0c50000000049454e44ae426082"))
    ask(world, "card", "--name", "Ute", "--face", picture)
    expect(in_the_end(recorder.photo), "no photo came")
    before = recorder.photo()
    ask(world, "card", "--name", "Ute B")
    delivered(world)
    time.sleep(1)
    expect(recorder.photo() == before and len(before) > 50, "the photo was overwritten: %s" % recorder.photo())


if __name__ == "__main__":
    main()
