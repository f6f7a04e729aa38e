#!/usr/bin/env python3
"""What a crowd of strangers costs, on a processor as slow as a small board's (see Tests/Instruments/VM/machine.py)."""
import time

from board import REGION, heard
from nmea import burst, degrees
from tracker import effort, effort_over
from world import expect, main

RATE = 20000  # advertisements a second


def crowd_of(board, seconds):
    """CPU seconds of the daemon and advertisements a second."""
    before, cpu, start = board.radio.count()[1], effort(board.tracker.pid)[0], time.monotonic()
    board.radio.crowd(RATE)
    time.sleep(seconds)
    board.radio.crowd(0)
    span = time.monotonic() - start
    return effort(board.tracker.pid)[0] - cpu, (board.radio.count()[1] - before) / span


@heard("20,000 strangers a second: at most 2 MB more, and the beacon is still heard", reentryGuard=0)
def growth(board):
    expect_no_growth(board)


@heard("the same by raw scanning", rights=("net_admin", "net_raw"), scanMethod="raw", reentryGuard=0)
def growth_raw(board):
    expect_no_growth(board)


def expect_no_growth(board):
    board.enter()
    board.leave()
    before = board.tracker.memory()["Anonymous"]
    cpu, rate = crowd_of(board, 8)
    grown = board.tracker.memory()["Anonymous"] - before
    print("# %.0f strangers a second came through, the daemon took %.0f %% of the processor, %d kB more" % (
        rate, cpu / 8 * 100, grown))
    expect(rate > 0.9 * RATE, "only %.0f strangers a second came through" % rate)
    expect(grown <= 2048, "%d kB more" % grown)
    board.enter()
    board.radio.crowd(RATE)
    board.stay(6)


@heard("a fix among 20,000 strangers a second is at the broker within 50 ms", has_gpsd=True)
def promptness(board):
    board.world.warm_up()

    def median_delay():
        delays = []
        for _ in range(9):
            tst, here = board.world.clock, degrees((0, 0))
            board.world.clock += 1
            board.world.gpsd.write(burst(tst, *here, 0.0, 0.0))
            sent = time.monotonic()
            arrived = board.world.watcher.wait(
                lambda messages: any(m.json() and m.json().get("tst") == tst for m in messages), 5)
            expect(arrived, "a fix did not come through within 5 s")
            delays.append(time.monotonic() - sent)
            time.sleep(0.2)
        return sorted(delays)[len(delays) // 2]

    alone = median_delay()
    board.radio.crowd(RATE)
    before, start = board.radio.count()[1], time.monotonic()
    crowded = median_delay()
    rate = (board.radio.count()[1] - before) / (time.monotonic() - start)
    board.radio.crowd(0)
    print("# median of 9: %.0f ms alone, %.0f ms among %.0f strangers a second" % (alone * 1e3, crowded * 1e3, rate))
    expect(rate > 0.9 * RATE, "only %.0f strangers a second came through" % rate)
    expect(crowded <= 0.05, "%.0f ms, alone %.0f ms" % (crowded * 1e3, alone * 1e3))


@heard("scanning costs nothing while nobody advertises: 150 kB, no wake-ups of its own", starts=False)
def idle(board):
    figures = []
    for waypoints in ([dict(REGION, uuid=None, rad=100)], [REGION]):
        board.tracker.configure(waypoints=[{key: v for key, v in waypoints[0].items() if v is not None}])
        board.start()
        time.sleep(4)
        _, wakeups = effort_over(board.tracker.pid, 10)
        figures.append((board.tracker.memory()["Anonymous"], wakeups))
        board.tracker.stop()
    (memory, wakeups), (with_scan, wakeups_with) = figures
    print("# without a beacon region %d kB, %.1f wake-ups a second; with one %d kB, %.1f" % (
        memory, wakeups, with_scan, wakeups_with))
    expect(with_scan - memory <= 150 + 50, "%d kB more" % (with_scan - memory))
    expect(wakeups_with - wakeups <= 0.2, "%.1f wake-ups a second more" % (wakeups_with - wakeups))


if __name__ == "__main__":
    main()
