#!/usr/bin/env python3
# takes: 40 s
# behaviour: Friends
"""Friends and the own history: what the broker tells of others, and what was published from here."""
import json
import os
import pty
import signal
import subprocess
import sys
import tempfile
import unicodedata
import xml.etree.ElementTree as xml

sys.path.insert(1, sys.path[0] + "/../world")
from subscriber import retained
from tracker import COMMAND_LINE
from waiting import in_the_end
from world import claim, expect, main

GPX = "{http://www.topografix.com/GPX/1/1}"
FRIENDS = 10000


def tell(world, topic, retained=False, **message):
    world.watcher.publish(topic, json.dumps(message).encode() if message else b"", retained)


def friends(world):
    return world.tracker.ask("friends", "--json").json()["friends"]


@claim("a friend's places, name and going are known, also after a restart", friends=True)
def known(world):
    world.start()
    tell(world, "owntracks/jane/phone", _type="location", tst=100, lat=1.5, lon=2.5, tid="JP")
    tell(world, "owntracks/jane/phone", _type="location", tst=200, lat=1.6, lon=2.5, tid="JP")
    tell(world, "owntracks/jane/phone", _type="location", tst=150, lat=9, lon=9, tid="JP")
    tell(world, "owntracks/jane/phone/info", _type="card", name="Jane")
    expect(in_the_end(lambda: [f for f in friends(world) if f.get("name") == "Jane"]), "no friend: %s" % friends(world))
    shown = world.tracker.ask("friend", "show", "owntracks/jane/phone", "--json").json()
    expect([place["tst"] for place in shown["places"]] == [100, 200], "places %s" % shown["places"])
    answer = world.tracker.ask("friend", "forget", "Jane", "--at", "100")
    expect(answer.status == 0, "one place: %s" % answer.error)
    shown = world.tracker.ask("friend", "show", "Jane", "--json").json()
    expect([place["tst"] for place in shown["places"]] == [200], "places %s" % shown["places"])
    expect(world.tracker.ask("friend", "forget", "Jane", "--at", "100").status != 0, "one that is not there")
    world.tracker.stop()
    world.tracker.start()
    world.tracker.wait_for_status(lambda status: True)
    expect([f["topic"] for f in friends(world)] == ["owntracks/jane/phone"], "after a restart %s" % friends(world))
    text = world.tracker.ask("friends")
    expect("Jane" in text.text and "JP" in text.text, "in words: %s" % text.text)
    expect("(this board)" in text.text, "the board itself is missing: %s" % text.text)
    tell(world, "owntracks/jane/phone", _type="location", tst=300, lat=1.7, lon=2.5, tid="JP")
    status = world.tracker.wait_for_status(lambda status: status["messages"]["friendUpdates"] > 0)
    expect(status["messages"]["friendUpdates"] == 1, "updates: %s" % status["messages"])
    expect("1 update since" in world.tracker.ask("status").text, "`status` does not tell of the update")
    expect("1 update since" in world.tracker.ask("friends").text, "`friends` does not tell of the update")
    expect("since you" not in world.tracker.ask("status").text, "who has looked is told again")
    folder = os.path.join(world.folder, "friends.d", "owntracks", "jane")
    os.makedirs(folder)
    with open(os.path.join(folder, "phone.json"), "w") as file:
        json.dump({"name": "Aunt Jane", "face": "QUJD"}, file)
    with open(os.path.join(folder, "tablet.json"), "w") as file:
        file.write("{")
    world.tracker.hang_up()
    expect(in_the_end(lambda: [f for f in friends(world) if f.get("name") == "Aunt Jane"]), "no name of ours")
    face = world.tracker.ask("friend", "show", "aunt jane", "--json").json()["friend"]
    expect(face.get("face") == "QUJD" and len(face["topic"]) == 20, "shown: %s" % face)
    expect("tablet.json: no JSON" in world.tracker.log(), "the bad file is not named")
    tell(world, "owntracks/jane/phone")
    expect(in_the_end(lambda: not friends(world)), "still there: %s" % friends(world))


EVIL = "x\x1b]0;t\x07\x9b31m\x7f\u061c\u200e\u200f\u202a\u202e\u2066\u2069\u2028\u2029\ny"


