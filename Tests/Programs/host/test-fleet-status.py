#!/usr/bin/env python3
# takes: 60 s
# behaviour: Fleets
"""Who is there, by what a broker has kept or by lines of a file: real boards, some of them killed."""
import json
import os
import subprocess
import sys
import time

sys.path.insert(1, sys.path[0] + "/../world")
from subscriber import retained
from tracker import COMMAND_LINE, Tracker, shim
from waiting import in_the_end
from world import claim, expect, main

BOARDS = int(os.environ.get("HOMEWARD_BOARDS", "20"))
INTERVAL = 4  # seconds


def status(*words, stdin=None):
    done = subprocess.run([COMMAND_LINE, "fleet", "status", *words], capture_output=True, text=True, timeout=300, input=stdin)
    return done.returncode, done.stdout, done.stderr


def from_broker(world, *words):
    code, out, error = status("--wait", "1", "--json", *words, "--", "-h", "127.0.0.1", "-p", str(world.broker.port))
    expect(code in (0, 1), out + error)
    return code, json.loads(out)


class Fleet:
    """Boards of one broker, each with a folder of its own."""

    def __init__(self, world, count, **settings):
        self.boards = []
        self.clock = {"LD_PRELOAD": shim("kernel_clock", world.folder), "CLOCK_IS": "synchronised"}
        for number in range(count):
            folder = os.path.join(world.folder, "board-%d" % number)
            os.mkdir(folder)
            name = "board-%03d" % number
            board = Tracker(folder, world.gpsd.port, world.broker.port, deviceId=name, pubTopicBase="owntracks/ute/" + name,
                            friends=False, statusInterval=INTERVAL, **settings)
            world._closing.append(board.kill)
            self.boards.append(board)

    def start(self):
        for board in self.boards:
            board.start(env=self.clock)
        return self

    @staticmethod
    def topics(boards):
        return sorted(board.settings["pubTopicBase"] for board in boards)


def states(answer):
    return {board["topic"]: board["state"] for board in answer["boards"]}


def named(world, state):
    return sorted(topic for topic, now in states(from_broker(world)[1]).items() if now == state)


