"""The disk is the owner's: friends keep within their budget, the queue survives, a full disk heals."""
import os
import subprocess
import threading
import time

from cell import MEGABYTE
from flood import Flood
from judge import LOOSE, published
from lives import Journal
from waiting import in_the_end, quiet_span
from world import Skip, as_root, expect

WORLD = {"broker": LOOSE, "friends": True, "has_proxy": True}
MOST_OF_FRIENDS = 8 * MEGABYTE
HEALING = 120  # seconds
FIXES = 20


class Sizes(threading.Thread):
    """The largest that files whose names begin so have been together."""

    def __init__(self, folder, start):
        super().__init__(daemon=True)
        self.folder, self.begin, self.most, self.is_stopped = folder, start, 0, False
        self.files = {}  # at that moment
        self.start()

    def run(self):
        while not self.is_stopped:
            self.look()
            time.sleep(0.05)

    def look(self):
        files = {}
        for name in os.listdir(self.folder):
            try:
                if name.startswith(self.begin):
                    files[name] = os.path.getsize(os.path.join(self.folder, name))
            except OSError:
                continue  # just deleted
        if sum(files.values()) > self.most:
            self.most, self.files = sum(files.values()), files

    def stop(self):
        self.is_stopped = True
        self.join()
        return self.most


def _swallowed(world, seconds):
    """Until the tracker has read what the broker had for it: nothing more comes in for a second."""
    last, since, end = -1, time.monotonic(), time.monotonic() + seconds
    while time.monotonic() < end:
        status = world.tracker.status() or {}
        count = status.get("messages", {}).get("received", 0)
        if count != last:
            last, since = count, time.monotonic()
        elif time.monotonic() - since > 1.5:
            return
        time.sleep(0.3)


