#!/usr/bin/env python3
# takes: 50 s
# behaviour: Who is obeyed
# behaviour: Answers
"""Commands over a real broker: what they bring out, what they change, and what is not let in."""
import json
import os
import socket
import sys
import time

sys.path.insert(1, sys.path[0] + "/../world")
from servers import free_port
from tracker import TOPIC
from waiting import in_the_end, stays
from world import as_root, claim, expect, main

# How many times as fast the tracker lives while it waits two minutes for another server.
PACE = 6
OPEN = {"cmd": True, "remoteConfiguration": True}


def command(world, action, is_retained=False, **more):
    payload = json.dumps({"_type": "cmd", "action": action, **more})
    world.watcher.publish(TOPIC + "/cmd", payload.encode(), is_retained)


def answer(world, suffix):
    """The newest message on a topic below the base."""
    found = in_the_end(lambda: [m for m in world.watcher.messages if m.topic == "%s/%s" % (TOPIC, suffix)])
    expect(found, "nothing on %s: %s" % (suffix, world.tracker.log()[-2000:]))
    expect(not found[-1].is_retained, "%s is retained" % suffix)
    return found[-1].json()


def why(world):
    return [reason["text"] for reason in world.tracker.ask("why", "--json").json()["reasons"]]


@claim("reportLocation, dump, status, waypoints and reportSteps are answered", **OPEN)
def answered(world):
    world.start()
    command(world, "reportLocation")
    expect(in_the_end(lambda: [m for m in world.locations() if m.get("t") == "r"]), "no location on command")
    for action, suffix in (("dump", "dump"), ("status", "status"), ("waypoints", "waypoints"), ("reportSteps", "step")):
        command(world, action)
        found = answer(world, suffix)
        expect(found["_type"] == {"step": "steps"}.get(suffix, suffix), "%s answered with %s" % (action, found))
    status = answer(world, "status")["linux"]
    for key in ("version", "hostname", "kernel", "uptime", "gpsd", "bluetooth", "queueLength"):
        expect(key in status, "no %s in %s" % (key, status))
    expect(status["gpsd"]["connected"] is True and status["gpsd"]["mode"] == 3, "gpsd %s" % status["gpsd"])


# What needs which level, in the order in which they are asked.
LEVELS = (({"cmd": False}, ()),
          ({"cmd": True, "allowRemoteLocation": False}, ("dump", "status", "waypoints", "reportSteps")),
          ({"cmd": True}, ("reportLocation", "dump", "status", "waypoints", "reportSteps")),
          (OPEN, ("reportLocation", "dump", "status", "waypoints", "reportSteps", "setWaypoints", "clearWaypoints",
                  "setConfiguration")))
BODIES = {"setWaypoints": {"waypoints": {"_type": "waypoints", "waypoints": []}},
          "setConfiguration": {"configuration": {"_type": "configuration", "tid": "zz"}}}


def answers(world):
    found = [m for m in world.watcher.messages if m.topic == TOPIC + "/cmd/answer"]
    expect(not any(m.is_retained for m in found), "a retained answer")
    return {value.get("id"): value for value in (m.json() for m in found)}


@claim("a command with an id is answered at every level of permission, and none without", cmd=False)
def told(world):
    world.start()
    number = 0
    for settings, allowed in LEVELS:
        # From the start, so that no level uses up the turns of the next.
        world.tracker.kill()
        world.tracker.configure(**{"remoteConfiguration": None, "allowRemoteLocation": None, **settings})
        world.tracker.start()
        expect(world.tracker.wait_for_status(lambda status: status["connection"]["state"] == "connected"), "not back")
        world.warm_up()
        asked = {}
        for action in LEVELS[-1][1]:
            number += 1
            asked[number] = action
            command(world, action, id=number, **BODIES.get(action, {}))
        if not allowed:
            command(world, "dump")
        expect(in_the_end(lambda: set(asked) <= set(answers(world))), "unanswered with %s: %s" % (
            settings, {asked[n] for n in set(asked) - set(answers(world))}))
        for n, action in asked.items():
            found = answers(world)[n]
            expect(found["_type"] == "answer" and found["action"] == action, "answered with %s" % found)
            expect(found["ok"] is (action in allowed), "with %s: %s" % (settings, found))
            expect(found["ok"] or found["reason"], "no reason: %s" % found)
    expect(set(answers(world)) == set(range(1, number + 1)), "an answer to nobody: %s" % set(answers(world)))


