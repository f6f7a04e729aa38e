#!/usr/bin/env python3
"""In the guest: the cut of the board's power, at one moment of the guest's own time.

    chrt -f 99 cut.py SECONDS

From that moment on nothing else runs until the machine outside has a copy of the disk (lives.py), which is what a cut
leaves of it. Then the board stays still, and the world, which has not lost its power, is listened to for a while longer.
The two sides speak through a page of memory that both have: whatever waits for a line or a disk would let others run."""
import json
import mmap
import os
import re
import shutil
import signal
import subprocess
import sys
import time

CLOCK = "/sys/class/rtc/rtc0"
MADE, TOO_LATE = "/run/cut", "/run/too-late"
# Bytes of the two modules, which the kernel finds in any order.
DISK, PAGE = 64 << 20, 32 << 20
IS_CUT, IS_COPIED = b"cut", b"copied"


def number(path):
    with open(path) as file:
        return int(file.read().split(".")[0].strip() or 0)


def module(size):
    """The device that has so many bytes."""
    names = [name for name in os.listdir("/sys/block") if name.startswith("pmem")]
    return next("/dev/" + name for name in names if number("/sys/block/%s/size" % name) * 512 == size)


class Cut:
    """How the rest of the guest sees it."""

    def is_made(self):
        return os.path.exists(MADE)

    def is_too_late(self):
        """The board is off: from now on there is nothing to be cut."""
        with open(TOO_LATE, "w"):
            pass
        if not self.is_made():
            subprocess.run(["busybox", "umount", "/share/life/state"], check=True)

    def moment(self):
        """What was so when it was made, in place of what is so now."""
        if not self.is_made():
            return {}
        with open(MADE) as file:
            return json.load(file)


def stand_by(place, plan):
    """The disk at its place, the clock as it was set. Returns what lies in the store: (kind, time) of each message, in
    pages that are free again as well, so some are long delivered."""
    subprocess.run(["busybox", "mount", "-t", "ext4", module(DISK), place], check=True)
    if plan.get("alarm"):
        with open(CLOCK + "/wakealarm", "w") as file:
            file.write("%d\n" % plan["alarm"])
    bytes_found = b""
    for name in sorted(os.listdir(place)):
        if os.path.isfile(os.path.join(place, name)):
            with open(os.path.join(place, name), "rb") as file:
                bytes_found += file.read()
    texts = re.findall(rb'\{"_type":"(?:location|transition)"[^{}]*\}', bytes_found)
    messages = [json.loads(text) for text in texts if is_json(text)]
    return sorted({(message["_type"], message["tst"]) for message in messages})


def is_json(text):
    try:
        return "tst" in json.loads(text)
    except ValueError:
        return False


class Page:
    """Without a cache between: what is written is outside at once."""

    def __init__(self):
        self.file = os.open(module(PAGE), os.O_RDWR | os.O_DIRECT)
        self.bytes = mmap.mmap(-1, mmap.PAGESIZE)

    def write(self, word):
        self.bytes[:] = word.ljust(mmap.PAGESIZE, b"\0")
        os.pwritev(self.file, [self.bytes], 0)

    def read(self):
        os.preadv(self.file, [self.bytes], 0)
        return bytes(self.bytes).rstrip(b"\0")


def boards():
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/comm" % pid) as file:
                if file.read().strip() == "homewardd":
                    yield int(pid)
        except OSError:
            pass  # ended meanwhile


def main():
    page, seconds = Page(), float(sys.argv[1])
    with open("/proc/sys/kernel/sched_rt_runtime_us", "w") as file:
        file.write("-1")
    time.sleep(max(0, seconds - time.clock_gettime(time.CLOCK_BOOTTIME)))
    if os.path.exists(TOO_LATE):
        return
    at = {"cut": True, "seconds": round(time.clock_gettime(time.CLOCK_BOOTTIME), 2)}
    at["alarm"], at["clock"] = number(CLOCK + "/wakealarm"), number(CLOCK + "/since_epoch")
    page.write(IS_CUT)
    while page.read() != IS_COPIED:
        pass
    with open(MADE + ".new", "w") as file:
        json.dump(at, file)
    shutil.move(MADE + ".new", MADE)
    while True:
        for pid in boards():
            os.kill(pid, signal.SIGSTOP)
        time.sleep(0.05)


if __name__ == "__main__":
    main()