def budget(world, kind="tid", megabytes=300, size=240_000):
    """So much of friends, in messages of this size."""
    world.start()
    sizes = Sizes(world.tracker.state, "friends")
    flood = Flood(world, kind, count=megabytes * 1_000_000 // size, size=size)
    sums = flood.sums()
    _swallowed(world, 15)
    sent = world.feed(world.stand(10))
    time.sleep(1)
    came = in_the_end(lambda: set(sent) <= published(world))
    # What it has kept back until now it may still write at its end.
    world.tracker.stop()
    sizes.look()
    most, problems = sizes.stop(), []
    if most > MOST_OF_FRIENDS:
        problems.append("the friends take %.2f MB of the disk: %s" % (most / MEGABYTE, sizes.files))
    if not came:
        problems.append("own positions do not come through afterwards")
    return dict(kind="%d MB of friends' %ss, %d kB each" % (sums["megabytes"], kind, size // 1000), sent=sums["sent"],
                friendsMB=round(most / MEGABYTE, 2), problems=problems)


class Partition:
    """A small file system under the tracker's state, that outlives the tracker."""

    def __init__(self, world, megabytes):
        as_root()
        if subprocess.run(["unshare", "-m", "true"], stderr=subprocess.DEVNULL).returncode != 0:
            raise Skip("no mount namespaces here")
        state = world.tracker.state
        self.holder = subprocess.Popen(
            ["unshare", "-m", "sh", "-c", "mount -t tmpfs -o size=%dm none '%s' && echo there && exec sleep 600"
             % (megabytes, state)], stdout=subprocess.PIPE)
        world._closing.append(self._end)
        if self.holder.stdout.readline() != b"there\n":
            raise Skip("no tmpfs can be mounted here")
        self.folder = "/proc/%d/root%s" % (self.holder.pid, state)
        self.before = ["nsenter", "--target", str(self.holder.pid), "--mount"]

    def _end(self):
        self.holder.kill()
        self.holder.wait()

    def fill(self, megabytes=0):
        """To the last block, or with this many megabytes."""
        with open(os.path.join(self.folder, "filler"), "wb", buffering=0) as file:
            if megabytes:
                return file.write(bytes(megabytes * MEGABYTE))
            for size in (65536, 4096, 512):
                try:
                    while True:
                        file.write(b"x" * size)
                except OSError:
                    continue

    def leave(self, kilobytes):
        """So much room, of a disk that was full."""
        path = os.path.join(self.folder, "filler")
        os.truncate(path, os.path.getsize(path) - kilobytes * 1024)

    def clear(self):
        os.remove(os.path.join(self.folder, "filler"))

    def free(self):
        told = os.statvfs(self.folder)
        return told.f_bavail * told.f_frsize


def _waiting(world, count):
    """How many messages wait once that many do, or in the end."""
    status = world.tracker.wait_for_status(lambda status: status["queue"]["count"] >= count)
    return status["queue"]["count"] if status else 0


def crowded(world, taken=0, count=400, size=240_000):
    """Friends have 40 MB to fill, less what is taken already; what the owner's board then senses out of
    coverage survives kill -9: the friends give way where their budget is more than there is room."""
    partition = Partition(world, 40)
    if taken:
        partition.fill(taken)
    world.start(before=partition.before)
    Flood(world, "tid", count=count, size=size).sums()
    _swallowed(world, 15)
    free = partition.free()
    world.cut_off()
    sent = world.feed(world.drive(FIXES))
    _are_written(world, sent)
    before = _waiting(world, FIXES)
    world.tracker.kill()
    world.tracker.start(partition.before)
    after = _waiting(world, FIXES)
    world.proxy.restore()
    in_the_end(lambda: set(sent) <= published(world))
    lost = len(set(sent) - published(world))
    words = "%d of %d positions are lost; %d waited before kill -9, %d after" % (lost, len(sent), before, after)
    problems = [words] if lost else []
    return dict(kind="disk of %d MB, friends fill it, kill -9" % (40 - taken), lost=lost,
                freeMB=round(free / MEGABYTE, 1), problems=problems)


def filled(world, healing=HEALING):
    """Something else fills the disk: what waits survives kill -9, and when there is room again, so does what
    is sensed then, without a start in between."""
    partition = Partition(world, 40)
    world.start(before=partition.before)
    world.cut_off()
    kept = world.feed(world.drive(FIXES))
    _are_written(world, kept)
    partition.fill()
    world.feed(world.drive(5))
    time.sleep(2)
    world.tracker.kill()
    world.tracker.start(partition.before)
    survived = _waiting(world, FIXES)
    world.feed(world.drive(5))
    partition.clear()
    begun = time.monotonic()
    journal = Journal(world.tracker)

    def is_healed():
        world.feed(world.drive(2))
        queue = (world.tracker.status() or {}).get("queue", {"storeFailing": True})
        store = (world.tracker.status() or {}).get("store", {})
        return not queue.get("storeFailing") and not store.get("cause")

    healed = in_the_end(is_healed, seconds=healing, every=1)
    took = time.monotonic() - begun
    later = world.feed(world.drive(FIXES))
    _are_written(world, later)
    world.tracker.kill()
    world.tracker.start(partition.before)
    world.proxy.restore()
    owed = set(kept) | set(later)
    in_the_end(lambda: owed <= published(world))
    lost, lost_later = len(set(kept) - published(world)), len(set(later) - published(world))
    problems = []
    if lost:
        problems.append("%d of %d positions from before are lost; %d waited after kill -9" % (
            lost, len(kept), survived))
    if not healed:
        problems.append("with room again the store fails for %d s: %s" % (healing, journal.lines()[-1:]))
    if lost_later:
        problems.append("%d of %d positions sensed after there was room again are lost" % (lost_later, len(later)))
    return dict(kind="40 MB disk full, kill -9, room again", lost=lost, lostLater=lost_later,
                healed=round(took) if healed else None, problems=problems)


def late(world, healing=HEALING, tight=0):
    """The disk is full when the tracker starts. When there is room the same process takes the store into use: what
    it held in memory and what comes later survives kill -9. `tight`: before that there is room for this many kilobytes,
    enough for a store and not for all that it is to take."""
    partition = Partition(world, 4)
    partition.fill()
    world.start(before=partition.before)
    online = world.feed(world.drive(FIXES))
    came = in_the_end(lambda: set(online) <= published(world))
    store = world.tracker.status().get("store", {})
    world.cut_off()
    held = world.feed(world.drive(1000 if tight else FIXES), hz=20.0 if tight else 5.0)
    pid, refused = world.tracker.pid, 0
    if tight:
        partition.leave(tight)
        refused = in_the_end(lambda: world.tracker.log().count("store available again"), seconds=healing)
        in_the_end(lambda: world.tracker.log().count("going on in memory") > 1)
        refused = world.tracker.log().count("going on in memory") - 1
    partition.clear()
    begun, odometer = time.monotonic(), _odometer(world)

    def is_healed():
        held.update(world.feed(world.drive(2)))
        # In memory it has none.
        return "size" in (world.tracker.status() or {}).get("store", {})

    healed = in_the_end(is_healed, seconds=healing, every=0.5)
    took, is_same = time.monotonic() - begun, world.tracker.is_alive() and world.tracker.pid == pid
    later = world.feed(world.drive(FIXES))
    _are_written(world, later)
    driven = _odometer(world)
    world.tracker.kill()
    world.tracker.start(partition.before)
    survived = _waiting(world, len(held) + len(later))
    world.proxy.restore()
    owed = set(held) | set(later)
    in_the_end(lambda: owed <= published(world))
    problems = []
    if tight and not refused:
        problems.append("the little room was enough: this shows nothing")
    if not came:
        problems.append("on a full disk positions do not come through")
    if "full" not in store.get("cause", ""):
        problems.append("status says of the store %s" % store)
    if not healed:
        problems.append("with room again the store is not in use for %d s" % healing)
    if not is_same:
        problems.append("it did not live on")
    if driven <= odometer:
        problems.append("the odometer went from %s to %s" % (odometer, driven))
    if owed - published(world):
        problems.append("%d of %d positions are lost; %d waited after kill -9" % (
            len(owed - published(world)), len(owed), survived))
    kind = "disk full at the start, %sroom, kill -9" % ("%d kB of room, " % tight if tight else "")
    return dict(kind=kind, lost=len(owed - published(world)),
                healed=round(took) if healed else None, problems=problems)


def _are_written(world, sent):
    """The first fixes of a stop are held for 3 s, for a place that is only repeated may be none; what is taken up is
    written in groups."""
    world.tracker.handles(max(sent))
    quiet_span(lambda: (world.tracker.status() or {}).get("store", {}).get("bytesWritten"), 2)


def _odometer(world):
    """Kilometres."""
    return (world.tracker.status() or {}).get("odometer", 0)


def answered(world):
    """Nobody hears "done" of a tag that a kill undoes, without a word that it is in memory only."""
    partition = Partition(world, 40)
    world.start(before=partition.before)
    world.cut_off()
    partition.fill()
    # What waits for the broker makes the store want more of the disk than there is.
    for _ in range(20):
        world.feed(world.drive(10))
        if world.tracker.status()["queue"]["storeFailing"]:
            break
    expect(world.tracker.status()["queue"]["storeFailing"], "the store writes on: this shows nothing")
    answer = world.tracker.ask("tag", "kept")
    world.tracker.kill()
    partition.clear()
    world.proxy.restore()
    world.tracker.start(partition.before)
    world.warm_up()
    is_kept, said = world.locations()[-1].get("tag") == "kept", (answer.text + answer.error).strip()
    problems = []
    if answer.status == 0 and not is_kept and "memory" not in said:
        problems.append("it said %r and has forgotten it" % said)
    return dict(kind="tag on a full disk", status=answer.status, said=said, kept=is_kept, problems=problems)
