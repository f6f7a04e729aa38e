#!/usr/bin/env python3
"""The controller is missing, goes, comes back under another number, is switched off, hangs or falls silent."""
import time

from board import LOSS, heard
from waiting import in_the_end
from world import expect, main

RECOVERED = 90.0  # seconds, for what has to be noticed and repaired


@heard("missing at the start: heard as soon as it is plugged in", personality=None, starts=False)
def missing(board):
    board.start()
    time.sleep(3)
    expect(board.tracker.is_alive(), "the daemon ended: " + board.tracker.log())
    board.radio = board.another_radio("5.0", is_up=False)
    plugged = time.monotonic()
    took = board.wait_until_scanning() - plugged
    board.started = time.monotonic()  # switching it on resets it, once
    print("# scans %.1f s after it was plugged in" % took)
    board.settle()
    board.enter()
    board.leave()


@heard("unplugged while inside: no leave; plugged back: heard again, then the leave", may_reset=True)
def unplugged(board):
    board.enter()
    board.radio.unplug()
    board.stay(LOSS + 3)
    plugged = time.monotonic()
    board.radio.plug()
    took = board.wait_until_scanning(since=plugged) - plugged
    print("# scans %.1f s after it was plugged back" % took)
    board.stay(LOSS)
    board.leave()


@heard("plugged back under another number: found by its address", may_reset=True, scanAdapter="0A:0B:0C:00:00:01")
def renumbered(board):
    board.enter()
    board.radio.unplug()
    other = board.another_radio("4.2", "0A0B0C000002", is_up=False)
    plugged = time.monotonic()
    board.radio.plug()
    expect(board.radio.index == 1 and other.index == 0, "the kernel numbered them otherwise")
    board.wait_until_scanning(since=plugged)
    board.stay(LOSS)
    board.leave()


@heard("switched off by rfkill while inside: no leave; switched on: heard again", may_reset=True)
def blocked(board):
    board.enter()
    board.radio.block(True)
    in_the_end(lambda: not board.radio.is_powered())
    board.stay(LOSS + 3)
    unblocked = time.monotonic()
    board.radio.block(False)
    took = board.wait_until_scanning(seconds=RECOVERED, since=unblocked) - unblocked
    print("# scans %.1f s after it was switched on" % took)
    board.stay(LOSS)
    board.leave()


@heard("a hardware error: scans again", may_reset=True)
def hardware(board):
    board.enter()
    failed = time.monotonic()
    board.radio.fail()
    took = board.wait_until_scanning(seconds=RECOVERED, since=failed) - failed
    print("# scans %.1f s after the error" % took)
    board.stay(LOSS)
    board.leave()


if __name__ == "__main__":
    main()
