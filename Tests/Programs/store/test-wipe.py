#!/usr/bin/env python3
# takes: 60 s
# behaviour: The wipe
"""`homeward wipe`: afterwards nothing in the store's folder tells where the board was, as text or as a number."""
import glob
import json
import os
import re
import struct
import subprocess
import sys

sys.path.insert(1, sys.path[0] + "/../world")
from tracker import DAEMON
from waiting import in_the_end
from world import claim, expect, main

# Degrees around the places of the world, its friend's among them.
NEAR = 0.5


def places(world):
    """Each file in which a place is found: as text, or as a number of eight or four bytes, either way round."""
    latitude = world.locations()[-1]["lat"]
    text = re.compile(rb"(?<![\d.])%d\.\d{3}" % int(latitude))
    found = {}
    for path in glob.glob(os.path.join(world.tracker.state, "**"), recursive=True):
        if not os.path.isfile(path):
            continue
        with open(path, "rb") as file:
            content = file.read()
        hits = len(text.findall(content))
        for form in ("<d", ">d"):
            hits += sum(abs(struct.unpack_from(form, content, offset)[0] - latitude) < NEAR
                        for offset in range(len(content) - 7) if content[offset:offset + 8] != bytes(8))
        if hits:
            found[os.path.basename(path)] = hits
    return found


def lived(world):
    """A board with all that knows of places: a queue, a history, regions, a trip, friends, refused messages."""
    world.start()
    world.watcher.publish("owntracks/jane/phone", json.dumps(
        {"_type": "location", "tst": 100, "lat": world.locations()[-1]["lat"] + 0.1, "lon": 2, "tid": "JP"}).encode())
    expect(in_the_end(lambda: world.tracker.ask("friends", "--json").json()["friends"]), "no friend")
    expect(world.tracker.ask("region", "add", "Home", "--here", "--radius", "100").status == 0, "no region")
    world.broker.stop()
    world.feed(world.drive(60), hz=10)
    world.tracker.ask("publish", "--poi", "here")
    expect(world.tracker.ask("mode", "manual").status == 0, "no mode")
    with open(os.path.join(world.tracker.state, "refused.jsonl"), "w") as file:
        file.write(json.dumps({"payload": {"lat": world.locations()[-1]["lat"]}}) + "\n")


def wipe(world, *words):
    return world.tracker.ask("wipe", "--yes", "--file", world.tracker.configuration, *words)


SETTINGS = {"friends": True, "odometer": True, "trips": True, "towAlarm": 100}


@claim("a running tracker ends, and no place is left, though the receiver goes on", **SETTINGS)
def running(world):
    lived(world)
    feeder = world.feeding(world.drive(30))
    answer = wipe(world)
    expect(answer.status == 0 and "wiped" in answer.text and "flash" not in answer.error, answer.error)
    for word in ("wear levelling", "journal", "systemctl start homeward"):
        expect(word in answer.text, "no word of %s: %s" % (word, answer.text))
    expect(in_the_end(lambda: not world.tracker.is_alive()), "it goes on")
    feeder.join()
    expect(places(world) == {}, "left: %s" % places(world))


@claim("after a kill nothing runs, and no place is left; the mode is, until that is asked for", **SETTINGS)
def killed(world):
    lived(world)
    world.tracker.kill()
    expect(sum(places(world).values()) > 50, "the test sees nothing: %s" % places(world))
    answer = wipe(world)
    expect(answer.status == 0 and "wiped" in answer.text, answer.error)
    expect(places(world) == {}, "left: %s" % places(world))
    world.tracker.start()
    world.tracker.wait_for_status(lambda status: True)
    expect(world.tracker.status()["label"] == "Manual", "the mode is gone: %s" % world.tracker.status())
    expect(not world.tracker.ask("region", "list", "--json").json()["regions"], "a region")
    expect(not world.tracker.ask("history", "--json").json()["history"], "a history")
    world.tracker.stop()
    expect(wipe(world, "--settings").status == 0, "not wiped whole")
    expect(os.listdir(world.tracker.state) == [], "left: %s" % os.listdir(world.tracker.state))


@claim("a program that is begun without a standard input wipes as well", **SETTINGS)
def without_input(world):
    lived(world)
    world.tracker.kill()
    done = subprocess.run([DAEMON, "--wipe", "--config", world.tracker.configuration], capture_output=True, text=True,
                          preexec_fn=lambda: os.close(0))
    expect(done.returncode == 0, "status %d: %s" % (done.returncode, done.stderr))
    expect(places(world) == {}, "left: %s" % places(world))


@claim("without --yes and nobody to ask nothing is wiped, nor by another program beside a running tracker", **SETTINGS)
def refused(world):
    lived(world)
    answer = world.tracker.ask("wipe")
    expect(answer.status == 2 and "--yes" in answer.error, "status %d: %s" % (answer.status, answer.error))
    done = subprocess.run([DAEMON, "--wipe", "--config", world.tracker.configuration], capture_output=True, text=True)
    expect(done.returncode != 0 and "another homewardd" in done.stderr, "wiped beside it: %s" % done)
    expect(world.tracker.is_alive() and world.tracker.status()["queue"]["count"] > 50, "something was wiped")


main()
