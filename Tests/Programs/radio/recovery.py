#!/usr/bin/env python3
"""A controller that needs help: it hangs, falls silent, or hears advertisements without their content."""
import os
import time

from board import USER, heard
from servers import Server
from tracker import ROOT
from waiting import in_the_end
from world import expect, main

RECOVERED = 90.0  # seconds from the fault until it hears again


def recovers(board, fault, until):
    board.radio.crowd(10)  # somebody is always on the air, so silence is the controller's
    board.radio.advertise()
    board.wait_for("enter", time.monotonic())
    board.radio.fault(fault, until)
    began = time.monotonic()
    before = board.radio.count()[0]
    in_the_end(lambda: hears(board, before), seconds=RECOVERED, every=0.5)
    took = time.monotonic() - began
    print("# %s: hears again %.0f s after it began, %d resets, %d scans started; %s" % (
        fault, took, len(board.radio.resets(began)), len(board.radio.starts(began)), board.scanner()))
    expect(hears(board, before), "hears nothing after %.0f s" % took)
    expect(len(board.radio.resets(began)) <= 4, "%d resets" % len(board.radio.resets(began)))
    board.stay(3)
    expect(board.tracker.is_alive(), "the daemon ended")


class RadioSwitch(Server):
    """What systemd does by homeward-radio.path: starts the program, as root, when the request is there."""

    def __init__(self, board):
        super().__init__("homeward-radio", board.world.folder)
        request, program = os.path.join(board.world.folder, "radio"), os.path.join(ROOT, "board", "homeward-radio")
        self.spawn(["sh", "-c", "while sleep 0.1; do [ ! -e %s ] || sh %s %s; done" % (request, program, request)])


def hears(board, before):
    return board.radio.count()[0] > before + 2


@heard("hung until it is reset, and /dev/rfkill may be written: hears again within 90 s, no leave", may_reset=True,
       beaconLossTimeout=100)
def hung(board):
    os.chown("/dev/rfkill", USER, USER)
    try:
        recovers(board, "hang", until="reset")
    finally:
        os.chown("/dev/rfkill", 0, 0)


@heard("hung until it is reset, as the unit has it: homeward-radio is asked, hears again within 90 s, no leave",
       may_reset=True, beaconLossTimeout=100)
def asked(board):
    switch = RadioSwitch(board)
    try:
        recovers(board, "hang", until="reset")
    finally:
        switch.kill()
    expect("switched hci0 off and on" in switch.log(), switch.log())


@heard("hung until it is reset, and nobody switches it off: status says so, and doctor what to do", may_reset=True,
       beaconLossTimeout=200)
def helpless(board):
    board.radio.advertise()
    board.wait_for("enter", time.monotonic())
    board.radio.fault("hang", "reset")
    is_refused = lambda: "/dev/rfkill: Permission denied" in (board.scanner().get("cause") or "")
    expect(in_the_end(is_refused, seconds=RECOVERED, every=1), "%s" % board.scanner())
    expect(not board.scanner().get("hearing"), "%s" % board.scanner())
    answer = board.tracker.ask("doctor", "--json", "--file", board.tracker.configuration)
    remedies = [f["remedy"] or "" for f in answer.json() if f["subject"] == "beacons"]
    expect(any("systemctl start homeward-radio.path" in remedy for remedy in remedies), "%s" % remedies)


@heard("hung for two minutes: hears again within 90 s of its return, no leave", may_reset=True,
       beaconLossTimeout=200)
def returning(board):
    board.radio.advertise()
    board.wait_for("enter", time.monotonic())
    board.radio.fault("hang")
    time.sleep(120)
    expect(not board.scanner().get("hearing"), "status says %s" % board.scanner())
    board.radio.repair("hang")
    before = board.scanner()["sightings"]
    expect(in_the_end(lambda: (board.scanner().get("sightings") or 0) > before + 2, seconds=RECOVERED, every=1),
           "%s" % board.scanner())
    board.stay(3)


@heard("silent until its scan is started anew: hears again within 90 s, no leave", may_reset=True,
       beaconLossTimeout=100)
def silent(board):
    recovers(board, "silent", until="scan")


@heard("silent until it is reset: hears again within 90 s, no leave", may_reset=True, beaconLossTimeout=100)
def deaf(board):
    recovers(board, "silent", until="reset")


@heard("empty advertisements until it is reset: hears again within 90 s, no leave", may_reset=True,
       beaconLossTimeout=100)
def empty(board):
    recovers(board, "empty", until="reset")


if __name__ == "__main__":
    main()
