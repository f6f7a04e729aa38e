#!/usr/bin/env python3
# takes: 150 s
# behaviour: A disk that fails, fills or lies
"""The disk is read-only, from the start or suddenly: the tracker goes on, says so, and loses nothing that
waits for the broker."""
import os
import subprocess
import sys

sys.path.insert(1, sys.path[0] + "/../world")
from tracker import shim
from world import Skip, as_root, claim, expect, main

# How many times as fast the tracker lives that looks again once a minute at a disk that took nothing at the start.
PACE = 6


def _suddenly(world):
    """What to preload, and the file whose existence makes the disk read-only."""
    library, flag = shim("read_only_disk", world.folder), os.path.join(world.folder, "read-only")
    return flag, {"LD_PRELOAD": library, "READ_ONLY_FOLDER": world.tracker.state, "READ_ONLY_WHILE": flag}


def _set(flag):
    with open(flag, "w"):
        pass


def _expect_sensing(world, sent):
    """The newest of these is handled, and people are told what is wrong with the disk."""
    status = world.tracker.wait_for_status(lambda status: status["queue"]["storeFailing"])
    expect(status["queue"]["storeFailing"], "status does not say that the store fails")
    expect("read-only" in str(status["store"].get("cause")), "status names the cause %s" % status["store"])
    expect("read-only" in world.tracker.log(), "the log does not say that the disk is read-only")
    expect(world.tracker.handles(max(sent)), "no fix is handled any more")


@claim("a disk that becomes read-only: positions go on, status and log say so")
def online(world):
    flag, env = _suddenly(world)
    world.start(env=env)
    _set(flag)
    world.wait_for_locations(world.feed(world.drive(40)))
    # What the broker confirms at once is never written; what a person changes is.
    world.tracker.ask("mode", "manual")
    _expect_sensing(world, world.feed(world.drive(5)))


@claim("read-only without coverage: what was on it and what waits in memory arrives", has_proxy=True)
def offline(world):
    flag, env = _suddenly(world)
    world.start(env=env)
    world.cut_off()
    stored = world.feed(world.drive(40))
    expect(world.stored(max(stored)), "what waits does not come to the disk")
    _set(flag)
    unstored = world.feed(world.drive(40))
    _expect_sensing(world, unstored)
    world.proxy.restore()
    world.wait_for_locations(set(stored) | set(unstored))
    world.expect_once_in_order()


@claim("it is writable again: what waited in memory survives a kill", has_proxy=True)
def recovery(world):
    flag, env = _suddenly(world)
    world.start(env=env)
    world.cut_off()
    _set(flag)
    sent = world.feed(world.drive(40))
    _expect_sensing(world, sent)
    os.remove(flag)
    later = world.feed(world.drive(10))
    status = world.tracker.wait_for_status(lambda status: not status["queue"]["storeFailing"])
    expect(not status["queue"]["storeFailing"], "the disk is writable and the store still fails")
    expect(world.stored(max(later)), "what waits does not come to the disk")
    world.tracker.kill()
    world.tracker.start()
    world.proxy.restore()
    world.wait_for_locations(set(sent) | set(later))
    world.expect_once_in_order()


@claim("a kill while it is read-only costs nothing that was on it", has_proxy=True)
def killed(world):
    flag, env = _suddenly(world)
    world.start(env=env)
    world.cut_off()
    stored = world.feed(world.drive(40))
    expect(world.stored(max(stored)), "what waits does not come to the disk")
    _set(flag)
    world.feed(world.drive(20))
    world.tracker.kill()
    os.remove(flag)
    world.tracker.start()
    world.proxy.restore()
    world.wait_for_locations(stored)
    world.expect_once_in_order()


@claim("read-only at the start: sensing goes on, the old queue is taken up when it can be", has_proxy=True,
       pace=PACE)
def start(world):
    as_root()
    if subprocess.run(["unshare", "-m", "true"], stderr=subprocess.DEVNULL).returncode != 0:
        raise Skip("no mount namespaces here")
    world.start()
    world.cut_off()
    old = world.feed(world.drive(30))
    expect(world.tracker.handles(max(old)), "the drive did not come through")
    world.tracker.stop()
    mount = "mount --bind \"$0\" \"$0\" && mount -o remount,bind,ro \"$0\" && exec \"$@\""
    world.tracker.start(before=["unshare", "-m", "sh", "-c", mount, world.tracker.state])
    told = world.tracker.wait_for_status(lambda status: "nextAttempt" in status["store"])["store"]
    expect(told.get("nextAttempt", 61) <= 60, "it looks at the disk again: %s" % told)
    world.tracker.wait_for_status(lambda status: status["gps"]["reached"])
    new = world.feed(world.drive(60))
    expect(world.tracker.handles(max(new)), "no fix is handled")
    status = world.tracker.status()
    expect("read-only" in world.tracker.log(), "the log does not say that the disk is read-only")
    expect("read-only" in str(status["store"].get("cause")), "status names the cause %s" % status["store"])
    inside = ["nsenter", "-t", str(world.tracker.pid), "-m"]
    subprocess.run([*inside, "mount", "-o", "remount,bind,rw", world.tracker.state], check=True)
    status = world.tracker.wait_for_status(lambda status: "size" in status["store"])
    expect(status and "size" in status["store"], "the disk is writable and the store was not taken up")
    expect(world.tracker.is_alive(), "it ended")
    world.proxy.restore()
    world.wait_for_locations(set(old) | set(new))
    world.expect_once_in_order()


if __name__ == "__main__":
    main()
