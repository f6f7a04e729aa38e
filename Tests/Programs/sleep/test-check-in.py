#!/usr/bin/env python3
# takes: 150 s
# limit: 1300 s
# alone
# touches: Sources/Core/Vehicle Sources/Core/Tracker Sources/Host/Power Sources/homewardd Sources/Storage board/homeward-halt
# touches: Tests/Programs/sleep Tests/Instruments/VM Tests/Programs/world
# behaviour: Check-ins of a parked board
"""A parked board in guests with a real kernel's clock: switched off with an alarm, woken by it, switched off again. The
week of Tests/Instruments/VM/week is the same at length."""
import sys
import tempfile

from lives import HOURS, Board, CannotBuild

# A Monday in November 2026, at noon.
START = 1_794_830_400


def expect(condition, what, life):
    print("%s %s" % ("ok     " if condition else "not ok ", what))
    if not condition:
        print("\n".join("# " + line for line in (life.said + "\n" + life.log).splitlines()[-40:]))
        print("# %.1f s, alarm in %d s, status %s" % (life.seconds, life.wakes_after, life.status))
        print("# heard: %s" % [(topic, str(message)[:160]) for topic, message in life.heard][-12:])
    return condition


def is_alarm(life):
    return life.asked and HOURS * 3600 - 120 <= life.wakes_after <= HOURS * 3600


def main():
    with tempfile.TemporaryDirectory(prefix="hw-sleep-") as folder:
        try:
            board = Board(folder, START)
            first = board.live()
        except CannotBuild as why:
            print("skip check-in: no guest on this machine: %s" % why)
            return 0
        held = [
            expect(is_alarm(first), "a board whose battery is empty is switched off, and the kernel's clock wakes it", first),
            expect(first.words()[-1].get("nextCheckIn", 0) >= START + HOURS * 3600, "its last word says when", first),
        ]
        second = board.live()
        held += [
            expect(is_alarm(second) and second.seconds <= 60, "a check-in takes at most 60 s from power to off", second),
            expect(len([m for m in second.places() if m["tst"] >= second.true_start]) == 1, "it publishes one place", second),
            expect(second.words()[-1]["reason"] == "batteryLow", "its last word says why it is off", second),
        ]
        board.wrong = -3 * 86_400
        third = board.live(network=False)
        held.append(expect(is_alarm(third), "without a server it is switched off at the limit, by a wrong clock too", third))
        board.wrong = 0
        fourth = board.live()
        late = [m for m in fourth.places() if third.true_start <= m["tst"] < fourth.true_start]
        held += [
            expect(len(late) == 1, "what was found without a server is delivered by the next check-in", fourth),
            expect(any(w.get("missedCheckIns") == {"count": 1, "reason": "undelivered"} for w in fourth.words()),
                   "which says that one was missed, and why", fourth),
            expect(is_alarm(fourth) and fourth.seconds <= 60, "and takes no longer for that", fourth),
        ]
        return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
