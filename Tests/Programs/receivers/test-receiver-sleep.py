#!/usr/bin/env python3
# takes: 60 s
# behaviour: A receiver that sleeps
"""A receiver of u-blox is put to sleep through a real gpsd while it rests, and woken for the next look."""
import struct
import sys
import time

sys.path.insert(1, sys.path[0] + "/../world")
from waiting import in_the_end, stays
from world import claim, expect, main

CYCLE = 8


def frame(kind, content=b""):
    """As the manufacturer has it: mark, class and kind, length, content, Fletcher's sum."""
    body = bytes(kind) + struct.pack("<H", len(content)) + content
    first = second = 0
    for byte in body:
        first = (first + byte) & 255
        second = (second + first) & 255
    return b"\xb5\x62" + body + bytes([first, second])


def solution(clock):
    """UBX-NAV-SOL of a fix in three dimensions, 5 m accurate, near 48 N, 16 E."""
    seconds = clock - 315964800 + 18
    week, second = divmod(seconds, 604800)
    return frame([0x01, 0x06], struct.pack(
        "<IihBBiiiIiiiIHBBI", second * 1000, 0, week, 3, 0x0D, 411000000, 118000000, 472000000, 500, 0, 0, 0, 10, 150,
        0, 9, 0))


def request(milliseconds):
    return frame([0x02, 0x41], struct.pack("<B3sIII", 0, b"\0\0\0", milliseconds, 2, 8))


class UBlox:
    """One on the line of gpsd: says where it is once a second, and notes what it is told."""

    def __init__(self, world):
        self.world, self.told = world, b""

    def until(self, predicate, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end and not predicate():
            self.world.gpsd.write(solution(int(time.time())))
            time.sleep(0.5)
            self.told += self.world.gpsd.written()
        return predicate()


@claim("the receiver sleeps for its rest, and is woken for the next look", has_gpsd=False, seconds=300)
def sleeps(world):
    world.gpsd.flags = ["-n"]
    world.gpsd.start()
    world.tracker.configure(receiverSleep=True, gpsDutyCycle=CYCLE, monitoring=1)
    receiver = UBlox(world)
    world.tracker.start()
    asleep, awake = request(CYCLE * 1000), frame([0x0A, 0x04])
    expect(receiver.until(lambda: asleep in receiver.told, 60), "not put to sleep: %s" % receiver.told[-200:].hex())
    receiver.told = receiver.told[receiver.told.index(asleep) + len(asleep):]
    expect(receiver.until(lambda: awake in receiver.told, CYCLE * 3), "not woken: %s" % receiver.told[-200:].hex())
    expect(receiver.until(lambda: receiver.told.count(asleep) >= 1, CYCLE * 3), "only once")


@claim("without the setting nothing is said to it", has_gpsd=False, seconds=300)
def stays_awake(world):
    world.gpsd.flags = ["-n"]
    world.gpsd.start()
    world.tracker.configure(gpsDutyCycle=CYCLE, monitoring=1)
    receiver = UBlox(world)
    world.tracker.start()
    rests = lambda: (world.tracker.status() or {}).get("gps", {}).get("cause") == "the receiver rests"
    expect(receiver.until(rests, 60), "it does not rest")
    receiver.until(lambda: False, 3)
    expect(b"\xb5\x62\x02\x41" not in receiver.told, "it is told to sleep")


@claim("a gpsd that may not write passes nothing on, and the looks go on", has_gpsd=False, seconds=300)
def read_only(world):
    world.gpsd.start()
    world.tracker.configure(receiverSleep=True, gpsDutyCycle=CYCLE, monitoring=1)
    receiver = UBlox(world)
    world.tracker.start()
    cause = lambda: (world.tracker.status() or {}).get("gps", {}).get("cause")
    expect(receiver.until(lambda: cause() == "the receiver rests", 60), "it does not rest")
    expect(receiver.until(lambda: cause() != "the receiver rests", CYCLE * 3), "it is not woken")
    expect(receiver.told == b"", "gpsd has written %s" % receiver.told.hex())


if __name__ == "__main__":
    main()
