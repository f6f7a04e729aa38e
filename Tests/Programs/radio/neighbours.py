#!/usr/bin/env python3
"""Beside bluetoothd: idle, restarted, looking for devices."""
import time

from board import LOSS, heard
from radio import settings_of
from world import expect, main


@heard("beside bluetoothd: enter and leave, and its settings stay")
def beside(board):
    board.bluetoothd()
    time.sleep(2)  # it changes settings of its own at first
    before = settings_of(board.radio.index)
    board.enter()
    board.leave()
    expect(settings_of(board.radio.index) == before, "settings %x, then %x" % (before, settings_of(board.radio.index)))


@heard("bluetoothd was there first", starts=False)
def second(board):
    board.bluetoothd()
    time.sleep(1)
    board.start()
    board.settle()
    board.enter()
    board.leave()


@heard("bluetoothd restarts while inside: no leave, heard again within 10 s", may_reset=True,
       beaconLossTimeout=10)
def restarted(board):
    neighbour = board.bluetoothd()
    board.enter()
    for _ in range(2):
        neighbour.stop()
        time.sleep(1)
        neighbour = board.bluetoothd()
        board.stay(2)
    board.stay(10)
    board.leave(10)


@heard("while bluetoothd looks for devices: enter and leave, and after it has ended", may_reset=True)
def discovering(board):
    neighbour = board.bluetoothd()
    neighbour.discover()
    time.sleep(3)
    expect(board.radio.active_scans(), "bluetoothd does not look for devices")
    board.enter()
    board.stay(12)  # longer than one round of a discovery
    board.leave()
    board.enter()
    neighbour.stop_discovering()
    board.stay(LOSS + 2)
    board.leave()


if __name__ == "__main__":
    main()
