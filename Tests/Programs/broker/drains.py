"""Positions that wait for a road to the broker, and how they come when it is open again."""
import bisect
import time

from meddler import Meddler
from servers import free_port
from tracker import TOPIC


def meddler(world, delay_up=0.0, mqttProtocolLevel=4, **settings):
    """With MQTT 5 mosquitto takes 20 at a time unless it is told otherwise."""
    road = Meddler(free_port(), world.broker.port, delay_up)
    world._closing.append(road.close)
    world.tracker.configure(port=road.port, mqttProtocolLevel=mqttProtocolLevel, **settings)
    return road


def backlog(world, road, count, hz=75):
    """So many positions wait for a road that is open again when this returns."""
    world.start()
    road.cut("refuse")
    time.sleep(0.5)
    since = len(world.watcher.messages)
    sent = world.feed(world.drive(count), hz=hz)
    road.restore()
    return since, sent


def arrivals(world, since=0):
    """(tst, moment) of the positions as each came first."""
    seen, found = set(), []
    for message in list(world.watcher.messages)[since:]:
        value = message.json() if message.topic == TOPIC else None
        if value and value.get("_type") == "location" and value["tst"] not in seen:
            seen.add(value["tst"])
            found.append((value["tst"], message.arrived))
    return found


def overtaken(world, since=0):
    """{tst: how many newer ones came before it}"""
    newer, found = [], {}
    for tst, _ in arrivals(world, since):
        count = len(newer) - bisect.bisect(newer, tst)
        if count:
            found[tst] = count
        bisect.insort(newer, tst)
    return found
