#!/usr/bin/env python3
"""The store is damaged, the disk is full: the daemon goes on and loses no more than it must."""
import os
import subprocess
import time

from nmea import drive
from world import Skip, as_root, claim, expect, main


def files(world):
    return sorted(os.listdir(world.tracker.state))


def database(world):
    """The largest file of the state directory: the store itself, not its journal."""
    found = [name for name in files(world) if not name.endswith(("-wal", "-shm", "-journal", ".lock"))]
    expect(found, "no store in %s" % world.tracker.state)
    return max((os.path.join(world.tracker.state, name) for name in found), key=os.path.getsize)


@claim("a damaged store is set aside with a copy and a new one begun")
def damaged(world):
    world.start()
    world.tracker.stop()
    path = database(world)
    rubbish = b"this was a store once " * 500
    with open(path, "r+b") as file:
        file.write(rubbish)
    before = set(files(world))
    world.tracker.start()
    world.warm_up()
    world.wait_for_locations(world.feed(drive(20)))
    copies = set(files(world)) - before
    kept = [name for name in files(world) if _starts(os.path.join(world.tracker.state, name), rubbish[:100])]
    expect(kept, "the damaged store is gone; new files: %s" % sorted(copies))
    text = world.tracker.log()
    expect(any(name in text for name in kept), "the log does not say where the copy is")


def _starts(path, start):
    with open(path, "rb") as file:
        return file.read(len(start)) == start


@claim("an empty store file is a new store")
def empty(world):
    world.start()
    world.tracker.stop()
    path = database(world)
    for name in files(world):
        os.truncate(os.path.join(world.tracker.state, name), 0)
    world.tracker.start()
    world.warm_up()
    expect(os.path.getsize(path) > 0, "nothing was written")


@claim("a flipped byte costs that record only", has_proxy=True)
def flipped(world):
    world.start()
    world.proxy.cut("refuse")
    time.sleep(0.5)
    sent = world.feed(drive(60))
    time.sleep(1.5)
    world.tracker.stop()
    path = database(world)
    with open(path, "r+b") as file:
        data = file.read()
        victim = sorted(sent)[30]
        place = data.find(b'"tst":%d' % victim)
        if place < 0:
            raise Skip("the store does not keep messages as they are sent")
        file.seek(place + 8)
        file.write(b"!")
    world.proxy.restore()
    world.tracker.start()
    world.wait_for_locations(set(sent) - {victim}, seconds=30)
    broken = [m.payload for m in world.watcher.messages if m.json() is None]
    expect(not broken, "a damaged message was sent: %s" % broken[:1])
    expect(world.tracker.is_alive(), "the daemon ended")


def _fill(folder):
    """Fills the file system to the last block; the file to delete afterwards."""
    path = os.path.join(folder, "filler")
    with open(path, "wb", buffering=0) as file:
        for size in (65536, 4096, 512):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                continue
    return path


@claim("a full disk: sensing and delivery go on, and storing resumes when there is room", has_proxy=True)
def full(world):
    as_root()
    if subprocess.run(["unshare", "-m", "true"], stderr=subprocess.DEVNULL).returncode != 0:
        raise Skip("no mount namespaces here")
    mount = "mount -t tmpfs -o size=1m none '%s' && exec \"$@\"" % world.tracker.state
    world.start(before=["unshare", "-m", "sh", "-c", mount, "sh"])
    inside = "/proc/%d/root%s" % (world.tracker.pid, world.tracker.state)
    filler = _fill(inside)
    world.wait_for_locations(world.feed(drive(40)))
    world.proxy.cut("refuse")
    time.sleep(0.5)
    sent = world.feed(drive(60))
    expect(world.tracker.is_alive(), "the daemon ended")
    status = world.tracker.wait_for_status(lambda status: status["queue"]["storeFailing"])
    expect(status["queue"]["storeFailing"], "status does not say that the store fails")
    expect(status["fix"]["age"] < 2, "no fix for %.1f s" % status["fix"]["age"])
    os.remove(filler)
    later = world.feed(drive(20))
    status = world.tracker.wait_for_status(lambda status: not status["queue"]["storeFailing"], 30)
    expect(not status["queue"]["storeFailing"], "there is room again and the store still fails")
    world.proxy.restore()
    world.wait_for_locations(set(sent) | set(later), seconds=40)
    world.expect_once_in_order()


@claim("an online board writes next to nothing")
def quiet(world):
    world.start()
    time.sleep(2)
    before = _written(world)
    world.wait_for_locations(world.feed(drive(100), hz=10))
    time.sleep(2)
    grown = _written(world) - before
    expect(grown < 100 * 1024, "%d kB written for 100 positions that were confirmed at once" % (grown // 1024))


@claim("an offline position costs at most 2 kB of writing", has_proxy=True)
def frugal(world):
    world.start()
    world.proxy.cut("refuse")
    time.sleep(1)
    before = _written(world)
    world.feed(drive(300), hz=10)
    time.sleep(2)
    each = (_written(world) - before) / 300
    # Played ten times as fast, ten positions share a commit; at 1 Hz each has its own.
    expect(each < 2048, "%.0f bytes written for each position" % each)


def _written(world):
    """Bytes that the daemon has given to write(2), sockets left out, by the kernel's account."""
    with open("/proc/%d/io" % world.tracker.pid) as file:
        fields = dict(line.split(": ") for line in file.read().splitlines())
    return int(fields["write_bytes"])


if __name__ == "__main__":
    main()
