#!/usr/bin/env python3
# takes: 200 s
# behaviour: Jamming and spoofing
"""A made-up receiver of u-blox says through a real gpsd that it is jammed or spoofed, and that this is over."""
import sys

sys.path.insert(1, sys.path[0] + "/../world")
from tracker import TOPIC
from ublox import MON_HW, MON_RF, UBlox, frame
from world import claim, expect, main


def started(world, flags, generation=9, **settings):
    world.gpsd.flags = flags
    world.gpsd.start()
    world.tracker.configure(**settings)
    receiver = UBlox(world, generation)
    world.tracker.start()
    return receiver


def alarms(world):
    return [(one["alarm"], one["event"], one["state"]) for one in world.heard("alarm", TOPIC + "/alarm")]


def status(world, *path):
    found = world.tracker.status() or {}
    for key in path:
        found = (found or {}).get(key)
    return found


def doctor(world):
    text = world.tracker.ask("doctor", "--file", world.tracker.configuration).text
    return [line for line in text.splitlines() if "jamming" in line]


def jammed(world, receiver):
    receiver.has_fix, receiver.jamming = False, 3
    expect(receiver.until(lambda: alarms(world), 150), "it is not told: %s" % world.tracker.ask("why").text)
    expect(alarms(world) == [("jamming", "begin", "critical")], "told as %s" % alarms(world))
    expect(status(world, "jamming", "state") == "critical", "the status says %s" % status(world, "jamming"))
    expect(status(world, "gps", "cause") == "the receiver is jammed, and has no fix",
           "the cause is %s" % status(world, "gps", "cause"))
    expect("jammed" in world.tracker.ask("status").text, "status does not say it")
    expect("the receiver is jammed, and has no fix" in world.tracker.ask("why").text, "why does not say it")
    expect("jamming critical" in " ".join(doctor(world)), "the doctor says %s" % doctor(world))
    receiver.has_fix, receiver.jamming = True, 1
    expect(receiver.until(lambda: len(alarms(world)) == 2, 150), "its end is not told: %s" % alarms(world))
    expect(alarms(world)[1] == ("jamming", "end", "critical"), "its end is told as %s" % alarms(world)[1:])
    expect(status(world, "jamming") is None, "the status says %s" % status(world, "jamming"))
    expect(status(world, "gps", "malformed") == 0, "%s lines made no sense" % status(world, "gps", "malformed"))
    expect(receiver.answered > 0, "it was not asked")


@claim("jamming is told and its end, by a receiver of the ninth generation", has_gpsd=False, seconds=300)
def ninth(world):
    receiver = started(world, ["-n"], jammingWatch=True)
    expect(receiver.until(lambda: status(world, "gps", "jamming") == "none", 60), "the receiver is not asked")
    expect("jamming none, spoofing none" in " ".join(doctor(world)), "the doctor says %s" % doctor(world))
    jammed(world, receiver)


@claim("jamming is told and its end, by a receiver of the eighth generation", has_gpsd=False, seconds=300)
def eighth(world):
    jammed(world, started(world, ["-n"], 8, jammingWatch=True))


@claim("spoofing is told, and positions are published all the same", has_gpsd=False, seconds=300)
def spoofed(world):
    receiver = started(world, ["-n"], jammingWatch=True, monitoring=2, locatorInterval=5)
    receiver.spoofing = 2
    expect(receiver.until(lambda: alarms(world), 120), "it is not told: %s" % world.tracker.ask("why").text)
    expect(alarms(world) == [("spoofing", "begin", "warning")], "told as %s" % alarms(world))
    count = len(world.locations())
    expect(receiver.until(lambda: len(world.locations()) > count, 60), "no position is published any more")
    receiver.spoofing = 3
    expect(receiver.until(lambda: len(alarms(world)) == 2, 120), "that it is worse is not told")
    expect(alarms(world)[1] == ("spoofing", "repeat", "critical"), "that is told as %s" % alarms(world)[1:])


@claim("where gpsd may not write the doctor says that nothing answers", has_gpsd=False, seconds=300)
def read_only(world):
    receiver = started(world, ["-n", "-b"], jammingWatch=True)
    expect(receiver.until(lambda: status(world, "gps", "monitorSilent"), 120), "that it is silent is not known")
    expect(receiver.told == b"", "gpsd has written %s" % receiver.told.hex())
    expect("has not answered" in " ".join(doctor(world)), "the doctor says %s" % doctor(world))
    expect(status(world, "gps", "jamming") is None and not alarms(world), "something is told")


@claim("without the setting nothing is asked", has_gpsd=False, seconds=300)
def off(world):
    receiver = started(world, ["-n"])
    expect(receiver.until(lambda: status(world, "gps", "driver") == "u-blox", 60), "gpsd does not know it")
    receiver.until(lambda: False, 10)
    expect(frame(MON_RF) not in receiver.told and frame(MON_HW) not in receiver.told, "it is asked")
    expect(status(world, "gps", "jamming") is None and not doctor(world), "something is said of it")


if __name__ == "__main__":
    main()
