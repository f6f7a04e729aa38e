#!/usr/bin/env python3
# takes: 190 s
"""What can block for seconds does so elsewhere: fixes are handled and people answered meanwhile."""
import os
import socket
import subprocess
import sys
import threading
import time

sys.path.insert(1, sys.path[0] + "/../world")
from servers import free_port, poll
from tracker import shim
from world import Skip, as_root, claim, expect, main

# A fix every 0.2 s, handled at once: older than this means that the loop stood still. What blocks takes five
# seconds or more.
MOST_AGE = 1.0
MOST_TO_END = 5.0


class Bystander(threading.Thread):
    """Knows how long the machine let everybody stand, and looks what the daemon is at when it is slow."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid, self.worst, self.asked_at, self.seen = pid, 0.0, None, ""
        self._ended = threading.Event()
        self.start()

    def run(self):
        last = time.monotonic()
        while not self._ended.wait(0.02):
            now, asked_at = time.monotonic(), self.asked_at
            self.worst, last = max(self.worst, now - last - 0.02), now
            if asked_at and now - asked_at > MOST_AGE / 2 and not self.seen:
                self.seen = "; ".join("%s %s" % (name, self._told(name)) for name in ("wchan", "syscall", "stack"))

    def end(self):
        self._ended.set()
        self.join()

    def _told(self, name):
        try:
            with open("/proc/%d/%s" % (self.pid, name)) as file:
                return " ".join(file.read().split())
        except OSError as error:
            return str(error)


def expect_alert(world, seconds=12):
    """Feeds positions for some seconds and asks again and again how old the newest one is."""
    world.settle()
    feeder = world.feeding(world.drive(int(seconds * 5) + 20))
    time.sleep(0.5)
    bystander = Bystander(world.tracker.pid)
    end, oldest, slowest, asked = time.monotonic() + seconds, 0.0, 0.0, 0
    while time.monotonic() < end:
        start = bystander.asked_at = time.monotonic()
        age = world.tracker.fix_age()
        slowest, bystander.asked_at = max(slowest, time.monotonic() - start), None
        expect(age is not None, "the daemon has handled no fix")
        oldest, asked = max(oldest, age), asked + 1
        time.sleep(0.05)
    feeder.stop()
    bystander.end()
    words = "%%s, while the machine itself stood for %.2f s; %s" % (bystander.worst, bystander.seen or "not seen")
    most = MOST_AGE + bystander.worst
    expect(asked > seconds, words % ("only %d answers in %d s" % (asked, seconds)))
    expect(oldest < most, words % ("a fix %.2f s old where one comes every 0.2 s" % oldest))
    expect(slowest < most, words % ("an answer took %.2f s" % slowest))


def _silent_listener(world, backlog=5):
    listener = socket.socket()
    listener.bind(("127.0.0.1", free_port()))
    listener.listen(backlog)
    world._closing.append(listener.close)
    return listener


@claim("a TLS peer that accepts and says nothing")
def tls(world):
    listener = _silent_listener(world)
    world.tracker.configure(port=listener.getsockname()[1], tls=True)
    world.tracker.start()
    listener.settimeout(10)
    peer, _ = listener.accept()
    expect(len(peer.recv(100)) > 0, "no TLS hello")
    expect_alert(world)
    peer.close()


@claim("a broker that accepts and never answers CONNECT")
def connack(world):
    listener = _silent_listener(world)
    world.tracker.configure(port=listener.getsockname()[1])
    world.tracker.start()
    expect_alert(world)


@claim("a host that swallows connection attempts")
def connect(world):
    listener = _silent_listener(world, backlog=0)
    # With the backlog full the kernel leaves further attempts without an answer.
    hogs = [socket.socket() for _ in range(3)]
    for hog in hogs:
        hog.setblocking(False)
        hog.connect_ex(listener.getsockname())
    world.tracker.configure(port=listener.getsockname()[1])
    world.tracker.start()
    expect_alert(world)
    for hog in hogs:
        hog.close()


def _with_dead_names(world):
    """A command prefix: for what it starts, every name server is one that never answers."""
    as_root()
    if subprocess.run(["unshare", "-m", "true"], stderr=subprocess.DEVNULL).returncode != 0:
        raise Skip("no mount namespaces here")
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    world._closing.append(server.close)
    address = "127.77.0.1"
    try:
        server.bind((address, 53))
    except OSError as error:
        raise Skip("port 53 of %s: %s" % (address, error))
    for name, text in (("resolv.conf", "nameserver %s\noptions timeout:10 attempts:3\n" % address),
                       ("nsswitch.conf", "hosts: dns\n")):
        with open(os.path.join(world.folder, name), "w") as file:
            file.write(text)
        os.chmod(os.path.join(world.folder, name), 0o644)
    os.chmod(world.folder, 0o755)
    script = ("for name in resolv.conf nsswitch.conf; do "
              "mount --bind '%s'/$name \"$(readlink -f /etc/$name)\" || exit 99; done; exec \"$@\"" % world.folder)
    return server, ["unshare", "-m", "sh", "-c", script, "sh"]


@claim("a name server that never answers, for the broker's name")
def names(world):
    server, before = _with_dead_names(world)
    world.tracker.configure(host="broker.example.net")
    world.tracker.start(before)
    server.settimeout(10)
    expect(server.recv(500), "no name was asked for")
    expect_alert(world)


@claim("a name server that never answers, for gpsd's name: people are answered")
def gpsd_name(world):
    server, before = _with_dead_names(world)
    world.tracker.configure(gpsdHost="receiver.example.net")
    world.tracker.start(before)
    server.settimeout(10)
    expect(server.recv(500), "no name was asked for")
    # gpsd's name is asked for before the store is open; people are answered from then on.
    expect(poll(lambda: world.tracker.status() is not None, 10), "never an answer")
    for _ in range(20):
        start = time.monotonic()
        expect(world.tracker.status() is not None, "no answer")
        expect(time.monotonic() - start < MOST_AGE, "an answer took %.1f s" % (time.monotonic() - start))
        time.sleep(0.2)


def _expect_end(world):
    """Told to end while a name is being asked for, it does so in time and with a good conscience."""
    begun = time.monotonic()
    ended = world.tracker.stop(seconds=20)
    took = time.monotonic() - begun
    expect(ended == 0, "it ended with %s after %.1f s" % (ended, took))
    expect(took < MOST_TO_END, "it took %.1f s to end" % took)


def _await_question(server):
    """Waits for a fresh question, whose answer the daemon will await for ten seconds at least."""
    server.settimeout(0.1)
    try:
        while True:
            server.recv(500)
    except TimeoutError:
        pass
    server.settimeout(60)
    expect(server.recv(500), "no name was asked for")


@claim("told to end while the broker's name is asked for: 5 s at most, and the queue is on the disk")
def end_in_names(world):
    server, before = _with_dead_names(world)
    world.tracker.configure(host="broker.example.net")
    world.tracker.start(before)
    world.tracker.wait_for_status(lambda status: status["gps"]["reached"])
    world.settle()
    sent = world.feed(world.drive(60))
    _await_question(server)
    last = world.feed(world.drive(2))
    # gpsd passes them on in its own time; what the tracker never had it need not keep.
    world.tracker.wait_for_status(lambda status: status.get("fix", {}).get("tst", 0) >= max(last))
    _expect_end(world)
    world.tracker.configure(host="127.0.0.1")
    world.tracker.start()
    world.wait_for_locations(set(sent) | set(last), seconds=30)
    world.expect_once_in_order()


@claim("told to end while gpsd's name is asked for: it ends within 5 s")
def end_in_gpsd_name(world):
    server, before = _with_dead_names(world)
    world.tracker.configure(gpsdHost="receiver.example.net")
    world.tracker.start(before)
    _await_question(server)
    _expect_end(world)


@claim("a disk whose fsync takes five seconds", has_proxy=True)
def fsync(world):
    world.tracker.start(env={"LD_PRELOAD": shim("slow_disk", world.folder), "SLOW_DISK_SECONDS": "5"})
    # Making the store takes some of these five seconds; nothing is sensed before it is there.
    for _ in range(10):
        world.settle()
        if world.tracker.fix_age() is not None:
            break
    world.proxy.cut("refuse")
    expect_alert(world, 20)
    count = world.tracker.log().count("slow_disk: waits")
    expect(count > 0, "nothing was ever synchronised: this shows nothing")


if __name__ == "__main__":
    main()
