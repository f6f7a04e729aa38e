#!/usr/bin/env python3
# takes: 40 s
# behaviour: The control socket
# behaviour: why
"""`homeward` against the running daemon: what it prints, what it does, how it ends."""
import json
import os
import socket
import stat
import sys

sys.path.insert(1, sys.path[0] + "/../world")
from crowds import crowd
from nmea import along, degrees, stand
from tracker import TOPIC
from waiting import in_the_end, stays
from world import as_root, claim, expect, main


def expect_json(answer):
    expect(answer.status == 0, "status %d: %s" % (answer.status, answer.error.strip()))
    try:
        return answer.json()
    except ValueError as error:
        raise AssertionError("no JSON: %s: %s" % (error, answer.text[:80]))


@claim("status tells position, mode, connection, queue and receiver")
def status(world):
    world.start()
    found = expect_json(world.tracker.ask("status", "--json"))["status"]
    for key in ("mode", "fix", "connection", "gps", "queue", "store", "clock", "version"):
        expect(key in found, "no %s in %s" % (key, sorted(found)))
    expect(found["mode"] == "move", "mode %s" % found["mode"])
    expect(found["connection"]["state"] == "connected", "connection %s" % found["connection"])
    text = world.tracker.ask("status")
    expect(text.status == 0 and "move" in text.text.lower(), "status in words: %s" % text.text)


@claim("publish sends the position at once with t=u and the remark")
def publish(world):
    world.start()
    answer = world.tracker.ask("publish", "--poi", "caf\u00e9")
    expect(answer.status == 0, "status %d: %s" % (answer.status, answer.error))
    found = in_the_end(lambda: [m for m in world.locations() if m.get("t") == "u"])
    expect(found and found[0].get("poi") == "caf\u00e9", "published %s" % found)


@claim("publish without any fix is refused loudly", has_gpsd=False)
def publish_nothing(world):
    world.tracker.start()
    world.tracker.wait_for_status(lambda status: True)
    answer = world.tracker.ask("publish")
    expect(answer.status == 1, "status %d" % answer.status)
    expect(answer.error.strip(), "nothing on standard error")
    expect(not world.locations(), "a position out of nothing")


@claim("mode manual stops automatic positions, move brings them back")
def mode(world):
    world.start()
    expect(world.tracker.ask("mode", "manual").status == 0, "mode manual failed")
    sent = world.feed(world.drive(20))
    expect(world.tracker.handles(max(sent)), "the drive is not handled")
    expect(stays(lambda: not world.published(sent), 1), "positions in manual mode")
    expect(world.tracker.ask("mode", "2").status == 0, "mode 2 failed")
    world.wait_for_locations(world.feed(world.drive(20)))


@claim("region add, list, set, move, rm")
def regions(world):
    world.start()
    there = degrees((300.0, 0.0))
    place = ["--lat", "%.6f" % there[0], "--lon", "%.6f" % there[1]]
    ask = world.tracker.ask
    expect(ask("region", "add", "Mill", *place, "--radius", "80").status == 0, "region add failed")
    waypoints = in_the_end(lambda: world.heard("waypoint", TOPIC + "/waypoint"))
    expect(waypoints and waypoints[0]["desc"] == "Mill" and waypoints[0]["rad"] == 80, "waypoint %s" % waypoints)
    listed = expect_json(ask("region", "list", "--json"))["regions"]
    expect([region["desc"] for region in listed] == ["Mill"], "listed %s" % listed)
    world.feed(along([(0, 0), (300, 0)]) + stand(4, (300, 0)))
    expect(in_the_end(lambda: world.crossings() == [("enter", "Mill")]), "crossings %s" % world.crossings())
    expect(ask("region", "set", "Mill", "--name", "Old mill").status == 0, "region set failed")
    again = in_the_end(lambda: world.heard("waypoint", TOPIC + "/waypoint")[1:])
    expect(again and again[0]["rid"] == waypoints[0]["rid"], "an edit gave another rid: %s" % again)
    expect(ask("region", "move", "Old mill", "--here").status == 0, "region move failed")
    expect(ask("region", "rm", "Old mill").status == 0, "region rm failed")
    expect(expect_json(ask("region", "list", "--json"))["regions"] == [], "the region is still there")
    expect(ask("region", "rm", "Old mill").status == 1, "removing what is not there is no failure")


@claim("region import and export give back what they were given")
def files(world):
    world.start()
    path = os.path.join(world.folder, "places.otrw")
    here = degrees((9000.0, 0.0))
    entry = {"_type": "waypoint", "desc": "Depot", "lat": round(here[0], 6), "lon": round(here[1], 6), "rad": 75,
             "tst": 1385997757, "rid": "0a1b2c"}
    with open(path, "w") as file:
        json.dump({"_type": "waypoints", "waypoints": [entry]}, file)
    answer = world.tracker.ask("region", "import", path)
    expect(answer.status == 0, "region import: %s" % answer.error)
    exported = world.tracker.ask("region", "export")
    expect(exported.status == 0, "region export: %s" % exported.error)
    found = json.loads(exported.text)["waypoints"]
    expect(len(found) == 1, "%d regions" % len(found))
    for key, value in entry.items():
        expect(found[0].get(key) == value, "%s is %r, was %r" % (key, found[0].get(key), value))