@claim("a flood of refused commands brings no flood of answers", cmd=False)
def flooded(world):
    world.start()
    for number in range(500):
        command(world, "dump", id=number)
    enough = lambda: len(answers(world)) >= 30
    expect(in_the_end(enough) and stays(lambda: len(answers(world)) <= 32, 2), "%d answers" % len(answers(world)))


@claim("a dump says what is in force, and no secret", password="sesame", **OPEN)
def dump(world):
    world.start()
    world.tracker.ask("mode", "manual")
    command(world, "dump")
    settings = answer(world, "dump")["configuration"]
    expect(settings["monitoring"] == 0 and settings["password"] == "***", "dump %s" % settings)
    text = world.tracker.log() + "".join(m.payload.decode() for m in world.watcher.messages)
    expect("sesame" not in text, "the password came out")


@claim("setConfiguration is in force at once and after a kill", **OPEN)
def configured(world):
    world.start()
    command(world, "setConfiguration", configuration={"_type": "configuration", "tid": "zz", "foo": 1, "downgrade": 900})
    expect(in_the_end(lambda: "zz" == world.tracker.status()["identity"]["tid"]), "tid not changed")
    expect("downgrade is 900" in world.tracker.log(), "the bad key is not named")
    # What is in force may take a moment to the disk. Done is said when all before it is there.
    expect(world.tracker.ask("tag", "later").status == 0, "homeward tag failed")
    world.tracker.kill()
    world.tracker.start()
    expect(world.tracker.wait_for_status(lambda status: status["identity"]["tid"] == "zz"), "lost in the kill")
    expect(world.tracker.status()["identity"]["tid"] == "zz", "lost in the kill")


@claim("a person's edit of the file wins over what a command had set", **OPEN)
def edited(world):
    world.start()
    command(world, "setConfiguration", configuration={"_type": "configuration", "tid": "zz"})
    expect(in_the_end(lambda: "zz" == world.tracker.status()["identity"]["tid"]), "tid not changed")
    world.tracker.configure(tid="fi")
    world.tracker.hang_up()
    expect(in_the_end(lambda: "fi" == world.tracker.status()["identity"]["tid"]), "the file does not win")


@claim("people at the board see what commands have changed, without secrets, and take it back", **OPEN)
def taken_back(world):
    world.start()
    command(world, "setConfiguration", configuration={
        "_type": "configuration", "tid": "zz", "locatorInterval": 77, "password": "sesame"})
    expect(in_the_end(lambda: "zz" == world.tracker.status()["identity"]["tid"]), "tid not changed")
    shown = world.tracker.ask("config", "remote")
    expect("locatorInterval" in shown.text and "77" in shown.text, "shown %s" % shown.text)
    expect("sesame" not in shown.text + json.dumps(world.tracker.status()), "a secret came out")
    expect("locatorInterval" in world.tracker.ask("status").text, "status says nothing")
    expect(world.tracker.ask("config", "remote", "--clear").status == 0, "not taken back")
    expect("zz" != world.tracker.status()["identity"]["tid"], "tid not taken back")
    world.tracker.kill()
    world.tracker.start()
    world.tracker.wait_for_status(lambda status: status["connection"]["state"] == "connected")
    expect("remote" not in world.tracker.status(), "back after a kill: %s" % world.tracker.status().get("remote"))


@claim("settings with which no broker is reached are taken back, nothing is lost", pace=PACE, **OPEN)
def rolled_back(world):
    world.start()
    before = time.monotonic()
    command(world, "setConfiguration", configuration={"_type": "configuration", "port": free_port()})
    expect(in_the_end(lambda: world.tracker.status()["connection"]["state"] != "connected"), "still connected")
    world.tracker.ask("publish", "--poi", "meanwhile")
    expect(in_the_end(lambda: world.tracker.status()["connection"]["state"] == "connected", every=0.2), "not back")
    took = (time.monotonic() - before) * PACE
    expect(took > 110, "back after %.0f s" % took)
    expect(in_the_end(lambda: [m for m in world.locations() if m.get("poi") == "meanwhile"]), "lost meanwhile")
    expect(any("old ones are back" in text for text in why(world)), "why says %s" % why(world))
    expect("old ones are back" in world.tracker.log(), "the journal says nothing")


