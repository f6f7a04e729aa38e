"""Each n-th system call of a run fails once: the tracker goes on, or ends with a clear line and comes back.

A run: a store with a queue in it is opened, the queue is sent, a gate is passed with the broker in reach and
without, the tracker is told to end. All calls are counted first; then every run fails one of them.
"""
import errno
import multiprocessing
import os
import random
import shutil
import tempfile
import time

from ledger import VERSION
from tracker import shim
from trip import REGION, Trip
from waiting import in_the_end
from world import World, expect

WORLD = {"has_proxy": True, "waypoints": REGION}
CUT_SHORT = 0  # a half of what was asked for is done, and nothing fails

# What the kernel may say to each, by its manual; what cannot happen is not asked for.
ERRORS = {
    "open": "EMFILE ENFILE EIO ENOSPC EACCES EINTR", "read": "EIO EINTR", "pread": "EIO EINTR",
    "write": "EIO ENOSPC EINTR", "pwrite": "EIO ENOSPC EINTR EROFS", "fsync": "EIO ENOSPC",
    "fdatasync": "EIO ENOSPC", "ftruncate": "EIO ENOSPC EINTR", "send": "EAGAIN EINTR ECONNRESET ENOBUFS",
    "sendto": "EAGAIN EINTR ENOBUFS", "sendmsg": "EAGAIN ENOBUFS", "recv": "EAGAIN EINTR ECONNRESET ENOMEM",
    "recvfrom": "EAGAIN EINTR ENOBUFS", "recvmsg": "EAGAIN EINTR ENOBUFS",
    "connect": "ECONNREFUSED ENETUNREACH ETIMEDOUT EADDRNOTAVAIL EINTR", "socket": "EMFILE ENFILE ENOBUFS ENOMEM",
    "bind": "EADDRINUSE ENOMEM", "accept": "EMFILE ECONNABORTED ENOBUFS EINTR", "epoll_create": "EMFILE ENOMEM",
    "epoll_ctl": "ENOMEM ENOSPC", "epoll_wait": "EINTR", "timerfd_create": "EMFILE ENOMEM",
    "eventfd": "EMFILE ENOMEM", "signalfd": "EMFILE ENOMEM", "unlink": "EIO EROFS",
    "rename": "EIO ENOSPC", "fcntl": "EINTR ENOLCK", "getsockopt": "ENOBUFS", "setsockopt": "ENOMEM ENOBUFS",
    "thread": "EAGAIN", "fstat": "EIO", "lseek": "EIO",
}
MAY_BE_CUT = ("write", "pwrite", "send", "read", "recv")


def run(world, times, seed, jobs=2):
    world.close()  # every fault has a world of its own
    begun = time.monotonic()
    folder = tempfile.mkdtemp(prefix="hw-calls-")
    try:
        library = shim("failing_call", folder)
        template, counts = prepare(folder, library)
        faults = choose(counts, times, random.Random(seed))
        # A process is given each port once only: it makes way for another after some worlds.
        with multiprocessing.Pool(jobs, maxtasksperchild=8) as pool:
            outcomes = pool.starmap(one, [(fault, template, library) for fault in faults], chunksize=1)
    finally:
        shutil.rmtree(folder, True)
    problems = ["%s: %s" % (fault, text) for fault, outcome in zip(faults, outcomes) for text in outcome["problems"]]
    sums = {name: sum(outcome[name] for outcome in outcomes)
            for name in ("hit", "ended", "sensed", "owed", "lost", "repeated", "crossings", "crossingsLost")}
    return dict(sums, kind="failed calls", times=len(faults), of=sum(counts.values()), seed=seed, version=VERSION,
                seconds=round(time.monotonic() - begun), counts=counts, problems=problems)


def choose(counts, times, chance):
    """In turn one of each call that is left, at random; all of them if `times` is enough."""
    left = {name: chance.sample(range(1, count + 1), count) for name, count in counts.items() if name in ERRORS}
    chosen = []
    while len(chosen) < times and any(left.values()):
        for name in sorted(name for name, numbers in left.items() if numbers):
            codes = [getattr(errno, word) for word in ERRORS[name].split()]
            codes += [CUT_SHORT] if name in MAY_BE_CUT else []
            chosen.append((name, left[name].pop(), chance.choice(codes)))
    return chosen[:times]


