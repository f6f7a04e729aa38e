#!/usr/bin/env python3
# takes: 100 s
# behaviour: What the server does not take
# behaviour: Connecting
"""The broker is out of reach, in every way that the road knows; then everything arrives, once, in order."""
import os
import signal
import sys
import time

sys.path.insert(1, sys.path[0] + "/../world")
from nmea import along, degrees, stand
from tracker import TOPIC
from waiting import in_the_end
from world import claim, expect, main

GATE = degrees((150.0, 0.0))
REGION = [{"_type": "waypoint", "desc": "Gate", "lat": GATE[0], "lon": GATE[1], "rad": 60, "tst": 1385997757}]


@claim("the broker comes late", has_proxy=True)
def late(world):
    world.proxy.cut("refuse")
    world.tracker.start()
    world.settle()
    sent = world.feed(world.drive(60))
    expect(not world.locations(), "something got through a closed port")
    world.proxy.restore()
    world.wait_for_locations(sent)
    world.expect_once_in_order()


@claim("the broker restarts")
def restart(world):
    world.start()
    feeder = world.feeding(world.drive(80))
    time.sleep(2)
    world.broker.stop()
    time.sleep(3)
    world.broker.start()
    feeder.join()
    world.wait_for_locations(feeder.sent)
    # The answer to one may not have left any more.
    world.expect_once_in_order(twice=1)


def _cut(world, mode):
    world.start()
    feeder = world.feeding(world.drive(100))
    time.sleep(2)
    world.proxy.cut(mode)
    time.sleep(5)
    world.proxy.restore()
    feeder.join()
    world.wait_for_locations(feeder.sent)
    # Of what was under way at the cut the answer may have been on its way back.
    world.expect_once_in_order(twice=1)
    expect(world.tracker.is_alive(), "the daemon ended")


@claim("the network stalls and comes back", has_proxy=True)
def stall(world):
    _cut(world, "stall")


@claim("packets vanish, then the connection is reset", has_proxy=True)
def drop(world):
    _cut(world, "drop")


@claim("connections are refused for a while", has_proxy=True)
def refuse(world):
    _cut(world, "refuse")


@claim("crossings out of coverage arrive between the positions around them", has_proxy=True, waypoints=REGION)
def crossings(world):
    world.start()
    world.cut_off()
    sent = world.feed(along([(0, 0), (600, 0)]) + stand(5, (600, 0)))
    world.proxy.restore()
    world.wait_for_locations(sent)
    expect(world.crossings() == [("enter", "Gate"), ("leave", "Gate")], "crossings %s" % world.crossings())
    kinds = [m.json()["_type"] for m in world.watcher.messages if m.json()]
    first, last = kinds.index("transition"), len(kinds) - kinds[::-1].index("transition")
    expect("location" in kinds[:first] and "location" in kinds[last:], "the order between topics is lost")


@claim("the right to a topic is taken away (MQTT 5): nothing is lost, and all of it comes when it is given back",
       mqttProtocolLevel=5)
def not_authorised(world):
    rights = os.path.join(world.folder, "rights")

    def allow(text):
        with open(rights, "w") as file:
            file.write(text)
        os.chmod(rights, 0o600)
        if world.broker.is_alive():
            world.broker.process.send_signal(signal.SIGHUP)

    allow("topic readwrite #\n")
    world.broker.stop()
    with open(world.broker.settings, "a") as file:
        file.write("acl_file %s\n" % rights)
    world.broker.start()
    world.start()
    allow("topic read #\n")
    times = dict(world.feed(world.drive(10), hz=10))
    told = "is refusing %s for now" % TOPIC
    expect(in_the_end(lambda: told in world.tracker.log()), "the journal does not say so: %s" % world.tracker.log())
    times.update(world.feed(world.drive(50), hz=10))
    queue = world.tracker.status()["queue"]
    expect(queue["count"] >= 50 and queue["refused"] == 0, "queue %s" % queue)
    expect(queue["resent"] <= 40, "it asks without pause: %s" % queue)
    expect(world.tracker.log().count(told) == 1, "it is said again and again")
    expect(queue["held"] == [TOPIC], "held %s" % queue)
    examined = world.tracker.ask("doctor", "--file", world.tracker.configuration).text
    for text in world.tracker.ask("status").text, world.tracker.ask("queue", "show").text, examined:
        expect("%s: nothing is taken there for now" % TOPIC in text, "nobody is told: %s" % text)
    allow("topic readwrite #\n")
    world.wait_for_locations(times)
    expect("held" not in world.tracker.status()["queue"], "the topic is held after all")
    expect(not os.path.exists(os.path.join(world.tracker.state, "refused.jsonl")), "some count as refused")


@claim("a message that the broker ends the connection over, without a word, holds up nothing else",
       mqttProtocolLevel=4)
def too_large(world):
    plain = open(world.broker.settings).read()
    world.broker.stop()
    with open(world.broker.settings, "a") as file:
        file.write("max_packet_size 4000\n")
    world.broker.start()
    world.start()
    picture = os.path.join(world.folder, "picture.jpg")
    with open(picture, "wb") as file:
        file.write(b"\xff\xd8\xff\xe0" + os.urandom(6000))
    said = world.tracker.ask("publish", "--poi", "here", "--image", picture)
    expect(said.status == 0, "publish: %s" % said.error)
    # The remark has taken the second of one of them.
    world.wait_for_locations(world.feed(world.drive(40), hz=4), may_lack=1)
    log = world.tracker.log()
    expect("is refusing %s for now: it ends the connection" % TOPIC in log, "nobody is told: %s" % log)
    expect("client id" not in log, "taken for something else: %s" % log)
    world.wait_for_locations(world.feed(world.drive(40), hz=4))
    with open(world.broker.settings, "w") as file:
        file.write(plain)
    world.broker.stop()
    world.broker.start()
    pictures = in_the_end(lambda: [one for one in world.locations() if "image" in one], seconds=100, every=0.2)
    expect(pictures, "the picture never came, with room for it: %s" % world.tracker.status()["queue"])
    expect(len(pictures) == 1 and pictures[0]["poi"] == "here", "another picture")


@claim("a connection that is stuck is noticed", has_proxy=True, keepalive=60, pace=8)
def stuck(world):
    world.start()
    world.proxy.cut("drop")
    feeder = world.feeding(world.stand(400), hz=8)
    gone = in_the_end(lambda: world.tracker.status()["connection"]["state"] != "connected", every=0.2)
    feeder.stop()
    expect(gone, "status still says connected")


if __name__ == "__main__":
    main()
