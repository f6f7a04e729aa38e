#!/usr/bin/env python3
# takes: 120 s
# behaviour: Connecting
# behaviour: Several brokers
"""What people ask of the connection: at once, off, on, anew. And news, which waits for nobody's ladder."""
import contextlib
import socket
import sys

sys.path.insert(1, sys.path[0] + "/../world")
from tracker import TOPIC, shim
from waiting import IN_THE_END, in_the_end
from world import claim, expect, main


def connection(world):
    return world.tracker.status()["connection"]


def connected(status):
    return status["connection"]["state"] == "connected"


# By itself it tries again later than anybody here waits for it: what is tried was asked for.
RARELY = {"reconnectMin": 3600, "reconnectMax": 3600}


def long_wait(world):
    """Until the next attempt is far away."""
    is_far = lambda s: (s["connection"].get("nextAttempt") or 0) > 2 * IN_THE_END
    status = world.tracker.wait_for_status(is_far)
    expect(is_far(status), "no long wait: %s" % status["connection"])
    return status["connection"]["attempts"]


def tried(world, attempts):
    """Whether another attempt is made."""
    return world.tracker.wait_for_status(lambda s: s["connection"]["attempts"] > attempts)[
        "connection"]["attempts"] > attempts


@claim("publish, reload, connect and reconnect each try at once", has_proxy=True, monitoring=0, **RARELY)
def at_once(world):
    world.proxy.cut("refuse")
    world.tracker.start()
    world.settle()
    for words in (["publish"], ["reload"], ["connect"], ["reconnect"]):
        attempts = long_wait(world)
        answer = world.tracker.ask(*words)
        expect(answer.status == 0, "%s: %s%s" % (words, answer.text, answer.error))
        expect(tried(world, attempts), "%s: no attempt" % words)
    long_wait(world)
    world.proxy.restore()
    expect(world.tracker.ask("reconnect").status == 0, "no reconnect")
    expect(in_the_end(lambda: len(world.locations()) == 1), "what waited did not arrive")


@claim("a position that is recorded starts an attempt", has_proxy=True, **RARELY)
def news(world):
    world.proxy.cut("refuse")
    world.tracker.start()
    # The tracker has to have a position, and then nothing to say for a while.
    world.settle()
    attempts = long_wait(world)
    world.proxy.restore()
    world.feed(world.stand(2))
    expect(world.tracker.wait_for_status(connected)["connection"]["state"] == "connected", "not connected")
    expect(attempts > 0 and in_the_end(lambda: world.locations()), "nothing arrived")


@claim("after the broker's end a board of a fleet waits for its turn, whatever it has to say; a person ends the wait",
       has_proxy=True, reconnectSpread=3600)
def turn_of_a_fleet(world):
    world.start()
    # Of a connection that has lived so long the end is the broker's.
    world.lasts(11)
    world.proxy.cut("refuse")
    # Refused meanwhile, it draws again.
    attempts = long_wait(world)
    world.proxy.restore()
    sent = world.feed(world.drive(20))
    expect(connection(world)["attempts"] == attempts, "news has hurried it")
    expect(not world.published(sent), "something got out")
    expect(world.tracker.ask("connect").status == 0, "no connect")
    world.wait_for_locations(sent)
    world.expect_once_in_order()


@claim("a board of a fleet that comes back from a hole in coverage does not wait for its turn",
       has_proxy=True, reconnectSpread=3600)
def hole_in_coverage(world):
    world.start()
    world.lasts(11)
    world.proxy.cut("drop")
    sent = world.feed(world.drive(80))
    # The network has forgotten the connection: it is reset.
    world.proxy.restore()
    world.wait_for_locations(sent)
    world.expect_once_in_order()


@contextlib.contextmanager
def mute(address, port=0):
    """A port that takes connections and says nothing."""
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((address, port))
        listener.listen(64)
        yield listener.getsockname()[1]


def in_use(world):
    """Host and port of the connection that stands; None: there is none."""
    found = (world.tracker.status() or {}).get("connection") or {"state": "starting"}
    return found["state"] == "connected" and (found["host"], found["port"]) or None


@claim("a broker that says nothing costs its time-out and no wait, and the next one of the list is used",
       connectionTimeoutSeconds=3, **RARELY)
def silent_first(world):
    broker = world.broker.port
    with mute("127.0.0.1") as port:
        world.tracker.configure(host="127.0.0.1:%d, 127.0.0.1" % port)
        world.tracker.start()
        world.settle()
        expect(in_the_end(lambda: in_use(world) == ("127.0.0.1", broker)), "%s" % connection(world))
        expect("connected 127.0.0.1:%d" % broker in world.tracker.ask("status").text, "status names another one")
        expect("broker 127.0.0.1:%d: " % port in world.tracker.log(), "the journal does not name the silent one")
        findings = world.tracker.ask("doctor", "--json", "--file", world.tracker.configuration).json()
        found = next(finding for finding in findings if finding["subject"] == "broker")
        expect(found["verdict"] == "ok" and ":%d connected" % broker in found["text"], "%s" % found)
    expect(in_the_end(lambda: world.locations()), "nothing arrived")


