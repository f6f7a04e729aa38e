#!/usr/bin/env python3
"""What beacons and a crowd of strangers cost, on a processor as slow as a small board's (see Tests/Instruments/VM)."""
import time

from board import REGION, heard
from figures import figure
from nmea import burst, degrees
from tracker import effort, effort_over
from waiting import IN_THE_END
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


@heard("what 20,000 strangers a second cost", reentryGuard=0)
def growth(board):
    measure_growth(board, "")


@heard("the same by raw scanning", rights=("net_admin", "net_raw"), scanMethod="raw", reentryGuard=0)
def growth_raw(board):
    measure_growth(board, ", scanning raw")


def measure_growth(board, how):
    figure("from the first advertisement to the enter at the broker" + how, board.enter(), "s", 2)
    board.leave()
    before = board.tracker.memory()["Anonymous"]
    cpu, rate = crowd_of(board, 8)
    figure("strangers that came through" + how, rate, "a second", RATE)
    figure("processor among them" + how, cpu / 8 * 100, "per cent", "as much as it wants")
    figure("more memory after them" + how, board.tracker.memory()["Anonymous"] - before, "kB", 2048)


@heard("how soon a fix is at the broker", has_gpsd=True)
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
                lambda messages: any(m.json() and m.json().get("tst") == tst for m in messages), IN_THE_END)
            expect(arrived, "a fix did not come through")
            delays.append(time.monotonic() - sent)
            time.sleep(0.2)
        return sorted(delays)[len(delays) // 2]

    alone = median_delay()
    board.radio.crowd(RATE)
    before, start = board.radio.count()[1], time.monotonic()
    crowded = median_delay()
    rate = (board.radio.count()[1] - before) / (time.monotonic() - start)
    board.radio.crowd(0)
    figure("from a fix to the broker, median of 9", alone * 1e3, "ms", 50)
    figure("the same among strangers", crowded * 1e3, "ms", 50)
    figure("strangers that came through meanwhile", rate, "a second", RATE)


@heard("what scanning costs while nobody advertises", starts=False)
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
    figure("more memory for scanning", with_scan - memory, "kB", 150)
    figure("more wake-ups for scanning", wakeups_with - wakeups, "a second", 0.2)


@heard("how soon it scans", starts=False)
def startup(board):
    board.start()
    figure("from the daemon's start to the controller's scan", board.wait_until_scanning() - board.started, "s", 2)


if __name__ == "__main__":
    main()
