#!/usr/bin/env python3
# takes: 60 s
# behaviour: Recordings
"""A drive that the tracker has written down is the same drive when it is played again."""
import json
import os
import stat
import subprocess
import sys

sys.path.insert(1, sys.path[0] + "/../world")
from tracker import COMMAND_LINE, TOPIC
from waiting import in_the_end
from world import claim, expect, main

HOME = {"_type": "waypoint", "desc": "Home", "lat": 48.2082, "lon": 16.3738, "rad": 200, "tst": 1}
SETTINGS = {"record": 4, "locatorDisplacement": 120, "locatorInterval": 20, "waypoints": [HOME], "cmd": True,
            "remoteConfiguration": True}


def copied(world, *words):
    """The lines of what `homeward record` writes."""
    path = os.path.join(world.folder, "copy.jsonl")
    answer = world.tracker.ask("record", path, "--file", world.tracker.configuration, *words)
    expect(answer.status == 0, "record: %s" % answer.error)
    with open(path) as file:
        return path, [json.loads(line) for line in file]


def replayed(world, path):
    """Topics and payloads, in their order."""
    done = subprocess.run([COMMAND_LINE, "replay", "--config", world.tracker.configuration, path],
                          capture_output=True, text=True, timeout=60)
    expect(done.returncode == 0 and not done.stderr, "replay: %s" % done.stderr)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return [(one["publish"]["topic"], one["publish"]["payload"]) for one in lines if "publish" in one]


def live(world):
    return [(message.topic, message.json()) for message in list(world.watcher.messages)
            if message.json() and message.json().get("_type") != "lwt" and not message.topic.endswith("/cmd")]


def drained(world):
    expect(world.tracker.is_drained(), "messages wait")


def same(heard, again):
    for left, right in zip(heard, again):
        expect(left == right, "live %s\nreplay %s" % (left, right))
    expect(len(heard) == len(again), "%d messages live, %d in the replay" % (len(heard), len(again)))


@claim("what was published live is published again, to the second and the metre", **SETTINGS)
def round_trip(world):
    world.start()
    world.feed(world.drive(60))
    expect(world.tracker.ask("mode", "manual").status == 0, "mode")
    expect(world.tracker.ask("publish", "--poi", "halt").status == 0, "publish")
    world.feed(world.drive(20))
    expect(world.tracker.ask("mode", "move").status == 0, "mode")
    expect(world.tracker.ask("region", "add", "Here", "--here", "--radius", "60").status == 0, "region")
    world.feed(world.drive(100))
    drained(world)
    heard = live(world)
    path, lines = copied(world)
    with open("/dev/full", "w") as disk:
        done = subprocess.run([COMMAND_LINE, "record", "-", "--file", world.tracker.configuration, "--socket", world.tracker.socket],
                              stdout=disk, stderr=subprocess.PIPE, text=True)
    expect((done.returncode, done.stderr) == (1, "standard output: No space left on device\n"), "on a full disk: %s" % done)
    expect(len(heard) > 12 and any(one.get("event") == "leave" for _, one in heard), "too little: %s" % heard)
    expect(lines[0]["at"] == 0 and "state" in lines[0], "begins with %s" % lines[0])
    same(heard, replayed(world, path))


@claim("a tracker that was killed goes on with the same recording", **SETTINGS)
def restarts(world):
    world.start()
    world.feed(world.drive(40))
    drained(world)
    # Lines go to the disk once a minute; asking for them is a way to have them there.
    copied(world)
    world.tracker.kill()
    world.tracker.start()
    expect(in_the_end(lambda: (world.tracker.status() or {}).get("gps", {}).get("reached")), "no gpsd")
    world.feed(world.drive(60))
    drained(world)
    path, lines = copied(world)
    expect([line["restart"] for line in lines if "restart" in line] == ["kill"], "restarts")
    times = [line["at"] for line in lines]
    expect(times == sorted(times), "times go back")
    again = [one for topic, one in replayed(world, path) if one.get("_type") == "location"]
    expect(len(again) >= len(world.locations()) - 1, "%d of %d" % (len(again), len(world.locations())))
    listed = world.tracker.ask("record", "--json").json()["drives"]
    expect(len(listed) == 1 and listed[0]["positions"] >= 100, "listed %s" % listed)


@claim("nothing secret is in a recording, and only the group may read it", password="open-sesame", **SETTINGS)
def secrets(world):
    world.start()
    world.watcher.publish(TOPIC + "/cmd", json.dumps({
        "_type": "cmd", "action": "setConfiguration",
        "configuration": {"_type": "configuration", "ping": 30, "password": "open-barley"}}).encode())
    expect(in_the_end(lambda: "ping" in world.tracker.ask("config", "remote").text), "the command was not obeyed")
    world.feed(world.drive(10))
    path, _ = copied(world)
    files = [os.path.join(world.folder, name) for name in os.listdir(world.folder) if name.startswith("drive.")]
    expect(len(files) == 1, "files %s" % os.listdir(world.folder))
    for name in files + [path]:
        with open(name) as file:
            text = file.read()
        expect("open-" not in text and "password" not in text and '"tpv"' in text, "secrets in %s" % name)
    expect(stat.S_IMODE(os.stat(files[0]).st_mode) == 0o640, "mode")


@claim("a wipe takes recordings with it", **SETTINGS)
def wiped(world):
    world.start()
    copied(world)
    drives = lambda: [name for name in os.listdir(world.folder) if name.startswith("drive.")]
    expect(drives(), "nothing was recorded")
    expect(world.tracker.ask("wipe", "--yes").status == 0, "wipe")
    expect(in_the_end(lambda: not drives()), "left: %s" % drives())


@claim("by default nothing is recorded, and who asks is told how it would be")
def off(world):
    world.start()
    answer = world.tracker.ask("record", "x.jsonl")
    expect(answer.status == 1 and "config set record" in answer.error, "said %s" % answer.error)
    expect(not [name for name in os.listdir(world.folder) if name.startswith("drive.")], "recorded")


if __name__ == "__main__":
    main()