def first_words(port):
    """What somebody says who connects here."""
    with socket.create_server(("127.0.0.1", port)) as listening:
        listening.settimeout(60)
        line, _ = listening.accept()
        with line:
            line.settimeout(60)
            return line.recv(1000)


@claim("the file's password is not told to a host that a command names", auth=True, password="sesame", **OPEN)
def kept(world):
    world.start()
    port = free_port()
    command(world, "setConfiguration",
            configuration={"_type": "configuration", "host": "localhost", "port": port})
    said = first_words(port)
    expect(b"MQTT" in said and b"sesame" not in said, "said %s" % said)
    expect("password of the file is for the file's own server" in world.tracker.log(), "no line about it")


@claim("nor to another port in clear, which is told what the command gives along", auth=True, password="sesame", **OPEN)
def told(world):
    world.start()
    port = free_port()
    command(world, "setConfiguration",
            configuration={"_type": "configuration", "host": "127.0.0.1", "port": port})
    said = first_words(port)
    expect(b"MQTT" in said and b"sesame" not in said, "said %s" % said)
    world.tracker.ask("config", "remote", "--clear")
    expect(in_the_end(lambda: world.tracker.status()["connection"]["state"] == "connected"), "not back")
    command(world, "setConfiguration",
            configuration={"_type": "configuration", "port": port, "password": "theirs"})
    said = first_words(port)
    expect(b"theirs" in said and b"ute" in said, "said %s" % said)


@claim("what a command has locked root unlocks, and nobody else", **OPEN)
def unlocked(world):
    as_root()
    world.start()
    command(world, "setConfiguration", configuration={"_type": "configuration", "locked": True})
    expect(in_the_end(lambda: world.tracker.ask("tag", "x").status == 1), "not locked")
    os.chmod(world.folder, 0o755)
    os.chmod(world.tracker.socket, 0o666)
    line = socket.socket(socket.AF_UNIX)
    child = os.fork()
    if child == 0:
        os.setuid(65534)
        line.connect(world.tracker.socket)
        line.sendall(b'["settings","clear"]\n')
        os._exit(0 if b"only root" in line.makefile("rb").readline() else 1)
    expect(os.waitpid(child, 0)[1] == 0, "another user is not refused")
    expect(world.tracker.ask("config", "remote", "--clear").status == 0, "root is refused")
    expect(world.tracker.ask("tag", "x").status == 0, "still locked")
    expect("locked changed from true to false by a local user" in world.tracker.log(), "no line about it")


@claim("a retained command is never obeyed, not after many connections", **OPEN)
def retained(world):
    command(world, "setConfiguration", True, configuration={"_type": "configuration", "tid": "zz"})
    world.start()
    for _ in range(5):
        world.tracker.stop()
        world.tracker.start()
        world.tracker.wait_for_status(lambda status: status["connection"]["state"] == "connected")
    expect(any("retained" in text for text in why(world)), "why says %s" % why(world))
    expect(world.tracker.status()["identity"]["tid"] != "zz", "obeyed")


@claim("rubbish on the command topic changes nothing and is named once", **OPEN)
def rubbish(world):
    world.start()
    for payload in (b"{", b"[]", b"5", b'{"_type":"cmd"}', b'{"_type":"cmd","action":"fly"}', b"\xff\x00", b"{}" * 5000):
        for _ in range(20):
            world.watcher.publish(TOPIC + "/cmd", payload)
    status = world.tracker.wait_for_status(lambda status: status["messages"]["malformed"] >= 140)
    expect(status["messages"]["malformed"] == 140, "counted %s" % status["messages"])
    lines = [line for line in world.tracker.log().splitlines() if "malformed" in line]
    expect(1 <= len(lines) <= 3, "%d lines for 140 bad messages" % len(lines))
    command(world, "reportLocation")
    expect(in_the_end(lambda: [m for m in world.locations() if m.get("t") == "r"]), "no command is obeyed any more")


if __name__ == "__main__":
    main()