@claim("the last broker of a list takes over, the second connection goes along, and later the first is used again",
       has_proxy=True, availability=True, **RARELY)
def takes_over(world):
    first, second = world.proxy.port, world.broker.port
    world.tracker.configure(host="127.0.0.1 127.0.0.1:%d" % second)
    world.start()
    expect(in_use(world) == ("127.0.0.1", first), "%s" % connection(world))
    world.lasts(11)
    attempts = world.proxy.connections
    world.proxy.cut("refuse")
    # The board's own ladder is for hours: what it waits for is news.
    sent = world.feed(world.drive(20))
    expect(in_the_end(lambda: in_use(world) == ("127.0.0.1", second)), "%s" % connection(world))
    placed = lambda: (connection(world).get("statusWill") or {}).get("placed")
    expect(in_the_end(placed), "no will on the second: %s" % connection(world))
    world.wait_for_locations(sent)
    world.expect_once_in_order()
    expect(world.proxy.connections == attempts, "somebody has reached the first")
    world.proxy.restore()
    world.lasts(3)
    expect(world.tracker.ask("reconnect").status == 0, "no reconnect")
    expect(in_the_end(lambda: in_use(world) == ("127.0.0.1", first)), "%s" % connection(world))


@claim("of the addresses of a name the next is tried where one says nothing, and the good one first after that",
       connectionTimeoutSeconds=3, **RARELY)
def addresses(world):
    environment = {"LD_PRELOAD": shim("many_addresses", world.folder), "ADDRESSES": "127.0.0.2 127.0.0.3 127.0.0.1"}
    world.tracker.configure(host="brokers.example")
    # Nobody listens on the second.
    with mute("127.0.0.2", world.broker.port):
        world.tracker.start(env=environment)
        expect(in_the_end(lambda: in_use(world) == ("brokers.example", world.broker.port)), "%s" % connection(world))
        world.lasts(3)
        lines = world.tracker.log().count("no MQTT greeting in")
        expect(world.tracker.ask("reconnect").status == 0, "no reconnect")
        expect(in_the_end(lambda: world.broker.log().count(" as ute-board") == 2), world.broker.log())
        expect(world.tracker.log().count("no MQTT greeting in") == lines, "the silent one was tried again")


@claim("disconnected it stays away and queues, says so to those who watch, and delivers when it is back",
       availability=True)
def off(world):
    world.start()
    answer = world.tracker.ask("disconnect")
    expect(answer.status == 0 and "waits until homeward connect" in answer.text, answer.text + answer.error)
    found = connection(world)
    expect(found["switchedOff"] and found["colour"] == "blue", "%s" % found)
    expect("disconnected by a person" in world.tracker.ask("status").text, "status does not say so")
    findings = world.tracker.ask("doctor", "--json", "--file", world.tracker.configuration).json()
    broker = next(finding for finding in findings if finding["subject"] == "broker")
    expect(broker["verdict"] == "warn" and "homeward connect" in broker["remedy"], "%s" % broker)
    words = lambda: [b'"online":true' in m.payload for m in world.watcher.messages if m.topic == TOPIC + "/status"]
    expect(in_the_end(lambda: words() and words()[-1] is False), "those who watch are told: %s" % words())
    sent = world.feed(world.drive(20))
    expect(world.tracker.ask("reload").status == 0 and world.tracker.ask("publish").status == 0, "no publish")
    expect(not world.published(sent), "something got out")
    status = world.tracker.status()
    expect(status["connection"]["switchedOff"] and status["queue"]["count"] > 15, "%s" % status["queue"])
    expect(world.tracker.ask("connect").status == 0, "no connect")
    world.wait_for_locations(sent)
    world.expect_once_in_order()
    expect(in_the_end(lambda: words()[-1] is True), "not told to be there: %s" % words())
    expect("connected already" in world.tracker.ask("connect").text, "connects twice")


@claim("a new connection takes the place of the present one, and a restart ends a disconnect")
def anew(world):
    world.start()
    # More often it connects for nobody.
    world.lasts(2)
    expect(world.tracker.ask("reconnect").status == 0, "no reconnect")
    expect(in_the_end(lambda: world.broker.log().count(" as ute-board") == 2), world.broker.log())
    world.tracker.wait_for_status(connected)
    expect(world.tracker.ask("disconnect").status == 0, "no disconnect")
    world.tracker.stop()
    world.tracker.start()
    expect(world.tracker.wait_for_status(connected)["connection"]["state"] == "connected", "still off")


@claim("nobody cuts off a board that is locked", locked=True)
def locked(world):
    world.start()
    expect(world.tracker.ask("disconnect").status == 1, "it may be cut off")
    expect(connection(world)["state"] == "connected", "it was cut off")
    expect(world.tracker.ask("reconnect").status == 0, "no reconnect")


if __name__ == "__main__":
    main()
