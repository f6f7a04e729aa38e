#!/usr/bin/env python3
# takes: 40 s
# behaviour: Life and memory
"""The daemon is one thread with two workers and listens on no port. What it takes besides is measured."""
import array
import ctypes
import fcntl
import os
import socket
import subprocess
import sys
import termios

sys.path.insert(1, sys.path[0] + "/../world")
from tracker import DAEMON, ROOT, memory
from waiting import in_the_end
from world import Skip, claim, expect, main


@claim("one thread and at most two workers")
def threads(world):
    world.start()
    world.feed(world.drive(20))
    expect(world.tracker.threads() <= 3, "%d threads" % world.tracker.threads())


@claim("no port listens")
def ports(world):
    world.start()
    own = set()
    for name in os.listdir("/proc/%d/fd" % world.tracker.pid):
        try:
            own.add(os.readlink("/proc/%d/fd/%s" % (world.tracker.pid, name)))
        except OSError:
            continue
    for table in ("tcp", "tcp6", "udp", "udp6"):
        try:
            with open("/proc/%d/net/%s" % (world.tracker.pid, table)) as file:
                rows = [line.split() for line in file.readlines()[1:]]
        except OSError:
            continue
        for row in rows:
            is_open = row[3] == "0A" if table.startswith("tcp") else row[3] == "07"
            expect(not (is_open and "socket:[%s]" % row[9] in own), "listens on %s %s" % (table, row[1]))


@claim("the library writes no byte to wake a thread that is not there")
def hush(world):
    world.start()
    world.wait_for_locations(world.feed(world.drive(20)))
    waiting = unread_of_pairs(world.tracker.pid)
    expect(waiting == [0, 0], "unread in the library's pair: %s bytes" % waiting)


def unread_of_pairs(pid):
    """Of each connected local stream of this process that has no name: the bytes that nobody has read."""
    process, found = os.pidfd_open(pid), []
    for name in os.listdir("/proc/%d/fd" % pid):
        copy = ctypes.CDLL(None, use_errno=True).syscall(PIDFD_GETFD, process, int(name), 0)
        if copy < 0:
            raise Skip("no descriptors of another process here")
        try:
            with socket.socket(fileno=copy) as end:
                if end.family == socket.AF_UNIX and end.type == socket.SOCK_STREAM and end.getsockname() == "" \
                        and not end.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                    count = array.array("i", [0])
                    fcntl.ioctl(end, termios.FIONREAD, count)
                    found.append(count[0])
        except OSError:  # no socket
            os.close(copy)
    os.close(process)
    return found


# The same number on every machine that Debian runs on but Alpha.
PIDFD_GETFD = 438


@claim("what only the start needed is let go of once it is over")
def start_is_over(world):
    world.start()
    world.wait_for_locations(world.feed(world.drive(20)))
    # At once: a kernel that looks for idle pages takes them little by little.
    last = memory(world.tracker.pid)["Rss"]

    def falls():
        nonlocal last
        before, last = last, memory(world.tracker.pid)["Rss"]
        return last < before - 1500

    expect(in_the_end(falls, every=0.1, seconds=90), "still resident: %d kB" % last)


@claim("four fifths of the functions that are to lie side by side are in the program")
def order(_):
    with open(os.path.join(ROOT, "board/link/order")) as file:
        listed = {line.strip() for line in file if not line.startswith("#")}
    table = subprocess.run(["nm", DAEMON], check=True, capture_output=True, text=True).stdout.splitlines()
    if len(table) < 1000:
        raise Skip("the program is stripped")
    gone = listed - {line.split()[-1] for line in table}
    expect(len(listed) > 200 and len(gone) <= len(listed) / 5,
           "%d of %d are gone: make the list anew (Tests/Instruments/Bench/order)" % (len(gone), len(listed)))


if __name__ == "__main__":
    main()
