#!/usr/bin/env python3
# takes: 40 s
# behaviour: Connecting
"""What can block for seconds does so elsewhere: fixes are handled and people answered meanwhile."""
import os
import socket
import subprocess
import sys

sys.path.insert(1, sys.path[0] + "/../world")
from servers import free_port
from tracker import shim
from waiting import IN_THE_END, in_the_end
from world import Skip, as_root, claim, expect, main

# Longer than anything here waits: see resolv.conf(5) for what a resolver's time-out may be.
RESOLVER = "options timeout:30 attempts:5"
ATTEMPT = {"connectionTimeoutSeconds": 600}


def expect_alert(world, is_hanging=lambda: True):
    """New fixes are handled and people are answered while the call hangs: it does until the test ends it, or for
    longer than anybody waits here."""
    world.settle()
    for _ in range(3):
        sent = world.feed(world.stand(10))
        expect(world.tracker.handles(max(sent)), "no fix is handled meanwhile")
        expect(world.tracker.ask("status").status == 0, "people are not answered meanwhile")
        expect(is_hanging(), "nothing hangs any more: this shows nothing")


def is_open(peer):
    """Whether the far end has not closed this connection."""
    peer.setblocking(False)
    try:
        while peer.recv(4096):
            pass
        return False
    except BlockingIOError:
        return True


def attempts(world, port):
    """The connections to this port that wait for the other end's first word, by their own ports."""
    with open("/proc/%d/net/tcp" % world.tracker.pid) as file:
        rows = [line.split() for line in file][1:]
    return {row[1] for row in rows if row[2].endswith(":%04X" % port) and row[3] == "02"}


def _silent_listener(world, backlog=5):
    listener = socket.create_server(("127.0.0.1", free_port()), backlog=backlog)
    world._closing.append(listener.close)
    return listener


def _accepted(listener):
    listener.settimeout(IN_THE_END)
    return listener.accept()[0]


@claim("a TLS peer that accepts and says nothing", **ATTEMPT)
def tls(world):
    listener = _silent_listener(world)
    world.tracker.configure(port=listener.getsockname()[1], tls=True)
    world.tracker.start()
    peer = _accepted(listener)
    expect(len(peer.recv(100)) > 0, "no TLS hello")
    expect_alert(world, lambda: is_open(peer))
    peer.close()


@claim("a broker that accepts and never answers CONNECT", **ATTEMPT)
def connack(world):
    listener = _silent_listener(world)
    world.tracker.configure(port=listener.getsockname()[1])
    world.tracker.start()
    peer = _accepted(listener)
    expect(len(peer.recv(100)) > 0, "no CONNECT")
    expect_alert(world, lambda: is_open(peer))
    peer.close()


@claim("a host that swallows connection attempts", **ATTEMPT)
def connect(world):
    listener = _silent_listener(world, backlog=0)
    port = listener.getsockname()[1]
    # With the backlog full the kernel leaves further attempts without an answer.
    hogs = [socket.socket() for _ in range(3)]
    for hog in hogs:
        hog.setblocking(False)
        hog.connect_ex(listener.getsockname())
    ours = {"0100007F:%04X" % hog.getsockname()[1] for hog in hogs}
    world.tracker.configure(port=port)
    world.tracker.start()
    first = in_the_end(lambda: attempts(world, port) - ours)
    expect(first, "it does not try the broker")
    expect_alert(world, lambda: first <= attempts(world, port))
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
    for name, text in (("resolv.conf", "nameserver %s\n%s\n" % (address, RESOLVER)),
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
    server.settimeout(IN_THE_END)
    expect(server.recv(500), "no name was asked for")
    expect_alert(world)


@claim("a name server that never answers, for gpsd's name: people are answered")
def gpsd_name(world):
    server, before = _with_dead_names(world)
    world.tracker.configure(gpsdHost="receiver.example.net")
    world.tracker.start(before)
    server.settimeout(IN_THE_END)
    expect(server.recv(500), "no name was asked for")
    # gpsd's name is asked for before the store is open; people are answered from then on.
    for _ in range(20):
        expect(in_the_end(lambda: world.tracker.status() is not None), "no answer")


def _expect_end(world):
    """Told to end while a name is being asked for, it does not wait for the answer, and has a good conscience."""
    ended = world.tracker.stop()
    expect(ended == 0, "it ended with %s" % ended)


def _await_question(server):
    """Waits for a question, whose answer the daemon would await for longer than it is waited for here."""
    server.settimeout(2 * IN_THE_END)
    expect(server.recv(500), "no name was asked for")


@claim("told to end while the broker's name is asked for: it ends, and the queue is on the disk")
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
    world.tracker.handles(max(last))
    _expect_end(world)
    world.tracker.configure(host="127.0.0.1")
    world.tracker.start()
    world.wait_for_locations(set(sent) | set(last))
    world.expect_once_in_order()


@claim("told to end while gpsd's name is asked for: it ends")
def end_in_gpsd_name(world):
    server, before = _with_dead_names(world)
    world.tracker.configure(gpsdHost="receiver.example.net")
    world.tracker.start(before)
    _await_question(server)
    _expect_end(world)


@claim("a disk whose fsync hangs until the test ends it", has_proxy=True)
def fsync(world):
    flag = os.path.join(world.folder, "hang")
    world.start(env={"LD_PRELOAD": shim("slow_disk", world.folder), "SLOW_DISK_WHILE": flag})
    world.proxy.cut("refuse")
    open(flag, "w").close()
    sent = world.feed(world.drive(10))
    expect(in_the_end(lambda: "slow_disk: waits" in world.tracker.log()), "nothing is synchronised: this shows nothing")
    expect_alert(world)
    os.remove(flag)
    world.proxy.restore()
    world.wait_for_locations(sent)


if __name__ == "__main__":
    main()
