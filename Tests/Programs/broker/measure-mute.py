#!/usr/bin/env python3
# takes: 80 s
# behaviour: Connecting
"""What a broker costs that says nothing, ends at once or takes nothing more: hardly any time of the processor.

HOMEWARD_MUTE_SECONDS=60 looks for longer; with LD_LIBRARY_PATH another libmosquitto is looked at."""
import os
import socket
import sys
import threading
import time

sys.path.insert(1, sys.path[0] + "/../world")
from figures import figure
from tracker import effort_over
from waiting import in_the_end
from world import claim, expect, main

SECONDS = float(os.environ.get("HOMEWARD_MUTE_SECONDS", "8"))
REFERENCE = 1  # per cent of one processor, at most
# More than the kernel holds for a connection.
PICTURES = 60
CONNACK = b"\x20\x02\x00\x00"
# A handshake record of 16 kB, of which the beginning comes.
HALF_A_RECORD = b"\x16\x03\x03\x40\x00\x02\x00\x00\x26"


class Mute(threading.Thread):
    """Each client is sent `words`, after the first bytes from there if `waits`, and then, if `ends`, cut off."""

    def __init__(self, words=b"", ends=False, waits=True, accepts=True):
        super().__init__(daemon=True)
        self.words, self.ends, self.waits, self.accepts = words, ends, waits, accepts
        self.met, self._kept = 0, []
        self.socket = socket.socket()
        # So little that a single picture fills it.
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.socket.bind(("127.0.0.1", 0))
        self.socket.listen(0)
        self.port = self.socket.getsockname()[1]
        if accepts:
            self.start()
        else:
            # With these the queue is full, and the kernel answers nobody.
            for _ in range(3):
                line = socket.socket()
                line.setblocking(False)
                line.connect_ex(("127.0.0.1", self.port))
                self._kept.append(line)

    def run(self):
        try:
            while True:
                line = self.socket.accept()[0]
                self.met += 1
                if self.waits:
                    line.recv(1024)
                line.sendall(self.words)
                if self.ends:
                    line.close()
                else:
                    self._kept.append(line)
        except OSError:
            pass

    def close(self):
        self.socket.close()
        for line in self._kept:
            line.close()


def look(world, what, mute, **settings):
    try:
        world.tracker.configure(port=mute.port, **settings)
        world.tracker.start()
        expect(not mute.accepts or in_the_end(lambda: mute.met > 0), "it does not come to the broker")
        measure(world, what)
    finally:
        mute.close()


def measure(world, what):
    # The start and the first attempt are work.
    time.sleep(3)
    share, _ = effort_over(world.tracker.pid, SECONDS)
    figure("processor with a broker: " + what, share * 100, "per cent", REFERENCE)


@claim("nobody answers the connection", has_broker=False, has_gpsd=False)
def unanswered(world):
    look(world, "nobody answers the connection", Mute(accepts=False))


@claim("no word after CONNECT", has_broker=False, has_gpsd=False)
def silent(world):
    look(world, "no word after CONNECT", Mute())


@claim("the end before a word", has_broker=False, has_gpsd=False)
def ended(world):
    look(world, "the end before a word", Mute(ends=True, waits=False))


@claim("CONNACK, and the end", has_broker=False, has_gpsd=False)
def greeted(world):
    look(world, "CONNACK, and the end", Mute(CONNACK, ends=True))


@claim("no word in the TLS handshake", has_broker=False, has_gpsd=False)
def handshake(world):
    look(world, "no word in the TLS handshake", Mute(waits=False), tls=True)


@claim("half a record in the TLS handshake", has_broker=False, has_gpsd=False)
def half(world):
    look(world, "half a record in the TLS handshake", Mute(HALF_A_RECORD), tls=True)


@claim("the end in the middle of the TLS handshake", has_broker=False, has_gpsd=False)
def cut(world):
    look(world, "the end in the middle of the TLS handshake", Mute(HALF_A_RECORD, ends=True), tls=True)


@claim("a socket that is full", has_broker=False, has_gpsd=False, keepalive=3600, maxInFlight=100)
def full(world):
    mute, nobody = Mute(CONNACK), Mute(accepts=False)
    picture = os.path.join(world.folder, "face")
    with open(picture, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + os.urandom(65_000))
    try:
        world.tracker.configure(port=nobody.port)
        world.tracker.start()
        expect(in_the_end(lambda: world.tracker.status() is not None), "it does not come up")
        for _ in range(PICTURES):
            answer = world.tracker.ask("card", "--name", "Jane", "--face", picture)
            expect(answer.status == 0, "no card: %s" % answer.error)
        world.tracker.configure(port=mute.port)
        world.tracker.hang_up()
        expect(in_the_end(lambda: waiting(world.tracker.pid, mute.port) > 0), "it does not come to the broker")
        time.sleep(1)
        held = waiting(world.tracker.pid, mute.port)
        expect(0 < held < PICTURES * 65_000, "the kernel holds %d bytes" % held)
        measure(world, "a socket that is full")
    finally:
        mute.close()
        nobody.close()


def waiting(pid, port):
    """Bytes for that port that the kernel holds."""
    with open("/proc/%d/net/tcp" % pid) as file:
        rows = [line.split() for line in file][1:]
    return sum(int(row[4].split(":")[0], 16) for row in rows if row[2].endswith(":%04X" % port))


if __name__ == "__main__":
    main()
