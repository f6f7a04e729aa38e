#!/usr/bin/env python3
# takes: 40 s
# behaviour: Encryption
"""Encrypted payloads, both ways, with a real broker in between."""
import json
import os
import sys
import time

sys.path.insert(1, sys.path[0] + "/../world")
import subscriber
from envelope import KEY, OTHER, PLANTED, opened, sealed
from tracker import TOPIC, shim
from waiting import in_the_end
from world import claim, expect, main

plain_json = subscriber.Message.json


def json_inside(message):
    value = plain_json(message)
    if value is None or value.get("_type") != "encrypted":
        return value
    found = opened(value)
    return json.loads(found[0]) if found else None


# All that the world looks for is found in envelopes too.
subscriber.Message.json = json_inside


def envelopes(world):
    return [plain_json(m) for m in world.watcher.messages if (plain_json(m) or {}).get("_type") == "encrypted"]


def in_clear(world, since=0):
    """What left the tracker as it is; its will is meant to."""
    return [m.payload for m in world.watcher.messages[since:]
            if m.payload and (plain_json(m) or {}).get("_type") not in ("encrypted", "lwt")]


@claim("every position is encrypted, and the key opens it", encryptionKey=KEY)
def both(world):
    world.start()
    world.wait_for_locations(world.feed(world.drive(40), hz=10))
    expect(in_clear(world) == [], "in clear: %s" % in_clear(world)[:3])
    expect({opened(value)[1] for value in envelopes(world)} == {KEY}, "another key")
    expect(all(set(value) == {"_type", "data"} for value in envelopes(world)), "the envelope tells more")
    expect(world.tracker.status()["connection"]["encrypted"] is True, "status does not say so")


@claim("the will is not encrypted", encryptionKey=KEY)
def will(world):
    world.start()
    world.tracker.kill()
    expect(in_the_end(lambda: any((plain_json(m) or {}).get("_type") == "lwt" for m in world.watcher.messages)),
           "no will in clear")


@claim("a key that is set while the tracker runs is good for all that waits; no byte in clear after it",
       has_proxy=True)
def live(world):
    world.start()
    world.proxy.cut("refuse")
    times = world.feed(world.drive(30), hz=20)
    world.tracker.configure(encryptionKey=KEY)
    expect(world.tracker.ask("reload").status == 0, "no reload")
    since = len(world.watcher.messages)
    world.proxy.restore()
    times.update(world.feed(world.drive(20), hz=20))
    world.wait_for_locations(times)
    expect(in_clear(world, since) == [], "in clear: %s" % in_clear(world, since)[:3])


@claim("a key that is set while messages are on their way takes them back", has_proxy=True)
def under_way(world):
    world.start()
    # The messages go out, and nobody hears of them.
    world.proxy.cut("drop")
    times = world.feed(world.drive(10), hz=20)
    world.tracker.configure(encryptionKey=KEY)
    expect(world.tracker.ask("reload").status == 0, "no reload")
    since = len(world.watcher.messages)
    world.proxy.restore()
    world.wait_for_locations(times)
    expect(in_clear(world, since) == [], "in clear: %s" % in_clear(world, since)[:3])


@claim("another key counts from the next message on", encryptionKey=KEY)
def changed(world):
    world.start()
    world.wait_for_locations(world.feed(world.drive(10), hz=10))
    world.tracker.configure(encryptionKey=OTHER)
    expect(world.tracker.ask("reload").status == 0, "no reload")
    count = len(envelopes(world))
    world.wait_for_locations(world.feed(world.drive(10), hz=10))
    expect({opened(value)[1] for value in envelopes(world)[count:]} == {OTHER}, "the old key is still used")


@claim("10,000 messages that do not open: counted, one line for their topic, no disconnect", encryptionKey=KEY, friends=True)
def garbage(world):
    world.start()
    foreign = sealed(b'{"_type":"cmd","action":"dump"}', OTHER)
    for _ in range(10000):
        world.watcher.publish("owntracks/eve/phone", foreign)
    world.watcher.publish("owntracks/eve/short", b'{"_type":"encrypted","data":"AAAA"}')
    world.watcher.publish("owntracks/eve/none", b'{"_type":"encrypted"}')
    status = world.tracker.wait_for_status(lambda s: s["messages"]["unopened"] >= 10002)
    expect(status["messages"]["unopened"] == 10002, "counted %s" % status["messages"])
    expect(status["messages"]["malformed"] == 0, "taken for malformed")
    lines = [line for line in world.tracker.log().splitlines() if "encrypted message dropped" in line]
    expect(len(lines) == 3, "%d lines: %s" % (len(lines), lines[:5]))
    expect("40 bytes" in lines[1] and "base64" in lines[2], "no reasons: %s" % lines)
    expect(world.tracker.log().count("connected to") == 1, "it lost the connection")
    expect(status["connection"]["state"] == "connected", "not connected")


@claim("what opens is taken as if it had come in clear, and so is what came in clear", encryptionKey=KEY, friends=True)
def taken(world):
    world.start()
    world.watcher.publish("owntracks/amy/phone", sealed(b'{"no":"type"}'))
    status = world.tracker.wait_for_status(lambda s: s["messages"]["malformed"] >= 1)
    expect("owntracks/amy/phone: no _type" in status["messages"]["lastMalformed"], "not looked into")
    world.watcher.publish("owntracks/amy/watch", b'{"no":"type either"}')
    status = world.tracker.wait_for_status(lambda s: s["messages"]["malformed"] >= 2)
    expect("owntracks/amy/watch" in status["messages"]["lastMalformed"], "plain messages are not read")
    expect(status["messages"]["unopened"] == 0, "counted as unreadable")


