#!/usr/bin/env python3
# takes: 190 s
# behaviour: What the server does not take
# behaviour: Connections that end over a message
"""Positions keep their order, whatever becomes of connections and of single messages."""
import sys
import time

sys.path.insert(1, sys.path[0] + "/../world")
from drains import arrivals, backlog, meddler, overtaken
from tracker import TOPIC
from waiting import in_the_end
from world import claim, expect, main

WRONG_WORDS = "takes nothing", "client id"


def _is_position(payload):
    """Told by what is inside: with MQTT 5 most come without their topic."""
    return b'"_type":"location"' in payload.replace(b" ", b"")


def _expect_drain(world, road, since, sent):
    world.wait_for_locations(sent)
    found, log = overtaken(world, since), world.tracker.log()
    print("# %d resets, overtaken: %s" % (road.resets, found))
    expect(not found, "overtaken, by how many: %s" % found)
    for word in WRONG_WORDS:
        expect(word not in log, "said without reason: %s" % [line for line in log.splitlines() if word in line])
    expect("connection reset" in log, "a reset is not told from an orderly end")


def _resets_by_count(world, arrived, **settings):
    road = meddler(world, delay_up=0.3, **settings)
    since, sent = backlog(world, road, 900)
    for count in arrived:
        expect(in_the_end(lambda: len(arrivals(world, since)) >= count, every=0.1), "%d never came" % count)
        road.reset()
    _expect_drain(world, road, since, sent)


@claim("900 positions wait, and three resets in the middle of sending them do not change the order", seconds=1100)
def resets(world):
    _resets_by_count(world, (150, 350, 600))


@claim("the same with MQTT 5", seconds=1100, broker="max_inflight_messages 200")
def resets_5(world):
    _resets_by_count(world, (150, 350, 600), mqttProtocolLevel=5)


@claim("three resets before anything is answered do not change the order", seconds=1100)
def early(world):
    road = meddler(world, delay_up=0.3)
    since, sent = backlog(world, road, 900)
    for _ in range(3):
        before = road.published
        expect(in_the_end(lambda: road.published >= before + 20), "nothing was sent")
        road.reset()
    _expect_drain(world, road, since, sent)


@claim("resets 4 s apart, while positions come in", seconds=900)
def apart(world):
    road = meddler(world, delay_up=0.3)
    since, sent = backlog(world, road, 600)
    feeder = world.feeding(world.drive(150), hz=10)
    for _ in range(3):
        time.sleep(4)
        road.reset()
    feeder.join()
    sent.update(feeder.sent)
    _expect_drain(world, road, since, sent)


@claim("one position turned away by a quota (MQTT 5) is overtaken only by what was under way", seconds=900)
def quota(world):
    road = meddler(world, delay_up=0.3, mqttProtocolLevel=5, maxInFlight=20)
    refused = []

    def once(topic, payload, count):
        if _is_position(payload) and count > 100 and not refused:
            refused.append(payload)
            return True
        return False

    road.turns_away = once
    since, sent = backlog(world, road, 400)
    sent.update(world.feed(world.drive(50), hz=5))
    world.wait_for_locations(sent)
    found = overtaken(world, since)
    print("# overtaken: %s" % found)
    expect(len(refused) == 1, "none was turned away")
    expect(len(found) <= 1, "several were overtaken: %s" % found)
    expect(all(count < 20 for count in found.values()), "by newer ones than were under way: %s" % found)


@claim("a quota that lasts (MQTT 5) inverts nothing more", seconds=900, pace=4)
def lasting_quota(world):
    road = meddler(world, mqttProtocolLevel=5, maxInFlight=20)
    began = []

    def lasts(topic, payload, count):
        if count > 100 and not began:
            began.append(time.monotonic())
        return _is_position(payload) and bool(began) and time.monotonic() < began[0] + 45 / world.tracker.pace

    road.turns_away = lasts
    since, sent = backlog(world, road, 300)
    sent.update(world.feed(world.drive(100), hz=5))
    world.wait_for_locations(sent)
    found = overtaken(world, since)
    print("# overtaken: %s" % found)
    expect(began, "nothing was turned away")
    expect(not found, "overtaken, by how many: %s" % found)


def _poison(world, **settings):
    road = meddler(world, **settings)
    road.ends_over = lambda topic, payload: b'"poi":"here"' in payload.replace(b" ", b"")
    world.start()
    since = len(world.watcher.messages)
    said = world.tracker.ask("publish", "--poi", "here")
    expect(said.status == 0, "publish: %s" % said.error)
    # The remark has taken the second of one of them.
    world.wait_for_locations(world.feed(world.drive(60), hz=5), may_lack=1)
    print("# %d connections ended over it" % road.ended)
    expect(1 < road.ended <= 6, "%d connections ended over it" % road.ended)
    expect(not overtaken(world, since), "others were overtaken: %s" % overtaken(world, since))
    log = world.tracker.log()
    expect("client id" not in log, "taken for something else")
    expect("it ends the connection over a message of" in log, "nobody is told of the message")
    queue = world.tracker.status()["queue"]
    expect(queue.get("passedBy") == [TOPIC] and "held" not in queue, "status says nothing of it: %s" % queue)
    said = world.tracker.ask("doctor", "--file", world.tracker.configuration).text
    expect("passed by" in said and "not taken by the broker" in said, "doctor says nothing of it: %s" % said)


@claim("a message that the broker ends the connection over is got round within few connections", seconds=600)
def poison(world):
    _poison(world)


@claim("with MQTT 5 and its aliases, too", seconds=600)
def poison_5(world):
    _poison(world, mqttProtocolLevel=5)


if __name__ == "__main__":
    main()
