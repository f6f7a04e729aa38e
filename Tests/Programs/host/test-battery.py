#!/usr/bin/env python3
# takes: 20 s
# behaviour: What the board tells
"""The battery where the kernel knows none: what a script writes or a program says comes out in the messages."""
import os
import sys

sys.path.insert(1, sys.path[0] + "/../world")
from waiting import in_the_end
from world import claim, expect, main


def write(path, text, mode=0o644):
    # In one step, as a program that writes such a file should.
    with open(path + ".new", "w") as file:
        file.write(text)
    os.chmod(path + ".new", mode)
    os.rename(path + ".new", path)


@claim("a file's battery is in the next message, and a reload reads it anew")
def file(world):
    path = os.path.join(world.folder, "battery")
    write(path, "57 Discharging\n")
    world.tracker.configure(batterySource="file:" + path)
    world.start()
    last = world.locations()[-1]
    expect((last.get("batt"), last.get("bs")) == (57, 1), "batt %s, bs %s" % (last.get("batt"), last.get("bs")))
    program = os.path.join(world.folder, "ups")
    write(program, "#!/bin/sh\necho '{\"level\":'$1',\"status\":\"Charging\"}'\n", 0o700)
    world.tracker.configure(batterySource="command:%s 43" % program)
    expect(world.tracker.ask("reload").status == 0, "no reload")
    status = world.tracker.wait_for_status(lambda s: s.get("battery", {}).get("level") == 43)
    expect(status["battery"] == {"level": 43, "state": "charging"}, "status %s" % status.get("battery"))
    world.feed(world.stand(3))
    expect(in_the_end(lambda: world.locations()[-1].get("bs") == 2), "not in the message")


@claim("nonsense: one line, the battery is unknown, the positions go on")
def nonsense(world):
    path = os.path.join(world.folder, "battery")
    write(path, "57 Melting\n")
    world.tracker.configure(batterySource="file:" + path)
    world.start()
    expect("batt" not in world.locations()[-1], "it tells a battery")
    lines = [line for line in world.tracker.log().splitlines() if "battery unknown" in line]
    expect(len(lines) == 1 and path + ": 57 Melting, expected a level" in lines[0], "journal %s" % lines)
    expect("57 Melting" in world.tracker.ask("status").text, "status does not say why")


@claim("the voltage of the vehicle's battery is known, and nonsense is named once")
def vehicle(world):
    path = os.path.join(world.folder, "volts")
    write(path, "12.64\n")
    world.tracker.configure(vehicleBattery="file:" + path)
    world.start()
    status = world.tracker.wait_for_status(lambda s: s.get("vehicle"))
    expect(status["vehicle"] == {"low": False, "halting": False, "volts": 12.64}, "status %s" % status.get("vehicle"))
    expect("12.6 V" in world.tracker.ask("status").text, "not shown")
    write(path + "2", "dead\n")
    world.tracker.configure(vehicleBattery="file:%s2" % path)
    world.tracker.hang_up()
    expect(in_the_end(lambda: '"dead", expected volts such as 12.4' in world.tracker.log()), "nonsense is not named")
    expect("vehicle" not in world.tracker.status(), "status still tells %s" % world.tracker.status().get("vehicle"))


@claim("a program that hangs holds up nothing, and is gone ten seconds later", pace=4)
def hangs(world):
    program = os.path.join(world.folder, "ups")
    write(program, "#!/bin/sh\necho $$ > %s/child\nsleep 1000\n" % world.folder, 0o700)
    world.tracker.configure(batterySource="command:" + program)
    world.start()
    world.wait_for_locations(world.feed(world.drive(10), hz=5))
    status = world.tracker.wait_for_status(lambda s: s.get("batteryHung"))
    expect(status.get("batteryHung") == 1, "not counted")
    expect("not done within 10 s" in status["batteryCause"], "cause %s" % status.get("batteryCause"))
    with open(os.path.join(world.folder, "child")) as child:
        process = int(child.read())
    expect(in_the_end(lambda: not os.path.exists("/proc/%d" % process)), "it lives, or nobody buried it")


@claim("a source that is none stops the start")
def wrong(world):
    world.tracker.configure(batterySource="max17040:1:0x99")
    status, text = world.tracker.run_to_end()
    expect(status == 78 and "batterySource" in text and "expected auto, max17040" in text, text)


@claim("a chip that is not there is named with what to do")
def chip(world):
    world.tracker.configure(batterySource="max17040:250")
    world.start()
    expect("/dev/i2c-250: cannot be opened" in world.tracker.log(), "not named")


if __name__ == "__main__":
    main()
