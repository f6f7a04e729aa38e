#!/usr/bin/env python3
# takes: 60 s
# behaviour: A receiver that sleeps
"""A receiver of u-blox is put to sleep through a real gpsd while it rests, and woken for the next look."""
import struct
import sys

sys.path.insert(1, sys.path[0] + "/../world")
from ublox import UBlox, frame
from world import claim, expect, main

CYCLE = 8
RESTS = "the receiver rests"


def cause(world):
    return (world.tracker.status() or {}).get("gps", {}).get("cause")


def request(milliseconds):
    return frame([0x02, 0x41], struct.pack("<B3sIII", 0, b"\0\0\0", milliseconds, 2, 8))


AWAKE = frame([0x0A, 0x04])


def begin(world, cycle, **settings):
    world.gpsd.flags = ["-n"]
    world.gpsd.start()
    world.tracker.configure(gpsDutyCycle=cycle, monitoring=1, **settings)
    receiver = UBlox(world, sleeps_by=request(cycle * 1000))
    world.tracker.start()
    return receiver


@claim("the receiver sleeps for its rest, and is woken for the next look", has_gpsd=False, seconds=300)
def sleeps(world):
    receiver = begin(world, CYCLE, receiverSleep=True)
    for look in range(1, 4):
        expect(receiver.until(lambda: receiver.sleeps, 60), "not put to sleep: %s" % receiver.told[-200:].hex())
        expect(receiver.told.count(receiver.order) == look, "put to sleep twice in one look")
        expect(receiver.until(lambda: not receiver.sleeps, 60), "not woken")
        expect(receiver.told.endswith(receiver.order + AWAKE), "woken by %s" % receiver.told[-200:].hex())


@claim("one that was left asleep by a daemon that was killed is woken", has_gpsd=False, seconds=300)
def is_woken(world):
    receiver = begin(world, 3600, receiverSleep=True)
    expect(receiver.until(lambda: receiver.sleeps, 60), "not put to sleep")
    world.tracker.kill()
    world.tracker.start()
    expect(receiver.until(lambda: not receiver.sleeps, 60), "not woken")
    expect(receiver.until(lambda: receiver.sleeps, 60), "no look after that")


@claim("one that was left asleep while board and gpsd were without power is woken", has_gpsd=False, seconds=300)
def is_found(world):
    receiver = begin(world, 3600, receiverSleep=True)
    expect(receiver.until(lambda: receiver.sleeps, 60), "not put to sleep")
    world.tracker.kill()
    world.gpsd.kill()
    expect(receiver.until(lambda: False, 1) is False and receiver.sleeps, "woken by their end")
    world.gpsd.start()
    world.tracker.start()
    expect(receiver.until(lambda: not receiver.sleeps, 60), "not woken")
    expect(receiver.until(lambda: receiver.sleeps, 120), "no look after that")


@claim("a daemon that is stopped leaves it awake", has_gpsd=False, seconds=300)
def is_left(world):
    receiver = begin(world, 3600, receiverSleep=True)
    expect(receiver.until(lambda: receiver.sleeps, 60), "not put to sleep")
    expect(world.tracker.stop() == 0, "does not stop")
    expect(receiver.until(lambda: not receiver.sleeps, 60), "left asleep")


@claim("without the setting nothing is said to it", has_gpsd=False, seconds=300)
def stays_awake(world):
    receiver = begin(world, CYCLE)
    expect(receiver.until(lambda: cause(world) == RESTS, 60), "it does not rest")
    expect(receiver.until(lambda: cause(world) != RESTS, 60), "it goes on resting")
    expect(b"\xb5\x62\x02\x41" not in receiver.told, "it is told to sleep")


@claim("a gpsd that may not write passes nothing on, and the looks go on", has_gpsd=False, seconds=300)
def read_only(world):
    world.gpsd.start()
    world.tracker.configure(receiverSleep=True, gpsDutyCycle=CYCLE, monitoring=1)
    receiver = UBlox(world)
    world.tracker.start()
    for _ in range(2):
        expect(receiver.until(lambda: cause(world) == RESTS, 60), "it does not rest")
        expect(receiver.until(lambda: cause(world) != RESTS, 60), "it goes on resting")
    expect(receiver.told == b"", "gpsd has written %s" % receiver.told.hex())


if __name__ == "__main__":
    main()