@claim("with a key, only those who know it give orders", encryptionKey=KEY, cmd=True, remoteConfiguration=True)
def orders(world):
    world.start()
    order = json.dumps({"_type": "cmd", "action": "setConfiguration", "configuration": {
        "_type": "configuration", "tid": "zz", "encryptionKey": "", "tls": True}}).encode()
    world.watcher.publish(TOPIC + "/cmd", order)
    expect(in_the_end(lambda: "refused: only encrypted" in world.tracker.log()), "nothing refused")
    expect(world.tracker.status()["identity"]["tid"] == "rd", "obeyed in clear")
    world.watcher.publish(TOPIC + "/cmd", sealed(order))
    expect(in_the_end(lambda: world.tracker.status()["identity"]["tid"] == "zz"), "not obeyed")
    log = world.tracker.log()
    expect("encryptionKey can only be set on the board itself" in log, "not refused: %s" % log[-500:])
    expect("tid changed from rd to zz by a command on %s/cmd" % TOPIC in log, "no line: %s" % log[-500:])
    expect(world.tracker.status()["connection"]["encrypted"] is True, "the encryption is off")


@claim("the answer to a command is encrypted, also where it was refused for coming in clear", encryptionKey=KEY, cmd=True)
def told(world):
    world.start()
    order = json.dumps({"_type": "cmd", "action": "status", "id": "mine"}).encode()
    for payload, isObeyed in ((order, False), (sealed(order), True)):
        since = len(world.watcher.messages)
        world.watcher.publish(TOPIC + "/cmd", payload)
        found = in_the_end(lambda: [m for m in world.watcher.messages[since:] if m.topic == TOPIC + "/cmd/answer"])
        expect(found and plain_json(found[0])["_type"] == "encrypted", "not encrypted: %s" % found)
        expect(found[0].json()["ok"] is isObeyed and found[0].json()["id"] == "mine", "%s" % found[0].json())


@claim("without libsodium one line names the package, and nothing goes out in clear", encryptionKey=KEY)
def missing(world):
    folder = os.path.join(world.folder, "libraries")
    os.mkdir(folder)
    open(os.path.join(folder, "libsodium.so.23"), "w").close()
    world.tracker.start(env={"LD_LIBRARY_PATH": folder})
    world.settle()
    times = world.feed(world.drive(10), hz=10)
    status = world.tracker.status()
    expect(status["connection"]["colour"] == "red", "connection %s" % status["connection"])
    expect("libsodium23" in status["connection"]["cause"], "the cause names no package")
    expect(status["queue"]["count"] >= len(times), "nothing waits")
    lines = [line for line in world.tracker.log().splitlines() if "libsodium23" in line]
    expect(len(lines) == 1, "%d lines name the package" % len(lines))
    time.sleep(1)
    expect(not world.watcher.messages, "sent: %s" % [m.payload for m in world.watcher.messages])
    world.tracker.configure(encryptionKey=None)
    expect(world.tracker.ask("reload").status == 0, "no reload")
    world.wait_for_locations(times)


@claim("without a key the library is not even loaded")
def lean(world):
    world.start()
    with open("/proc/%d/maps" % world.tracker.pid) as file:
        expect("sodium" not in file.read(), "libsodium is in memory")


@claim("a key of more than 32 bytes stops the start, and is not told")
def long(world):
    world.tracker.configure(encryptionKey="ä" * 16 + "x")
    status, text = world.tracker.run_to_end()
    expect(status == 78, "exit status %s" % status)
    expect("encryptionKey is (hidden), expected a text of at most 32 bytes" in text, text)


@claim("the key stands in no journal, status or dump", encryptionKey=PLANTED)
def secret(world):
    world.start()
    world.feed(world.drive(5), hz=10)
    shown = [world.tracker.log(), world.tracker.ask("status", "--json").text, world.tracker.ask("why").text,
             world.tracker.ask("config", "show", "--file", world.tracker.configuration).text]
    expect(all("pl4nted" not in text for text in shown), "the key is told")


@claim("a library that was missing is found by a reload, a connect or a reconnect once it is installed", has_gpsd=False,
       encryptionKey=KEY)
def installed(world):
    for word in ("reload", "connect", "reconnect"):
        flag = os.path.join(world.folder, "missing")
        open(flag, "w").close()
        world.tracker.start(env={"LD_PRELOAD": shim("missing_library", world.folder), "MISSING_LIBRARY": "libsodium",
                                 "MISSING_WHILE": flag})
        blocked = lambda status: "libsodium" in (status["connection"]["cause"] or "")
        expect(blocked(world.tracker.wait_for_status(blocked)), "%s" % world.tracker.status()["connection"])
        os.unlink(flag)
        expect(world.tracker.ask(word).status == 0, "%s is refused" % word)
        good = lambda status: status["connection"]["state"] == "connected"
        expect(good(world.tracker.wait_for_status(good)), "%s does nothing: %s" % (word, world.tracker.status()["connection"]))
        world.tracker.stop()


if __name__ == "__main__":
    main()
