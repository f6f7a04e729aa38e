#!/usr/bin/env python3
"""A controller that needs a reset: it hangs, falls silent, or hears advertisements without their content."""
import time

from board import heard
from servers import poll
from world import expect, main

MENDED = 90.0  # seconds from the fault until it hears again


def is_mended(board, fault):
    board.radio.crowd(10)  # somebody is always on the air, so silence is the controller's
    board.radio.advertise()
    board.wait_for("enter", time.monotonic(), 3)
    began = time.monotonic()
    before = board.radio.count()[0]
    board.radio.fault(fault, until_reset=True)
    expect(poll(lambda: board.radio.resets(began), MENDED, every=0.2), "nothing was done within %g s" % MENDED)
    again = poll(lambda: board.radio.starts(board.radio.resets(began)[-1].time), MENDED, every=0.2)
    expect(again, "nobody scans after the reset")
    took = again[-1].time - began
    print("# %s: scans again %.0f s after it began, %d resets; %s" % (
        fault, took, len(board.radio.resets(began)), board.scanner()))
    expect(took <= MENDED, "scans again after %.0f s" % took)
    expect(poll(lambda: board.radio.count()[0] > before, 10), "nothing is heard")
    expect(len(board.radio.resets(began)) <= 4, "%d resets" % len(board.radio.resets(began)))
    expect(board.tracker.is_alive(), "the daemon ended")


@heard("hung: hears again within 90 s", may_reset=True, beaconLossTimeout=120)
def hung(board):
    is_mended(board, "hang")


@heard("silent: hears again within 90 s", may_reset=True, beaconLossTimeout=120)
def silent(board):
    is_mended(board, "silent")


@heard("empty advertisements: hears again within 90 s", may_reset=True, beaconLossTimeout=120)
def empty(board):
    is_mended(board, "empty")


if __name__ == "__main__":
    main()
