#!/usr/bin/env python3
# takes: 60 s
# busy
# limit: 1300 s
# touches: Sources/Host Sources/homewardd/Board Sources/Model/Settings Sources/Loop Sources/Timebase Sources/CLinux
# touches: Tests/Instruments/VM Tests/Programs/world Tests/Programs/shims
# behaviour: What the board tells
"""Fuel gauges on a real kernel's I2C bus, in a guest: the kernel's own stub plays the chips.

Without arguments it starts the guest, in which it is started again as `test-fuel-gauge.py inside`.
"""
import ctypes
import fcntl
import glob
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(1, sys.path[0] + "/../world")
from tracker import BINARIES, ROOT
from world import claim, expect

HERE = "/share/homeward/Tests/Programs"
MAX17040, INA219 = 0x36, 0x40
SLAVE, SMBUS, WRITE, WORD = 0x0703, 0x0720, 0, 3


class Order(ctypes.Structure):
    """i2c_smbus_ioctl_data of linux/i2c-dev.h."""
    _fields_ = [("way", ctypes.c_uint8), ("register", ctypes.c_uint8), ("size", ctypes.c_uint32),
                ("data", ctypes.c_void_p)]


def stub():
    """The number of the bus that the stub made."""
    for name in glob.glob("/sys/class/i2c-dev/i2c-*/name"):
        with open(name) as file:
            if "stub" in file.read().lower():
                return int(name.split("/")[-2].split("-")[1])
    raise AssertionError("this kernel has no i2c-stub")


def write(bus, address, register, value):
    """16 bits, the high byte first as these chips have them."""
    data = (ctypes.c_uint8 * 34)(value >> 8, value & 255)
    with open("/dev/i2c-%d" % bus, "r+b", buffering=0) as file:
        fcntl.ioctl(file, SLAVE, address)
        fcntl.ioctl(file, SMBUS, Order(WRITE, register, WORD, ctypes.addressof(data)))


def battery(world, predicate):
    return world.tracker.wait_for_status(lambda s: predicate(s.get("battery") or {})).get("battery")


@claim("a MAX17040 on the bus tells the battery's level", has_gpsd=False)
def gauge(world):
    bus = stub()
    write(bus, MAX17040, 0x04, 57 << 8 | 0x40)
    world.tracker.configure(batterySource="max17040:%d" % bus)
    world.tracker.start()
    found = battery(world, lambda b: b.get("level"))
    expect(found == {"level": 57, "state": "unknown"}, "battery %s" % found)


@claim("an INA219 tells level and direction, by the table of voltages", has_gpsd=False)
def meter(world):
    bus = stub()
    write(bus, INA219, 0x02, round(12.2 / 0.004) << 3 | 2)
    write(bus, INA219, 0x01, 0x10000 - 250)
    world.tracker.configure(batterySource="ina219:%d:0x40" % bus, batteryVoltages="11.8:0 12.2:50 12.7:100")
    world.tracker.start()
    found = battery(world, lambda b: b.get("level"))
    expect(found == {"level": 50, "state": "unplugged"}, "battery %s" % found)
    write(bus, INA219, 0x01, 250)
    # Another source and back: it is read at once.
    world.tracker.configure(batteryVoltages="11.8:0 12.2:60 12.7:100")
    expect(world.tracker.ask("reload").status == 0, "no reload")
    found = battery(world, lambda b: b.get("state") == "charging")
    expect(found == {"level": 60, "state": "charging"}, "battery %s" % found)


@claim("an address where nothing answers is named, and the battery unknown", has_gpsd=False)
def silence(world):
    world.tracker.configure(batterySource="max17040:%d:0x20" % stub())
    world.tracker.start()
    status = world.tracker.wait_for_status(lambda s: s.get("batteryCause"))
    expect("nothing answers there" in (status.get("batteryCause") or ""), "cause %s" % status.get("batteryCause"))


def outside():
    sys.path.insert(0, os.path.join(ROOT, "Tests/Instruments/VM"))
    from image import RELEASES, CannotBuild
    from machine import FAILED, TIMED_OUT, Machine
    with open("/etc/os-release") as file:
        text = file.read()
    release = next((name for name in RELEASES if "VERSION_CODENAME=" + name in text), RELEASES[0])
    with tempfile.TemporaryDirectory(prefix="hw-gauge-") as programs:
        for name in ("homewardd", "homeward"):
            target = os.path.join(programs, name)
            if subprocess.run(["strip", "-o", target, os.path.join(BINARIES, name)]).returncode:
                shutil.copy(os.path.join(BINARIES, name), target)
        shares = [(os.path.join(ROOT, "Tests/Programs"), HERE), (programs, "/share/bin")]
        script = "export HOMEWARD_BIN=/share/bin; exec python3 -B %s/host/test-fuel-gauge.py inside" % HERE
        try:
            status = Machine(release, shares, 1200).run(["sh", "-c", script], say)
        except CannotBuild as why:
            print("skip fuel gauge: no guest on this machine: %s" % why)
            return 0
    if status in (TIMED_OUT, FAILED):
        print("not ok fuel gauge: the guest %s" % ("was not done" if status == TIMED_OUT else "ended early"))
    return 1 if status else 0


def say(line):
    sys.stdout.buffer.write(line)
    sys.stdout.flush()


if __name__ == "__main__":
    if sys.argv[1:2] != ["inside"]:
        sys.exit(outside())
    from world import main
    del sys.argv[1]
    main()
