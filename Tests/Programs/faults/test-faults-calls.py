#!/usr/bin/env python3
# takes: 60 s
"""Some of the system calls that Tests/Programs/faults/run fails one by one, those above all that broke something."""
import errno
import random
import sys
import tempfile

sys.path.insert(1, sys.path[0] + "/../world")
import faults  # noqa: F401 (finds calls)
import calls
from tracker import shim
from waiting import in_the_end
from world import claim, expect, main


def _fail(world, *wanted):
    world.close()
    with tempfile.TemporaryDirectory(prefix="hw-calls-") as folder:
        library = shim("failing_call", folder)
        template, _ = calls.prepare(folder, library)
        for fault in wanted:
            outcome = calls.one(fault, template, library)
            expect(not outcome["problems"], "%s: %s" % (fault, "; ".join(outcome["problems"])))
            expect(outcome["hit"] == 1, "%s was never called so often: this shows nothing" % fault[0])


@claim("no memory for the kernel's set of descriptors: it goes on and hears of them a moment later")
def registration(world):
    _fail(world, ("epoll_ctl", 8, errno.ENOMEM), ("epoll_ctl", 20, errno.ENOSPC))


@claim("no descriptor for a second worker: it ends with a line that says so, and loses nothing")
def bell(world):
    _fail(world, ("eventfd", 2, errno.EMFILE))


@claim("the store cannot be opened for a moment: nothing is lost, nothing out of order")
def opening(world):
    _fail(world, ("pread", 30, errno.EIO), ("open", 9, errno.EMFILE))


@claim("what can only be a bug of ours ends it, and the last line says what it was")
def bug(world):
    with tempfile.TemporaryDirectory(prefix="hw-calls-") as folder:
        world.tracker.start(env={"LD_PRELOAD": shim("failing_call", folder), "FAULT_CALL": "epoll_wait",
                                 "FAULT_AT": "3", "FAULT_ERRNO": str(errno.EBADF)})
        expect(in_the_end(lambda: not world.tracker.is_alive()), "it goes on")
        said = world.tracker.log()
        expect("Fatal error: epoll_wait: Bad file descriptor" in said, "it said %r" % said[-500:])


@claim("calls failed at random: nothing is lost that was owed")
def chance(world):
    seed = random.randrange(1 << 30)
    print("# seed %d" % seed)
    result = calls.run(world, 2, seed)
    expect(not result["problems"], "%s (seed %d)" % ("; ".join(result["problems"]), seed))


if __name__ == "__main__":
    main()
