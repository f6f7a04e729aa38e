#!/usr/bin/env python3
# takes: 150 s
# limit: 1300 s
# alone
# touches: Sources/Core/Vehicle Sources/Core/Tracker Sources/Host/Power Sources/homewardd Sources/Storage board/homeward-halt
# touches: Tests/Programs/sleep Tests/Instruments/VM Tests/Programs/world
# behaviour: Battery steps
"""Boards in guests with a real kernel's clock: one that a person parks, and one whose battery runs down to check-ins only,
and then to nothing."""
import sys
import tempfile

from lives import HOURS, Board, CannotBuild

# A Monday in November 2026, at noon.
START = 1_794_830_400
STEPS = {"batterySteps": ["checkins|12.2V", "off|11.8V"], "parkedWake": 0, "vehicleBatteryLow": 0, "vehicleBatteryOff": 0}


def expect(condition, what, life):
    print("%s %s" % ("ok     " if condition else "not ok ", what))
    if not condition:
        print("\n".join("# " + line for line in (life.said + "\n" + life.answer + "\n" + life.log).splitlines()[-40:]))
        print("# %.1f s, alarm in %d s, status %s" % (life.seconds, life.wakes_after, life.status))
        print("# heard: %s" % [(topic, str(message)[:300]) for topic, message in life.heard][-12:])
    return condition


def is_alarm(life):
    return life.asked and HOURS * 3600 - 120 <= life.wakes_after <= HOURS * 3600


def steps(life):
    return [message.get("batteryStep") for message in life.places()]


def park(folder):
    board = Board(folder + "/park", START)
    first = board.live(volts=12.6, order=["park"])
    second = board.live(volts=12.6)
    return [
        expect(is_alarm(first), "a board that is told to park switches itself off, and its clock wakes it", first),
        expect(first.places() and first.words()[-1].get("nextCheckIn", 0) >= START + HOURS * 3600, "its last word says when",
               first),
        expect(is_alarm(second) and second.seconds <= 60, "it checks in, and is off again within 60 s", second),
        expect([m for m in second.places() if m["tst"] >= second.true_start], "and says where it is", second),
    ]


def run_down(folder):
    board = Board(folder + "/steps", START)
    first = board.live(volts=12.0, settings=STEPS)
    second = board.live(volts=12.0, settings=STEPS)
    third = board.live(volts=11.5, settings=STEPS)
    return [
        expect(is_alarm(first), "at checkins the board is switched off, and wakes after six hours", first),
        expect("checkins" in steps(first), "the step is told", first),
        expect(is_alarm(second) and second.seconds <= 60, "it checks in, and is off again within 60 s", second),
        expect(steps(second)[-1:] == ["checkins"], "a check-in tells the step", second),
        expect(third.asked and third.alarm == 0, "at off it is switched off without an alarm", third),
        expect(steps(third)[-1:] == ["off"], "which is told before", third),
        expect("nextCheckIn" not in third.words()[-1], "and its last word names no check-in", third),
    ]


def main():
    with tempfile.TemporaryDirectory(prefix="hw-park-") as folder:
        try:
            held = park(folder)
        except CannotBuild as why:
            print("skip park: no guest on this machine: %s" % why)
            return 0
        held += run_down(folder)
        return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