@claim("of %d boards exactly those that were killed are overdue, and who was stopped is not" % BOARDS, has_gpsd=False)
def killed(world):
    fleet = Fleet(world, BOARDS).start()
    everybody = Fleet.topics(fleet.boards)
    # The first word of a board goes before it has looked at its disk.
    whole = lambda: named(world, "online") == everybody and all("disk" in board for board in from_broker(world)[1]["boards"])
    expect(in_the_end(whole), "not all are there: %s" % states(from_broker(world)[1]))
    dead, stopped = fleet.boards[:max(1, BOARDS // 10)], fleet.boards[-1]
    for board in dead:
        board.kill()
    stopped.stop()
    alive = Fleet.topics(b for b in fleet.boards if b not in dead and b is not stopped)
    right = lambda: (named(world, "overdue"), named(world, "stopped"), named(world, "online")) == (
        Fleet.topics(dead), Fleet.topics([stopped]), alive)
    expect(in_the_end(right), "%s" % states(from_broker(world)[1]))
    code, answer = from_broker(world)
    board = next(b for b in answer["boards"] if b["topic"] in Fleet.topics(dead))
    expect(code == 1 and answer["ok"] is False, "%d" % code)
    # What a board said last is not lost with it.
    expect(board["version"] and board["disk"]["free"] > 0 and board["heard"] + INTERVAL == board["since"], "%s" % board)


@claim("a board that the broker says has gone is named, and one that lives says so again after the broker's stop",
       has_gpsd=False)
def vanished(world):
    fleet = Fleet(world, 2, availability=True, keepalive=5).start()
    for board in fleet.boards:
        board.wait_for_status(lambda status: status["connection"].get("statusWill", {}).get("placed"))
    dead, alive = fleet.boards
    dead.kill()
    expect(in_the_end(lambda: named(world, "vanished") == Fleet.topics([dead])), "%s" % states(from_broker(world)[1]))
    # It publishes the wills of all.
    world.broker.stop()
    world.broker.start()
    expect(in_the_end(lambda: named(world, "online") == Fleet.topics([alive])), "%s" % states(from_broker(world)[1]))


@claim("who goes says why, and comes back with how often the connection ended and over what", has_gpsd=False, statusInterval=60)
def reasons(world):
    world.tracker.start()
    topic = world.tracker.settings["pubTopicBase"] + "/status"
    linux = lambda: (retained(world.broker.port, [topic]) or [None])[-1]
    word = lambda: (linux().json() if linux() else {}).get("linux", {})
    expect(in_the_end(lambda: word().get("online") is True), "%s" % word())
    expect(word()["interval"] == 60 and word()["reconnects"]["total"] == 0, "%s" % word())
    world.tracker.ask("disconnect")
    expect(in_the_end(lambda: word().get("reason") == "disconnected"), "%s" % word())
    world.tracker.ask("connect")
    expect(in_the_end(lambda: word().get("online") is True and word()["reconnects"]["total"] == 1), "%s" % word())
    expect("reason" not in word() and word()["lastEnd"]["word"], "%s" % word())
    world.tracker.stop()
    expect(in_the_end(lambda: word().get("reason") == "stopped"), "%s" % word())
    expect("interval" not in word() and word()["online"] is False, "%s" % word())


@claim("lines of a file are as good as a broker, and a bad one is named with its number", has_broker=False, has_gpsd=False)
def lines(world):
    now = int(time.time())
    good = [
        {"topic": "owntracks/a/b/status", "_type": "status", "tst": now, "linux": {"online": True, "interval": 3600, "version": "1"}},
        {"topic": "owntracks/a/c/status", "payload": {"_type": "status", "tst": now - 9000, "linux": {
            "online": True, "interval": 3600, "version": "1", "battery": {"level": 71}, "queueLength": 4,
            "certificateEnd": now + 86400, "disk": {"free": 1000000, "percent": 9},
            "update": {"result": "back", "version": "2", "tst": now}}}},
        {"topic": "owntracks/a/d/status", "payload": json.dumps({"_type": "status", "tst": now, "linux": {"online": False, "reason": "parked"}})},
    ]
    path = os.path.join(world.folder, "lines")
    with open(path, "w") as file:
        file.write("\n".join(["{"] + [json.dumps(line) for line in good]) + "\n")
    code, out, error = status("--from", path)
    rows = out.splitlines()
    expect(code == 1 and error.count("\n") == 1 and error.startswith(path + ": line 1: no JSON"), out + error)
    expect("online" in rows[1] and "overdue since" in rows[2] and "asleep: parked" in rows[3], out)
    for word in ("71 %", "9 % free", "2 back"):
        expect(word in rows[2], rows[2])
    expect(rows[4] == "3 boards: 1 online, 1 overdue, 1 asleep", rows[4])
    code, out, error = status("--from", "-", "--json", stdin=json.dumps(good[0]) + "\n")
    expect(code == 0 and json.loads(out)["ok"] is True and not error, out + error)
    code, out, error = status("--from", path + "x")
    expect(code == 2 and error.count("\n") == 1 and "no such file" in error, error)
    # Nobody is missing from a file that nobody could read.
    with open(path, "w") as file:
        file.write("bad\n\n{\"a\": 1}\n")
    code, out, error = status("--from", path)
    rows = error.splitlines()
    expect(code == 2 and not out and len(rows) == 3 and rows[0].startswith(path + ": line 1: no JSON"), out + error)
    expect(rows[2].startswith(path + ": no line could be read, expected lines of JSON"), error)
    code, out, error = status("--wait", "1", "--", "-h", "127.0.0.1", "-p", "1")
    expect(code == 69 and "mosquitto_sub" in error, error)


@claim("a board of the folder that was never heard is in the list", has_broker=False, has_gpsd=False)
def never(world):
    board = os.path.join(world.folder, "out", "van")
    os.makedirs(board)
    with open(os.path.join(board, "homeward.otrc"), "w") as file:
        json.dump({"_type": "configuration", "host": "b.example", "username": "jane", "deviceId": "van"}, file)
    code, out, error = status(os.path.dirname(board), "--from", "-", stdin="")
    expect(code == 0 and "owntracks/jane/van" in out and "1 board: 1 never heard" in out, out + error)


main()
