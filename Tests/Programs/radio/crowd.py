#!/usr/bin/env python3
"""A crowd of strangers does not hide the beacon. What it costs is measured by cost.py."""
from board import LOSS, heard
from world import main

RATE = 20000  # advertisements a second


@heard("among 20,000 strangers a second the beacon is still heard", reentryGuard=0)
def crowded(board):
    expect_heard(board)


@heard("the same by raw scanning", rights=("net_admin", "net_raw"), scanMethod="raw", reentryGuard=0)
def crowded_raw(board):
    expect_heard(board)


def expect_heard(board):
    board.enter()
    board.radio.crowd(RATE)
    # Longer than it takes to be taken for gone.
    board.stay(LOSS + 2)


if __name__ == "__main__":
    main()
