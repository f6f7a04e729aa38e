#!/usr/bin/env python3
# takes: 90 s
# behaviour: Presence and Home Assistant
"""What the broker keeps on /status is true: of a board that is there, and of one whose power has gone."""
import os
import sys
import time

sys.path.insert(1, sys.path[0] + "/../world")
from subscriber import retained
from tracker import TOPIC
from waiting import in_the_end, quiet_span, stays
from world import claim, expect, main

WATCH = TOPIC + "/status"
OWN, SECOND = "ute-board", "ute-board_status"


def kept(world, topic=WATCH):
    """What is kept on /status for later subscribers; None where nothing is."""
    found = retained(world.broker.port, [topic])
    return found[-1].json() if found else None


def is_kept(world, online):
    """Whether the word is, or becomes, that the board is there (or not)."""
    return in_the_end(lambda: (kept(world) or {}).get("linux", {}).get("online") is online, every=0.05)


def connections(world):
    """How often the broker has greeted the board, but for its second connection."""
    return world.broker.log().count(" as %s " % OWN)


def is_placed(status):
    return status["connection"].get("statusWill", {}).get("placed")


def placed(world):
    """Waits until the broker has the will."""
    expect(is_placed(world.tracker.wait_for_status(is_placed) or {}), "no second connection")


def undated(world):
    """Words on /status with a date that is none."""
    words = [m.json() for m in world.watcher.messages if m.topic == WATCH]
    return [word for word in words if word and word.get("tst", time.time()) < time.time() - 3600]


@claim("a broker that has lost all it kept is told the last location again, and one that has not is told nothing",
       monitoring=1, ping=0)
def told_again(world):
    world.start()
    world.tracker.is_drained()
    expect(quiet_span(lambda: len(world.locations()), 1), "it never comes to rest")
    told, before = world.locations(), connections(world)
    world.broker.stop()
    world.broker.start()
    expect(in_the_end(lambda: connections(world) > before), "it does not come back")
    expect(stays(lambda: world.locations() == told, 3),
           "told again to one that has kept it: %s" % world.locations()[len(told):])
    expect("_demo" not in kept(world, TOPIC), "kept is one that was told again: %s" % kept(world, TOPIC))
    world.broker.stop()
    os.remove(os.path.join(world.folder, "mosquitto.db"))
    world.broker.start()
    found = in_the_end(lambda: retained(world.broker.port, [TOPIC]))
    expect(found and found[-1].is_retained, "who comes late gets no location")
    again, last = found[-1].json(), told[-1]
    same = ("_type", "lat", "lon", "tst", "acc", "inregions")
    expect([again[key] for key in same] == [last[key] for key in same], "%s, not %s" % (again, last))
    # The Recorder passes over what has this key: it would keep the place twice.
    expect(again["_demo"] is True and "_demo" not in last, "%s" % again)


def power_cuts(world):
    world.start()
    placed(world)
    expect(is_kept(world, True), "after the start: %s" % kept(world))
    for _ in range(3):
        world.tracker.kill()
        expect(is_kept(world, False), "after the kill: %s" % kept(world))
        expect("fix" not in kept(world)["linux"], "a dead board says where it is: %s" % kept(world))
        world.tracker.start()
        placed(world)
        expect(is_kept(world, True), "after the next start: %s" % kept(world))
    for end in (world.broker.stop, world.broker.kill):
        end()
        world.broker.start()
        world.tracker.wait_for_status(is_placed)
        expect(is_kept(world, True), "after the broker's %s: %s" % (end.__name__, kept(world)))
    world.tracker.stop()
    expect(is_kept(world, False), "after the end: %s" % kept(world))
    expect("queueLength" in kept(world)["linux"], "the end is told by the broker: %s" % kept(world))
    time.sleep(1)
    expect("queueLength" in kept(world)["linux"], "the broker told of the end later: %s" % kept(world))
    expect(not undated(world), "dated %s" % undated(world)[:1])


@claim("who comes after a power cut reads that the board is gone, and after the start that it is there",
       availability=True, keepalive=5)