@claim("nothing that others have written steers a terminal, in any command; with --json it comes as escapes", friends=True)
def harmless(world):
    world.tracker.configure(waypoints=[
        {"_type": "waypoint", "desc": EVIL, "lat": 1, "lon": 2, "rad": 100, "tst": 5,
         "uuid": "00000000-0000-0000-0000-000000000001", "major": 1, "minor": 1}])
    world.start()
    world.settle()
    topic = "owntracks/jane/pho\u202ene"
    tell(world, topic, _type="location", tst=100, lat=1.5, lon=2.5, tid=EVIL[:6], poi=EVIL, tag=EVIL)
    tell(world, topic + "/info", _type="card", name=EVIL)
    tell(world, topic + "/event", _type="transition", event="enter", desc=EVIL, tid="JP", tst=100, lat=1, lon=2)
    tell(world, topic, _type="location", tst="\x1b[2J", lat=EVIL, lon=2.5)
    expect(in_the_end(lambda: [f for f in friends(world) if f.get("name")]), "no friend: %s" % friends(world))
    world.tracker.ask("tag", EVIL)
    world.tracker.ask("publish", "--poi", EVIL)
    world.tracker.is_drained()
    file = ("--file", world.tracker.configuration)
    commands = [("friends",), ("friend", "show", topic), ("status",), ("why",), ("region",), ("region", "export"),
                ("config", "remote"), ("beacons", "--once"), ("queue",), ("doctor", *file), ("history",),
                ("config", "show", *file), ("config", "check", world.tracker.configuration), ("mode",),
                ("region", "rm", EVIL), ("friend", "show", EVIL), ("export", "gpx"), ("health", *file),
                ("friend", "forget", topic)]
    listed = world.tracker.ask("region", "list", "--json").json()["regions"]
    expect(any(region["desc"].startswith(EVIL) for region in listed), "the escapes are not the same text: %s" % listed)
    quoted = 0
    for words in commands:
        for options in ((), ("--json",)):
            answer = world.tracker.ask(*words, *options)
            for text in (answer.text, answer.error):
                found = [c for c in text if c != "\n" and (unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp"))]
                expect(not found, "%s prints %s: %s" % (" ".join(words + options), found, ascii(text)))
                expect("\ny" not in text, "%s lets it begin a line: %s" % (" ".join(words), ascii(text)))
                quoted += "u{202e}" in text or "\\u202e" in text
            if options and words[0] not in ("export",) and words != ("region", "export"):
                json.loads(answer.text.splitlines()[0])
    expect(quoted >= 8, "only %d answers quote it at all" % quoted)
    journal = world.tracker.log()
    expect("u{202e}" in journal, "the journal tells of nothing: %s" % journal)
    found = [c for c in journal if c != "\n" and (unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp"))]
    expect(not found, "the journal holds %s" % found)


@claim("remarks that come faster than seconds are all told, each with a time of its own")
def remarks(world):
    world.start()
    feeder = world.feeding(world.stand(12), hz=1)
    for number in range(4):
        answer = world.tracker.ask("publish", "--poi", "remark %d" % number)
        expect(answer.status == 0, answer.error)
    feeder.join()
    expect(in_the_end(lambda: len([v for v in world.locations() if v.get("poi")]) == 4), "not all are told")
    times = [value["tst"] for value in world.locations()]
    expect(len(times) == len(set(times)), "two of one time: %s" % times)


@claim("a forgotten friend is forgotten at the broker, too", friends=True)
def forgotten(world):
    tell(world, "owntracks/jane/phone", True, _type="location", tst=100, lat=1.5, lon=2.5)
    world.start()
    expect(in_the_end(lambda: friends(world)), "the retained place did not arrive")
    answer = world.tracker.ask("friend", "forget", "owntracks/jane/phone")
    expect(answer.status == 0, "forget: %s" % answer.error)

    expect(in_the_end(lambda: not retained(world.broker.port, ["owntracks/jane/#"])), "the broker still has it")
    expect(not friends(world), "known again: %s" % friends(world))


@claim("ten thousand friends are all known", friends=True)
def many(world):
    world.start()
    for number in range(FRIENDS):
        tell(world, "owntracks/u%05d/phone" % number, _type="location", tst=100, lat=1.5, lon=2.5, tid="%02d" % (number % 100))
    expect(in_the_end(lambda: world.tracker.status()["messages"]["received"] >= FRIENDS), "not all arrived")
    expect(in_the_end(lambda: len(friends(world)) == FRIENDS, every=1), "only %d friends" % len(friends(world)))


def on_a_terminal(world, typed, *words):
    """Its status, and what is shown there."""
    terminal, inside = pty.openpty()
    os.write(terminal, typed.encode())
    with subprocess.Popen([COMMAND_LINE, *words, "--socket", world.tracker.socket], stdin=inside, stdout=inside, stderr=inside) as child:
        os.close(inside)
        shown = b""
        while piece := read(terminal):
            shown += piece
    os.close(terminal)
    return child.returncode, shown.decode()


def read(terminal):
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""


@claim("what does not fit on a full disk ends with 1 and says so; a reader who goes away is no fault", has_broker=False, has_gpsd=False)
def full(world):
    world.tracker.start()
    expect(in_the_end(lambda: world.tracker.status() is not None), "it does not come up")
    asks = ("--socket", world.tracker.socket)
    for words in (("export", "gpx", *asks), ("history", *asks), ("status", "--json", *asks), ("config", "keys")):
        with open("/dev/full", "w") as disk:
            done = subprocess.run([COMMAND_LINE, *words], stdout=disk, stderr=subprocess.PIPE, text=True)
        # Of what was long, the C library keeps that it is lost, and not why.
        why = ("standard output: No space left on device\n", "standard output: not all of it was taken: is the disk full?\n")
        expect(done.returncode == 1 and done.stderr in why, "%s: %s" % (words, done))
        reader, writer = os.pipe()
        os.close(reader)
        with os.fdopen(writer) as end:
            done = subprocess.run([COMMAND_LINE, *words], stdout=end, stderr=subprocess.PIPE, text=True)
        expect(done.returncode == -signal.SIGPIPE and not done.stderr, "%s: %s" % (words, done))


@claim("the history is a GPX track that readers open")
def track(world):
    world.start()
    sent = world.feed(world.drive(40))
    world.wait_for_locations(sent)
    points = world.tracker.ask("history", "--json").json()["history"]
    expect(len(points) >= 40, "%d points" % len(points))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "track.gpx")
        answer = world.tracker.ask("export", "gpx", path)
        expect(answer.status == 0, "export: %s" % answer.error)
        expect("%d points" % len(points) in answer.text and path in answer.text, "export says %r" % answer.text)
        root = xml.parse(path).getroot()
        replayed = subprocess.run([os.path.join(os.path.dirname(world.tracker.command()[0]), "homeward"), "replay",
                                   "--set", "username=u", "--set", "deviceId=d", "--set", "monitoring=2", path],
                                  capture_output=True, text=True)
    expect(root.tag == GPX + "gpx" and root.get("version") == "1.1", "root %s" % root.tag)
    segments = root.findall("%strk/%strkseg" % (GPX, GPX))
    expect(len(segments) == 1 and len(segments[0]) == len(points), "%d segments" % len(segments))
    times = [point.find(GPX + "time").text for point in segments[0]]
    expect(times == sorted(times) and all(time.endswith("Z") for time in times), "times %s" % times[:3])
    expect(replayed.returncode == 0 and '"publish"' in replayed.stdout, "our own reader: %s" % replayed.stderr)
    since = world.tracker.ask("history", "--from", str(points[-3]["tst"]), "--json").json()["history"]
    expect([point["tst"] for point in since] == [point["tst"] for point in points[-3:]], "from: %s" % since)
    shown = [line.split() for line in world.tracker.ask("history").text.splitlines()]
    expect([int(line[0]) for line in shown] == [point["number"] for point in points], "shown: %s" % shown[:2])
    again = world.tracker.ask("history", "--from", " ".join(shown[-3][1:3]), "--json").json()["history"]
    expect(again == since, "what is displayed is read otherwise: %s" % again)
    lately = world.tracker.ask("history", "--last", "1h", "--json").json()["history"]
    expect(lately == points, "--last 1h: %d of %d points" % (len(lately), len(points)))
    doomed = points[5]["number"]
    gone = world.tracker.ask("history", "delete", str(doomed))
    expect(gone.status == 0 and "deleted 1 point" in gone.text, "delete: %s%s" % (gone.text, gone.error))
    expect(world.tracker.ask("history", "delete", str(doomed)).status == 1, "it was deleted twice")
    part = ("--from", str(points[10]["tst"]), "--to", str(points[19]["tst"]))
    status, shown = on_a_terminal(world, "no\n", "history", "delete", *part)
    expect(status == 1 and "Delete 10 points, " in shown and " to " in shown and "nothing was done" in shown, shown)
    status, shown = on_a_terminal(world, "", "history", "delete", "--yes", "--from", str(points[20]["tst"]), "--to", str(points[20]["tst"]))
    expect(status == 0 and "deleted 1 point, " in shown and "Type yes" not in shown, shown)
    gone = world.tracker.ask("history", "delete", *part)
    expect("deleted 10 points" in gone.text, "delete: %s%s" % (gone.text, gone.error))

    def counts():
        return world.tracker.status()["history"], len(world.tracker.ask("history", "--json").json()["history"])
    expect(in_the_end(lambda: len(set(counts())) == 1), "status counts %d points, the disk has %d" % counts())
    world.tracker.kill()
    world.tracker.start()
    expect(in_the_end(lambda: world.tracker.status() is not None), "it does not come up again")
    left = [point["number"] for point in world.tracker.ask("history", "--json").json()["history"]]
    wanted = [point["number"] for point in points[:5] + points[6:10] + points[21:]]
    expect(left[:len(wanted)] == wanted, "left: %s" % left)
    expect(world.tracker.ask("history", "clear").status == 0, "clear failed")
    expect(world.tracker.ask("history", "--json").json()["history"] == [], "not empty")


if __name__ == "__main__":
    main()
