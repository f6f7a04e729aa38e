#!/usr/bin/env python3
# takes: 260 s
# limit: 500 s
"""Positions keep their order, whatever becomes of connections and of single messages."""
import bisect
import sys
import time

sys.path.insert(1, sys.path[0] + "/../world")
from meddler import Meddler
from servers import free_port, poll
from tracker import TOPIC
from world import claim, expect, main

# After the last reset: two seconds and a bit until the next attempt, and the drain itself, in all about 5 on a quiet
# machine. One message at a time over this road of 0.3 s would take 150.
MOST_SECONDS = 30.0
WRONG_WORDS = "takes nothing", "client id"


def _meddler(world, delay_up=0.0, mqttProtocolLevel=4, **settings):
    """With MQTT 5 mosquitto takes 20 at a time unless it is told otherwise."""
    road = Meddler(free_port(), world.broker.port, delay_up)
    world._closing.append(road.close)
    world.tracker.configure(port=road.port, mqttProtocolLevel=mqttProtocolLevel, **settings)
    return road


def _is_position(payload):
    """Told by what is inside: with MQTT 5 most come without their topic."""
    return b'"_type":"location"' in payload.replace(b" ", b"")


def _arrivals(world, since=0):
    """(tst, moment) of the positions as each came first."""
    seen, found = set(), []
    for message in list(world.watcher.messages)[since:]:
        value = message.json() if message.topic == TOPIC else None
        if value and value.get("_type") == "location" and value["tst"] not in seen:
            seen.add(value["tst"])
            found.append((value["tst"], message.arrived))
    return found


def _overtaken(world, since=0):
    """{tst: how many newer ones came before it}"""
    newer, found = [], {}
    for tst, _ in _arrivals(world, since):
        count = len(newer) - bisect.bisect(newer, tst)
        if count:
            found[tst] = count
        bisect.insort(newer, tst)
    return found


def _backlog(world, road, count, hz=75):
    """So many positions wait for a road that is open again when this returns."""
    world.start()
    road.cut("refuse")
    time.sleep(0.5)
    since = len(world.watcher.messages)
    sent = world.feed(world.drive(count), hz=hz)
    road.restore()
    return since, sent


def _expect_drain(world, road, since, sent, last, most=MOST_SECONDS):
    world.wait_for_locations(sent, seconds=100)
    took = max(moment for _, moment in _arrivals(world, since)) - last
    after = [moment - last for _, moment in _arrivals(world, since) if moment > last]
    print("# %d after the last reset, at %s" % (len(after), " ".join("%.1f" % one for one in after[::60])))
    overtaken, log = _overtaken(world, since), world.tracker.log()
    print("# %d resets, drained %.1f s after the last, overtaken: %s" % (road.resets, took, overtaken))
    expect(not overtaken, "overtaken, by how many: %s" % overtaken)
    for word in WRONG_WORDS:
        expect(word not in log, "said without reason: %s" % [line for line in log.splitlines() if word in line])
    expect("connection reset" in log, "a reset is not told from an orderly end")
    expect(took < most, "drained %.1f s after the last reset" % took)


def _resets_by_count(world, arrived, **settings):
    road = _meddler(world, delay_up=0.3, **settings)
    since, sent = _backlog(world, road, 1500)
    for count in arrived:
        expect(poll(lambda: len(_arrivals(world, since)) >= count, 60, every=0.1), "%d never came" % count)
        road.reset()
    _expect_drain(world, road, since, sent, time.monotonic())


@claim("1500 positions wait, and three resets in the middle of sending them change neither order nor pace", seconds=1700)
def resets(world):
    _resets_by_count(world, (200, 600, 1000))


@claim("the same with MQTT 5", seconds=1700, broker="max_inflight_messages 200")
def resets_5(world):
    _resets_by_count(world, (200, 600, 1000), mqttProtocolLevel=5)