def older(world):
    power_cuts(world)


@claim("the same with MQTT 5", availability=True, keepalive=5, mqttProtocolLevel=5)
def newer(world):
    power_cuts(world)


@claim("a board that falls silent without a word is gone after one and a half keepalives", has_proxy=True,
       availability=True, keepalive=5)
def silent(world):
    world.start()
    placed(world)
    expect(is_kept(world, True), "after the start: %s" % kept(world))
    world.proxy.cut("stall")
    world.tracker.kill()
    expect(is_kept(world, False), "after the cut: %s" % kept(world))
    world.proxy.restore()
    world.tracker.start()
    placed(world)
    expect(is_kept(world, True), "after the next start: %s" % kept(world))


@claim("a kill while the connection is being made again does not leave a board that is there", has_proxy=True,
       availability=True, keepalive=5)
def anew(world):
    world.start()
    placed(world)
    for wait in (0, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.3):
        greeted = connections(world)
        world.proxy.cut("refuse")
        time.sleep(0.2)
        world.proxy.restore()
        in_the_end(lambda: connections(world) > greeted, every=0.0005)
        time.sleep(wait)
        world.tracker.kill()
        # Where the end of a connection was lost with the cut, one and a half keepalives, and the broker's own pace.
        expect(is_kept(world, False), "killed %g s after it: %s" % (wait, kept(world)))
        time.sleep(0.5)
        expect(is_kept(world, False), "a moment later: %s" % kept(world))
        world.tracker.start()
        placed(world)
        expect(is_kept(world, True), "started again: %s" % kept(world))


@claim("lost and found again many times, the word is that it is there", has_proxy=True, availability=True,
       keepalive=5, pace=4)
def flaky(world):
    world.start()
    # A fourth that dies young would be taken for a rival's work.
    for mode in ("refuse", "stall", "drop"):
        placed(world)
        world.proxy.cut(mode)
        time.sleep(0.3 if mode == "stall" else 3)
        world.proxy.restore()
        world.tracker.wait_for_status(is_placed)
    # Wills of connections that the broker has not yet missed would come by then.
    time.sleep(9)
    expect(is_kept(world, True), "in the end: %s" % kept(world))
    expect("no second connection" not in world.tracker.log(), world.tracker.log()[-500:])


@claim("what is said last counts, whichever way it ends", availability=True, keepalive=5, pace=4)
def endings(world):
    def settings(**changed):
        world.tracker.configure(**changed)
        world.tracker.hang_up()

    world.start()
    for off, on in (({"port": 0}, {"port": world.broker.port}), ({"availability": False}, {"availability": True}),
                    ({"mode": 3, "url": "http://127.0.0.1:1/"}, {"mode": 0})):
        placed(world)
        expect(is_kept(world, True), "before %s: %s" % (off, kept(world)))
        settings(**off)
        expect(is_kept(world, False), "with %s: %s" % (off, kept(world)))
        time.sleep(0.5)
        expect("queueLength" in kept(world)["linux"], "with %s the broker says it: %s" % (off, kept(world)))
        settings(**on)
    placed(world)
    settings(keepalive=6)
    time.sleep(0.5)
    placed(world)
    expect(is_kept(world, True), "with another keepalive: %s" % kept(world))
    world.tracker.ask("mode", "quiet")
    expect(in_the_end(lambda: kept(world)["linux"].get("mode") == -1), "in quiet: %s" % kept(world))
    expect(kept(world)["linux"]["online"] is True, "quiet is not gone: %s" % kept(world))


@claim("a broker that takes no second connection is told all the same, and once in the journal",
       has_proxy=True, availability=True, keepalive=5, pace=4)