@claim("why names published and withheld positions with their reasons", locatorDisplacement=100)
def why(world):
    world.tracker.start()
    world.settle()
    reasons = expect_json(world.tracker.ask("why", "--json"))["reasons"]
    words = {reason["word"] for reason in reasons}
    expect("firstFix" in words and "tooNear" in words, "reasons %s" % sorted(words))
    expect("100 m" in world.tracker.ask("why").text, "the text does not name the limit")


@claim("queue counts what waits, and clear empties it", has_proxy=True)
def queue(world):
    world.start()
    world.proxy.cut("refuse")
    expect(world.tracker.handles(max(world.feed(world.drive(20)))), "the drive did not come through")
    waiting = expect_json(world.tracker.ask("queue", "--json"))["queue"]
    expect(18 <= waiting["count"] <= 22, "%s messages wait" % waiting["count"])
    expect(world.tracker.ask("queue", "clear").status == 0, "queue clear failed")
    left = expect_json(world.tracker.ask("queue", "--json"))["queue"]["count"]
    expect(left == 0, "%d messages are left" % left)


@claim("wrong words end with 2, no daemon with 69, --help with 0")
def statuses(world):
    world.tracker.start()
    world.tracker.wait_for_status(lambda status: True)
    for words in (["fly"], ["mode", "sideways"], ["region", "add", "A", "B"], ["publish", "--wings"]):
        answer = world.tracker.ask(*words)
        expect(answer.status == 2, "homeward %s: status %d" % (" ".join(words), answer.status))
        expect(answer.error.strip(), "homeward %s says nothing" % " ".join(words))
    expect(world.tracker.ask("status", "--help").status == 0, "--help fails")
    world.tracker.stop()
    answer = world.tracker.ask("status")
    expect(answer.status == 69, "no daemon: status %d" % answer.status)
    expect(world.tracker.socket in answer.error, "it does not name the socket: %s" % answer.error)


@claim("the control socket is closed to others, and gone after the stop")
def lock(world):
    world.tracker.start()
    world.tracker.wait_for_status(lambda status: True)
    mode = stat.S_IMODE(os.stat(world.tracker.socket).st_mode)
    expect(mode & 0o007 == 0, "mode %o of the control socket" % mode)
    world.tracker.stop()
    expect(not os.path.exists(world.tracker.socket), "the socket is left behind")


@claim("nonsense on the control socket harms nobody")
def nonsense(world):
    world.start()
    for line in (b"\n", b"{}\n", b"[1,2]\n", b'["status"', b"\xff\xfe" * 1000 + b"\n", b'["mode","x"]\n' * 50):
        with socket.socket(socket.AF_UNIX) as link:
            link.settimeout(60)
            link.connect(world.tracker.socket)
            try:
                link.sendall(line)
                link.shutdown(socket.SHUT_WR)
                link.recv(1000)
            except OSError:
                pass
    world.wait_for_locations(world.feed(world.drive(10)))
    expect(world.tracker.status() is not None, "the daemon answers no more")


@claim("a malformed message from the broker is counted and named in status", cmd=True)
def malformed(world):
    world.start()
    world.watcher.publish(TOPIC + "/cmd", b'{"_type":"cmd","action":')
    found = world.tracker.wait_for_status(lambda status: status["messages"]["malformed"] > 0)["messages"]
    expect(found["malformed"] == 1, "%s malformed messages" % found["malformed"])
    expect(TOPIC + "/cmd" in found.get("lastMalformed", ""), "it is not named: %s" % found)


def asked(path, words):
    """The answer to one line of the control protocol."""
    with socket.socket(socket.AF_UNIX) as link:
        link.settimeout(60)
        link.connect(path)
        link.sendall(json.dumps(words).encode() + b"\n")
        return json.loads(link.makefile().readline())


@claim("a line says which protocol it is in, and a daemon that does not speak it says which one it speaks",
       has_gpsd=False)
def protocols(world):
    world.tracker.start()
    world.tracker.wait_for_status(lambda status: True)
    version = asked(world.tracker.socket, ["status"])["status"]["version"]
    known = asked(world.tracker.socket, ["protocol=1", "queue"])
    expect(known["ok"] and "queue" in known["status"], "protocol 1 said %s" % known)
    later = asked(world.tracker.socket, ["protocol=2", "queue", "clear"])
    expect(later == {"ok": False, "error": "the question is in protocol 2; this daemon speaks 1",
                     "protocol": 1, "version": version}, "protocol 2 said %s" % later)
    unknown = asked(world.tracker.socket, ["fly"])
    expect(not unknown["ok"] and (unknown["protocol"], unknown["version"]) == (1, version), "%s" % unknown)


@claim("another user who hangs on the socket keeps root out of nothing")
def crowded(world):
    as_root()
    world.start()
    with crowd(world):
        for _ in range(20):
            for words in (("status",), ("health", "--file", world.tracker.configuration)):
                # The crowd does not go before the answer: whoever is kept out by it is kept out for good.
                answer = world.tracker.ask(*words)
                expect(answer.status == 0, "%s: %s" % (words[0], answer.error + answer.text))
    expect(in_the_end(lambda: len(os.listdir("/proc/%d/fd" % world.tracker.pid)) < 40), "descriptors are left")


if __name__ == "__main__":
    main()