@claim("three resets before anything is answered change neither order nor pace", seconds=1700)
def early(world):
    road = _meddler(world, delay_up=0.3)
    since, sent = _backlog(world, road, 1500)
    for _ in range(3):
        before = road.published
        expect(poll(lambda: road.published >= before + 20, 30), "nothing was sent")
        road.reset()
    # All of it is still to come, through a window that begins with one.
    _expect_drain(world, road, since, sent, time.monotonic(), most=2 * MOST_SECONDS)


@claim("resets 4 s apart, while positions come in", seconds=900)
def apart(world):
    road = _meddler(world, delay_up=0.3)
    since, sent = _backlog(world, road, 600)
    feeder = world.feeding(world.drive(150), hz=10)
    for _ in range(3):
        time.sleep(4)
        road.reset()
    last = time.monotonic()
    feeder.join()
    sent.update(feeder.sent)
    _expect_drain(world, road, since, sent, last)


@claim("one position turned away by a quota (MQTT 5) is overtaken only by what was under way", seconds=900)
def quota(world):
    road = _meddler(world, delay_up=0.3, mqttProtocolLevel=5, maxInFlight=20)
    refused = []

    def once(topic, payload, count):
        if _is_position(payload) and count > 100 and not refused:
            refused.append(payload)
            return True
        return False

    road.turns_away = once
    since, sent = _backlog(world, road, 400)
    sent.update(world.feed(world.drive(50), hz=5))
    world.wait_for_locations(sent, seconds=60)
    overtaken = _overtaken(world, since)
    print("# overtaken: %s" % overtaken)
    expect(len(refused) == 1, "none was turned away")
    expect(len(overtaken) <= 1, "several were overtaken: %s" % overtaken)
    expect(all(count < 20 for count in overtaken.values()), "by newer ones than were under way: %s" % overtaken)


@claim("a quota that lasts (MQTT 5) inverts nothing more", seconds=900)
def lasting_quota(world):
    road = _meddler(world, mqttProtocolLevel=5, maxInFlight=20)
    began = []

    def lasts(topic, payload, count):
        if count > 100 and not began:
            began.append(time.monotonic())
        return _is_position(payload) and bool(began) and time.monotonic() < began[0] + 45

    road.turns_away = lasts
    since, sent = _backlog(world, road, 300)
    sent.update(world.feed(world.drive(100), hz=5))
    world.wait_for_locations(sent, seconds=100)
    overtaken = _overtaken(world, since)
    print("# overtaken: %s" % overtaken)
    expect(began, "nothing was turned away")
    expect(not overtaken, "overtaken, by how many: %s" % overtaken)


def _poison(world, **settings):
    road = _meddler(world, **settings)
    road.ends_over = lambda topic, payload: b'"poi":"here"' in payload.replace(b" ", b"")
    world.start()
    since = len(world.watcher.messages)
    said = world.tracker.ask("publish", "--poi", "here")
    expect(said.status == 0, "publish: %s" % said.error)
    # The remark has taken the second of one of them.
    world.wait_for_locations(world.feed(world.drive(60), hz=5), 40, may_lack=1)
    print("# %d connections ended over it" % road.ended)
    expect(1 < road.ended <= 6, "%d connections ended over it" % road.ended)
    expect(not _overtaken(world, since), "others were overtaken: %s" % _overtaken(world, since))
    log = world.tracker.log()
    expect("client id" not in log, "taken for something else")
    expect("it ends the connection over a message of" in log, "nobody is told of the message")
    queue = world.tracker.status()["queue"]
    expect(queue.get("passedBy") == [TOPIC] and "held" not in queue, "status says nothing of it: %s" % queue)
    said = world.tracker.ask("doctor", "--file", world.tracker.configuration, seconds=30).text
    expect("passed by" in said and "not taken by the broker" in said, "doctor says nothing of it: %s" % said)


@claim("a message that the broker ends the connection over is got round within few connections", seconds=600)
def poison(world):
    _poison(world)


@claim("with MQTT 5 and its aliases, too", seconds=600)
def poison_5(world):
    _poison(world, mqttProtocolLevel=5)


if __name__ == "__main__":
    main()