def alone(world):
    world.proxy.limit = 1
    world.start()
    expect(is_kept(world, True), "after the start: %s" % kept(world))
    told = in_the_end(lambda: "no second connection" in world.tracker.log())
    expect(told, "the journal is silent: %s" % world.tracker.log()[-500:])
    connection = world.tracker.status()["connection"]
    expect(connection["state"] == "connected" and connection["since"] > 15, "the first one: %s" % connection)
    expect(connection["statusWill"].get("cause"), "no cause: %s" % connection)
    world.tracker.ask("mode", "manual")
    expect(in_the_end(lambda: kept(world)["linux"].get("mode") == 0), "with another mode: %s" % kept(world))
    world.lasts(20)
    expect(world.tracker.log().count("no second connection") == 1, world.tracker.log()[-500:])
    world.proxy.limit = None
    expect(is_placed(world.tracker.wait_for_status(is_placed)), "not tried again")


@claim("under an earlier name nothing is kept of it, whether the board ran or not when it got another one",
       availability=True)
def renamed(world):
    lorry, bus = "owntracks/ute/lorry", "owntracks/ute/bus"
    world.start()
    placed(world)
    expect(is_kept(world, True), "after the start: %s" % kept(world))
    world.tracker.configure(pubTopicBase=lorry)
    expect(world.tracker.ask("reload").status == 0, "reload")
    expect(in_the_end(lambda: kept(world, lorry + "/status")), "no word under the new name")
    expect(in_the_end(lambda: kept(world) is None), "under the old name: %s" % kept(world))
    world.tracker.stop()
    world.tracker.configure(pubTopicBase=bus)
    world.tracker.start()
    expect(in_the_end(lambda: kept(world, bus + "/status")), "no word under the third name")
    second = lambda: kept(world, lorry + "/status")
    expect(in_the_end(lambda: second() is None), "the second: %s" % second())
    expect(kept(world, TOPIC), "the last place of the first name is gone")


@claim("what port 0 has left with the broker while nothing ran is named, and goes with a connection", discovery=True)
def left(world):
    def described():
        return len(retained(world.broker.port, ["homeassistant/+/+/+/config"]))

    world.start()
    expect(in_the_end(lambda: described() > 5), "nothing is described")
    port = world.tracker.settings["port"]
    world.tracker.stop()
    world.tracker.configure(port=0)
    world.tracker.start()
    status = world.tracker.wait_for_status(lambda status: status.get("leftDescriptions"))
    expect(status and described() == status["leftDescriptions"], "status: %s" % status)
    doctor = world.tracker.ask("doctor", "--file", world.tracker.configuration).text
    expect("still shows" in doctor, doctor)
    refused = world.tracker.ask("withdraw")
    expect(refused.status == 1 and "by MQTT again" in refused.error, refused.error)
    for number, count in ((port, True), (0, False)):
        world.tracker.configure(port=number)
        expect(world.tracker.ask("reload").status == 0, "reload")
        expect(in_the_end(lambda: (described() > 0) == count), "port %d: %d are described" % (number, described()))
        if number:
            world.tracker.wait_for_status(lambda status: status["connection"]["state"] == "connected")
    expect("leftDescriptions" not in world.tracker.status(), "still told of")


@claim("a board that goes over to HTTP leaves no description with the broker, however much that says meanwhile",
       discovery=True, cmd=True, remoteConfiguration=True, odometer=True, trips=True, towAlarm=100, overspeed=130)
def over_to_http(world):
    described = lambda: retained(world.broker.port, ["homeassistant/+/+/+/config"])
    world.start()
    expect(in_the_end(lambda: len(described()) > 15), "%d are described" % len(described()))
    broker = "127.0.0.1:%d" % world.tracker.settings["port"]
    world.tracker.configure(mode=3, url="http://127.0.0.1:9/")
    expect(world.tracker.ask("reload").status == 0, "reload")
    expect(in_the_end(lambda: not described()), "left: %s" % [message.topic for message in described()])
    expect("broker %s: switched off" % broker in world.tracker.log(), world.tracker.log()[-800:])


@claim("nobody who keeps nothing on /status has a second connection")
def off(world):
    world.start()
    time.sleep(1)
    expect(" as %s " % OWN in world.broker.log(), "the broker does not say who comes")
    expect(SECOND not in world.broker.log(), world.broker.log()[-500:])


if __name__ == "__main__":
    main()
