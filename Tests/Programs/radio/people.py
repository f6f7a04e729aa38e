#!/usr/bin/env python3
"""What people see of the beacons, and how they make a region of one."""
import os
import pty
import subprocess
import time

from board import heard
from tracker import COMMAND_LINE
from waiting import IN_THE_END, in_the_end
from world import expect, main


def table(board):
    return board.tracker.ask("beacons", "--once").text


@heard("homeward beacons: region, strength, distance, last heard, inside, as a table and as JSON")
def shown(board):
    expect("never" in table(board) and "*  Garage" not in table(board), table(board))
    board.enter()
    expect(in_the_end(lambda: "*  Garage" in table(board) and "-60 dBm" in table(board)), table(board))
    beacon = board.tracker.ask("beacons", "--json").json()["beacons"][0]
    expect(beacon["region"] == "Garage" and beacon["inside"] and beacon["major"] == 1, "%s" % beacon)
    # Its power at 1 m is -59 dBm.
    expect(0.8 < beacon["distance"] < 1.5 and beacon["age"] < 60, "%s" % beacon)
    board.leave()
    expect("*  Garage" not in table(board), table(board))


@heard("homeward beacons at a terminal: kept up to date in place")
def live(board):
    terminal, inside = pty.openpty()
    shown = subprocess.Popen([COMMAND_LINE, "beacons", "--socket", board.tracker.socket], stdout=inside,
                             stderr=inside, close_fds=True)
    os.close(inside)
    text = b""
    try:
        board.radio.advertise()
        end = time.monotonic() + IN_THE_END
        while b"*  Garage" not in text and time.monotonic() < end:
            text += os.read(terminal, 4096)
    finally:
        shown.kill()
        shown.wait()
        os.close(terminal)
    expect(b"*  Garage" in text, "%r" % text)
    height = text.split(b"\x1b[", 1)[0].count(b"\n")
    expect(b"\x1b[%dA\x1b[J" % height in text, "%d lines, and then %r" % (height, text))


@heard("homeward beacons learn: the strongest that no region has becomes one, after a question")
def learned(board):
    board.radio.advertise()
    board.radio.advertise(major=7, minor=2, rssi=-50)
    board.radio.advertise(major=8, minor=2, rssi=-70)
    board.wait_for("enter", time.monotonic())
    no, yes = learn(board, "n\n"), learn(board, "y\n")
    expect("/7/2, -50 dBm" in no.stdout and "and 1 more" in no.stdout, no.stdout)
    expect(no.returncode == 1 and "nothing was made" in no.stderr, "%d %s" % (no.returncode, no.stderr))
    expect(yes.returncode == 0, yes.stderr)
    board.wait_for("enter", time.monotonic(), count=2)
    beacons = board.tracker.ask("beacons", "--json").json()["beacons"]
    found = [b for b in beacons if b["region"] == "Carport"]
    expect(len(found) == 1 and (found[0]["major"], found[0]["minor"]) == (7, 2), "%s" % beacons)
    board.radio.stop("7-2")
    board.wait_for("leave", time.monotonic())


def learn(board, answer):
    return subprocess.run([COMMAND_LINE, "beacons", "learn", "Carport", "--socket", board.tracker.socket],
                          input=answer, capture_output=True, text=True, timeout=60)


@heard("homeward doctor: the adapter and what it is asked for; a switch that holds it down", may_reset=True)
def examined(board):
    board.enter()
    good = findings(board)
    expect([f["verdict"] for f in good] and all(f["verdict"] == "ok" for f in good), "%s" % good)
    expect("hci0" in good[0]["text"], "%s" % good)
    board.radio.block(True)
    try:
        expect(in_the_end(lambda: "blocks the adapter" in findings(board)[0]["text"]), "%s" % findings(board))
        bad = findings(board)[0]
        expect(bad["verdict"] == "fail" and "rfkill unblock" in bad["remedy"], "%s" % bad)
    finally:
        board.radio.block(False)


def findings(board):
    answer = board.tracker.ask("doctor", "--json", "--file", board.tracker.configuration)
    return [f for f in answer.json() if f["subject"] in ("beacons", "advert yield")]


if __name__ == "__main__":
    main()