def prepare(folder, library):
    """A store with positions and a crossing in its queue, and how often a run makes each call."""
    template, log = os.path.join(folder, "template"), os.path.join(folder, "log")
    with _world() as world:
        world.proxy.cut("refuse")
        world.tracker.start()
        trip = Trip(world)
        _until(trip, 1)
        trip.watch(1.6)
        trip.car.stop()
        trip.kill()
        shutil.copytree(world.tracker.state, template)
        queue = dict(clock=world.clock, place=world.place, wanted=trip.wanted, target=trip.car.target)
    template = (template, queue)
    one(None, template, library, log)
    with open(log) as file:
        lines = [line.split() for line in file if line.startswith("count ")]
    return template, {name: int(count) for _, name, count in lines if int(count)}


class _world:
    """A world for a `with`, whose tracker's end is noticed."""

    def __enter__(self):
        self.world = World(**WORLD)
        return self.world

    def __exit__(self, *_):
        self.world.close()


def _until(trip, legs):
    """Drives until this many crossings are known to be kept; a tracker that ends is started again."""
    def driven():
        trip.step()
        trip.revive()
        return len(trip.wanted) >= legs
    expect(in_the_end(driven, every=0.04), "crossing %d never comes to be known" % legs)


def one(fault, template, library, log=None):
    """One run; `fault`: call, number, errno."""
    with _world() as world:
        log = log or os.path.join(world.folder, "faults")
        env = {"LD_PRELOAD": library, "FAULT_LOG": log}
        if fault:
            env.update(FAULT_CALL=fault[0], FAULT_AT=str(fault[1]), FAULT_ERRNO=str(fault[2]))
        try:
            return _drive(world, template, env, log)
        except Exception as error:
            return dict.fromkeys(("hit", "ended", "sensed", "owed", "lost", "repeated", "crossings",
                                  "crossingsLost"), 0) | {"problems": [_with_log(world, "%s" % error)]}


def _drive(world, template, env, log):
    folder, queue = template
    shutil.copytree(folder, world.tracker.state, dirs_exist_ok=True)
    # The store must believe its positions to be older than the drive's.
    world.clock, world.place = queue["clock"] + 1, queue["place"]
    trip = Trip(world, preload=env)
    trip.wanted, trip.car.target = list(queue["wanted"]), queue["target"]
    legs = len(trip.wanted)
    _until(trip, legs + 1)
    world.proxy.cut("refuse")
    _until(trip, legs + 2)
    trip.watch(0.5)
    trip.end()
    world.proxy.restore()
    trip.restart()
    hits = _hits(log)
    if "gpsd lost: " in world.tracker.log():
        # It says so, and is back within the second that it waits before it tries again.
        trip.ledger.silences += [(hit - 0.3, hit + 2.5) for hit in hits]
    return _judged(world, trip, trip.finish("failed calls"), hits)


def _hits(log):
    """The moments in which a call failed."""
    if not os.path.exists(log):
        return []
    with open(log) as file:
        return [float(line.split()[1]) for line in file if line.startswith("hit ")]


def _judged(world, trip, result, hits):
    said = world.tracker.log()
    for status in trip.ends:
        result["problems"] += _last_words(status, said)
    result.update(hit=len(hits), ended=len(trip.ends))
    result["problems"] = [_with_log(world, text) for text in result["problems"]]
    return result


def _last_words(status, said):
    """What is wrong with how it ended by itself."""
    if status is None or status < 0:
        return ["it was ended by signal %s" % -(status or 0)]
    if not any(line.startswith(("error:", "homewardd: ")) for line in said.splitlines()):
        return ["it ended with %d and no line that says why" % status]
    return []


def _with_log(world, text):
    lines = [line for line in world.tracker.log().splitlines() if not line.startswith("info")]
    return "%s [%s]" % (text, " | ".join(lines[-3:]))
