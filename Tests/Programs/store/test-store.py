#!/usr/bin/env python3
# takes: 90 s
# behaviour: A disk that fails, fills or lies
"""The store is damaged, the disk is full: the daemon goes on and loses no more than it must."""
import os
import subprocess
import sys
import time

sys.path.insert(1, sys.path[0] + "/../world")
from world import Skip, as_root, claim, expect, main


def path_of(world, name):
    return os.path.join(world.tracker.state, name)


def overwrite(path, place, data):
    with open(path, "r+b") as file:
        file.seek(place)
        file.write(data)


def starts_with(path, data):
    with open(path, "rb") as file:
        return file.read(len(data)) == data


@claim("damaged tables are set aside, named in the log, and new ones begun")
def damaged(world):
    world.start()
    world.tracker.stop()
    rubbish = b"these were tables once " * 500
    overwrite(path_of(world, "store.sqlite"), 0, rubbish)
    world.start()
    world.wait_for_locations(world.feed(world.drive(20)))
    names = os.listdir(world.tracker.state)
    kept = [name for name in names if starts_with(path_of(world, name), rubbish[:100])]
    expect(len(kept) == 1, "the damaged tables are in %s" % kept)
    expect(kept[0] in world.tracker.log(), "the log does not say where %s is" % kept[0])
    world.tracker.stop()
    check = subprocess.run(["sqlite3", path_of(world, "store.sqlite"), "PRAGMA integrity_check"],
                           capture_output=True, text=True)
    expect(check.stdout.strip() == "ok", "the new tables: %s%s" % (check.stdout, check.stderr))


@claim("empty files are a new store")
def empty(world):
    world.start()
    world.tracker.stop()
    for name in os.listdir(world.tracker.state):
        os.truncate(path_of(world, name), 0)
    world.start()
    world.wait_for_locations(world.feed(world.drive(20)))


def _lose_one(world, end):
    """60 positions wait; one byte of one is flipped while the daemon is down; the others arrive."""
    world.start()
    world.cut_off()
    sent = world.feed(world.drive(60))
    expect(world.stored(max(sent)), "what waits does not come to the disk")
    end()
    victim, found = sorted(sent)[30], 0
    for name in os.listdir(world.tracker.state):
        with open(path_of(world, name), "rb") as file:
            data = file.read()
        place = data.find(b'"tst":%d' % victim)
        while place >= 0:
            overwrite(path_of(world, name), place + 8, b"!")
            found += 1
            place = data.find(b'"tst":%d' % victim, place + 1)
    expect(found, "the message is not on the disk")
    world.tracker.start()
    world.proxy.restore()
    world.wait_for_locations(set(sent) - {victim})
    broken = [m.payload for m in world.watcher.messages if m.json() is None]
    expect(not broken, "a damaged message was sent: %s" % broken[:1])
    expect(victim not in {m["tst"] for m in world.locations()}, "nothing was damaged: this shows nothing")
    expect(world.tracker.is_alive(), "the daemon ended")


@claim("a byte flipped after a clean stop costs that record only", has_proxy=True)
def flipped(world):
    _lose_one(world, world.tracker.stop)


@claim("a byte flipped after a kill costs that record only", has_proxy=True)
def flipped_log(world):
    _lose_one(world, world.tracker.kill)


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
    world.wait_for_locations(world.feed(world.drive(40)))
    # Without the last confirmation a message is rightly sent again.
    expect(world.tracker.is_drained(), "messages wait")
    world.cut_off()
    sent = world.feed(world.drive(60))
    expect(world.tracker.is_alive(), "the daemon ended")
    status = world.tracker.wait_for_status(lambda status: status["queue"]["storeFailing"])
    expect(status["queue"]["storeFailing"], "status does not say that the store fails")
    expect(world.tracker.handles(max(sent)), "no fix is handled any more")
    os.remove(filler)
    later = world.feed(world.drive(20))
    status = world.tracker.wait_for_status(lambda status: not status["queue"]["storeFailing"])
    expect(not status["queue"]["storeFailing"], "there is room again and the store still fails")
    world.proxy.restore()
    world.wait_for_locations(set(sent) | set(later))
    world.expect_once_in_order()


@claim("an online board writes next to nothing")
def quiet(world):
    counts_writes(world)
    world.start()
    time.sleep(2)
    before = _written(world)
    world.wait_for_locations(world.feed(world.drive(100), hz=10))
    time.sleep(2)
    grown = _written(world) - before
    expect(grown < 100 * 1024, "%d kB written for 100 positions that were confirmed at once" % (grown // 1024))


@claim("an offline position costs at most 2 kB of writing", has_proxy=True)
def frugal(world):
    counts_writes(world)
    world.start()
    world.cut_off()
    before = _written(world)
    world.feed(world.drive(300), hz=10)
    time.sleep(2)
    each = (_written(world) - before) / 300
    expect(each > 0, "nothing was written, though nothing could be sent")
    # Played ten times as fast, ten positions share a commit; at 1 Hz each has its own.
    expect(each < 2048, "%.0f bytes written for each position" % each)


def counts_writes(world):
    """Skips where the kernel keeps no account of what is written: of a tmpfs, as /tmp is on Debian 13."""
    before = _written_by("self")
    with open(os.path.join(world.folder, "account"), "wb") as file:
        file.write(bytes(8192))
        file.flush()
        os.fsync(file.fileno())
    if _written_by("self") == before:
        raise Skip("writes to this file system are not counted, as on a tmpfs (TMPDIR names another)")


def _written(world):
    return _written_by(world.tracker.pid)


def _written_by(pid):
    """Bytes that a process has caused to be sent to the disk, sockets left out, by the kernel's account."""
    with open("/proc/%s/io" % pid) as file:
        fields = dict(line.split(": ") for line in file.read().splitlines())
    return int(fields["write_bytes"])


@claim("a board that an earlier version has run keeps its client id until it is renamed")
def client_id(world):
    def identity(**wanted):
        status = world.tracker.wait_for_status(
            lambda status: all(status["identity"][key] == value for key, value in wanted.items()))
        return {key: status["identity"][key] for key in ("clientId", "clientIdForm")}

    def rename(name, **wanted):
        world.tracker.configure(deviceId=name)
        world.tracker.hang_up()
        expect(identity(**wanted) == wanted, "as %s: %s" % (name, identity()))

    new = {"clientId": "ute-board", "clientIdForm": "apart"}
    old = {"clientId": "uteboard", "clientIdForm": "joined"}
    world.start()
    expect(identity() == new, "a new board: %s" % identity())
    world.tracker.stop()
    # What an earlier version would have left.
    subprocess.run(["sqlite3", path_of(world, "store.sqlite"), "DELETE FROM state WHERE kind=40"], check=True)
    world.start()
    expect(identity() == old, "an old board: %s" % identity())
    world.tracker.kill()
    world.start()
    expect(identity() == old, "killed and started again: %s" % identity())
    expect("New client connected from" in world.broker.log() and " as uteboard " in world.broker.log(),
           "the broker knows it otherwise: %s" % world.broker.log()[-300:])
    rename("van", clientId="ute-van", clientIdForm="apart")
    rename("board", **old)


if __name__ == "__main__":
    main()
