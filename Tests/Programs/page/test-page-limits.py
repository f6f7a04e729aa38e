#!/usr/bin/env python3
# takes: 60 s
# touches: Sources/Web Sources/homeward-web Sources/Access Sources/Answers Sources/OwnTracks Sources/CMicroHTTPD
# touches: Sources/CSodium Sources/CSQLite Sources/CZlib Sources/Host/Control Sources/homeward/Web Sources/homeward/Sharing
# touches: Sources/Loop Sources/Timebase Sources/CLinux Sources/homewardd Tests/Programs/world Tests/Programs/shims
"""homeward-web under strangers and over time: what nobody can keep to himself, and when it ends."""
import os
import shutil
import socket
import subprocess
import sys
import threading
import time

sys.path.insert(1, sys.path[0] + "/../world")
from page import PageServer
from waiting import IN_THE_END, in_the_end
from world import Skip, claim, expect, main

ALONE = {"has_broker": False, "has_gpsd": False}
CONNECTIONS = 32
STREAMS = 16
OF_ONE = 12
# Seconds. Whoever says nothing is sent away after 20 s: on a machine that takes longer than this nothing is to be seen.
MAY_TAKE = 15
# What comes from this board itself counts as many visitors then.
PROXIED = ("--name", "board.example")


def server_of(world, *words, idle=0):
    world.tracker.start()
    expect(world.tracker.wait_for_status(lambda _: True), "the tracker does not answer")
    server = PageServer(world.folder, world.tracker.socket)
    world._closing.append(server.kill)
    server.start(*words, idle=idle)
    server.pair()
    return server


def dripping(lines, seconds, pieces):
    """Sends a byte of its piece on each line every second."""
    end = time.monotonic() + seconds
    position = 0
    while time.monotonic() < end:
        for line, piece in zip(lines, pieces):
            try:
                line.send(piece[position % len(piece):position % len(piece) + 1])
            except OSError:
                pass
        position += 1
        time.sleep(1)
        yield position


@claim("32 connections that say a byte a second keep nobody out, though they go on for as long as they may", **ALONE)
def slow(world):
    server = server_of(world, *PROXIED)
    head = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: " + b"a" * 200
    body = server.head("POST", "/api/do", length=2000, headers=["Content-Type: application/json"])
    lines = [server.connect() for _ in range(CONNECTIONS)]
    for line in lines[CONNECTIONS // 2:]:
        line.sendall(body)
    pieces = [head] * (CONNECTIONS // 2) + [b"[" + b" " * 1999] * (CONNECTIONS // 2)
    with server.connect() as phone:
        phone.sendall(server.head("GET", "/"))
        phone.setblocking(False)
        came = b""
        for _ in dripping(lines, 2 * IN_THE_END, pieces):
            try:
                came += phone.recv(65536)
            except BlockingIOError:
                pass
            if came:
                break
            age = world.tracker.status()
            expect(age is not None, "the tracker does not answer meanwhile")
    # A request has 20 s; nothing else may have to happen for somebody to be let in then.
    expect(came.startswith(b"HTTP/1.1 200"), "the phone was answered %s" % came[:40])
    for line in lines:
        line.close()


@claim("32 connections that say nothing at all do not either", **ALONE)
def silent(world):
    server = server_of(world, *PROXIED)
    began = time.monotonic()
    lines = [server.connect() for _ in range(CONNECTIONS)]
    expect(in_the_end(lambda: count_streams(server) == CONNECTIONS), "%d connections" % count_streams(server))
    start = time.monotonic()
    with server.connect() as phone:
        phone.sendall(server.head("GET", "/"))
        came = phone.recv(65536)
    expect(came.startswith(b"HTTP/1.1 200"), "the phone was answered %s" % came[:40])
    waited = time.monotonic() - start
    expect(waited > 2 or start - began > MAY_TAKE, "one more than there is room for was served at once")
    for line in lines:
        line.close()


@claim("who waits is served as soon as one of 32 connections ends", **ALONE)
def room(world):
    server = server_of(world, *PROXIED)
    began = time.monotonic()
    lines = [server.connect() for _ in range(CONNECTIONS)]
    expect(in_the_end(lambda: count_streams(server) == CONNECTIONS), "%d connections" % count_streams(server))
    with server.connect() as phone:
        phone.sendall(server.head("GET", "/"))
        phone.settimeout(1)
        try:
            came = phone.recv(1)
            expect(time.monotonic() - began > MAY_TAKE, "one more than there is room for was served at once: %s" % came)
        except TimeoutError:
            pass
        lines.pop().close()
        phone.settimeout(IN_THE_END)
        expect(phone.recv(65536).startswith(b"HTTP/1.1 200"), "the phone was sent away")
        # Not by those who were sent away after their 20 s: all of them are still there.
        expect(all(map(is_open, lines)) or time.monotonic() - began > MAY_TAKE, "it had to wait for others")
    for line in lines:
        line.close()


@claim("one address has 12 connections at a time, however many it makes, and the others are served", **ALONE)
def crowd(world):
    server = server_of(world)
    lines = [server.connect(source="127.0.0.2") for _ in range(5 * CONNECTIONS)]
    expect(in_the_end(lambda: count_streams(server) == OF_ONE), "%d connections" % count_streams(server))
    expect(sum(map(is_open, lines)) == OF_ONE, "%d of them are open" % sum(map(is_open, lines)))
    expect(server.get("/api/why").status == 200, "another address is not served")
    # None of those who were first has been sent away for it.
    expect(all(map(is_open, lines[:OF_ONE])), "those who were there were sent away")
    for line in lines:
        line.close()


@claim("who hangs up in the middle of a request keeps no place", **ALONE)
def cut_short(world):
    server = server_of(world)
    for request in (b"GET / HT", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n"):
        for _ in range(2 * OF_ONE):
            line = server.connect(source="127.0.0.1")
            line.sendall(request)
            line.close()
            # One after the other, as a phone in bad coverage comes and goes.
            time.sleep(0.01)
        # The library would keep the places for 20 s.
        expect(server.get("/api/why").status == 200, "not served after %r" % request)


@claim("16 pages may be open, the next is told so, and a page that is closed makes room", **ALONE)
def streams(world):
    server = server_of(world, *PROXIED)
    pages = [server.events() for _ in range(STREAMS)]
    expect(all(page.status == 200 for page in pages), "statuses %s" % [page.status for page in pages])
    expect(server.get("/api/events").status == 503, "a page more was served")
    expect(server.get("/api/why").status == 200, "nothing else is answered")
    pages[0].close()
    expect(in_the_end(lambda: server.events().status == 200), "no room after one was closed")
    for page in pages:
        page.close()


class Talker:
    """In the tracker's place: a status of 100 kB that is another one each time."""

    def __init__(self, folder):
        self.path, self.count = os.path.join(folder, "talker"), 0
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen(64)
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self):
        while True:
            line, _ = self.listener.accept()
            with line:
                line.recv(65536)
                self.count += 1
                try:
                    line.sendall(b'{"ok":true,"status":{"much":{"number":%d,"text":"%s"}}}\n' % (self.count, b"x" * 100_000))
                except OSError:
                    pass


@claim("a page that does not take what it is told is dropped, and the others are served", **ALONE)
def deaf(world):
    server = PageServer(world.folder, Talker(world.folder).path)
    world._closing.append(server.kill)
    server.start()
    server.pair()
    good, deaf = server.events(), socket.socket()
    deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    deaf.connect(("127.0.0.1", server.port))
    deaf.sendall(server.head("GET", "/api/events"))
    expect(good.until("status"), "nothing was told")
    expect(count_streams(server) == 2, "%d connections" % count_streams(server))
    told = lambda: expect(good.until("status"), "the other one was told nothing") or count_streams(server) == 1
    expect(in_the_end(told), "it is still told")
    for _ in range(3):
        expect(good.until("status"), "the other one was told nothing afterwards")
    deaf.close()


def is_open(line):
    """Whether the server has not closed this connection."""
    line.setblocking(False)
    try:
        return line.recv(1) != b""
    except BlockingIOError:
        return True
    except OSError:
        return False


def count_streams(server):
    """Connections that are open at the server."""
    with open("/proc/%d/net/tcp" % server.pid) as file:
        lines = [line.split() for line in file][1:]
    return sum(line[1].endswith(":%04X" % server.port) and line[3] == "01" for line in lines)


@claim("an open page hears signs of life though nothing changes", **ALONE)
def signs(world):
    page = server_of(world).events()
    page.until("status")
    signs = 0
    page.line.settimeout(IN_THE_END)
    while signs < 3:
        try:
            piece = page.line.recv(65536)
        except TimeoutError:
            raise AssertionError("nothing at all after %d signs of life" % signs)
        expect(piece, "the stream ended")
        signs += b":\n\n" in piece and b"event" not in piece


@claim("bodies and heads have a limit", **ALONE)
def large(world):
    server = server_of(world)
    reply = server.do(None, body=b'["tag","' + b"x" * 70_000 + b'"]')
    expect(reply.status in (413, 0), "a body of 70 kB: %s" % reply.status)
    with server.connect() as line:
        line.sendall(server.head("POST", "/api/do", headers=[
            "Transfer-Encoding: chunked", "Origin: http://" + server.host, "Content-Type: application/json"]))
        try:
            for _ in range(40):
                line.sendall(b"1000\r\n" + b" " * 4096 + b"\r\n")
            line.sendall(b'b\r\n["tag","x"]\r\n0\r\n\r\n')
            answer = line.recv(4096)
        except OSError:
            answer = b""
        expect(b" 200 " not in answer, "a body without a length: %s" % answer[:60])
    reply = server.get("/", headers=["X-Long: " + "x" * 20_000])
    expect(reply.status in (400, 413, 414, 431, 0), "a head of 20 kB: %s" % reply.status)
    expect(server.get("/").status == 200, "it is gone")


@claim("it ends by itself when nobody has been there for a while, and not while a page is open", **ALONE)
def idle(world):
    server = server_of(world, idle=3)
    page = server.events()
    expect(page.until("status"), "nothing was told")
    time.sleep(4)
    expect(server.is_alive(), "it ended while a page was open")
    page.close()
    start = time.monotonic()
    expect(in_the_end(lambda: not server.is_alive()), "it runs on")
    expect(2 < time.monotonic() - start, "it ended after %.1f s" % (time.monotonic() - start))
    expect(server.process.returncode == 0, "its status is %d" % server.process.returncode)


@claim("systemd starts it with the first visitor, and who comes at its end finds the next one", **ALONE)
def activation(world):
    if not shutil.which("systemd-socket-activate"):
        raise Skip("no systemd-socket-activate")
    world.tracker.start()
    server = PageServer(world.folder, world.tracker.socket)
    world._closing.append(server.kill)
    server.spawn(["systemd-socket-activate", "--listen", server.host, *server.words("--idle", "2")])
    expect(in_the_end(server.answers), "nothing listens")
    server.pair()
    expect(server.get("/").status == 200, "the page")
    # systemd-socket-activate becomes the program: it serves one life.
    expect(in_the_end(lambda: not server.is_alive()), "it runs on")
    expect(server.process.returncode == 0, "its status is %d" % server.process.returncode)
    server.process = None
    server.spawn(["systemd-socket-activate", "--listen", server.host, *server.words("--idle", "2")])
    expect(in_the_end(server.answers), "nothing listens")
    expect(server.get("/").status == 200, "whom it knew is not known to the next one")


@claim("what it is started with has to make sense", **ALONE)
def mistakes(world):
    server = PageServer(world.folder, world.tracker.socket)
    for words, status in ((["--port", "80"], 64), (["--listen"], 64), (["--idle", "x"], 64), ([], 70),
                          (["--listen", "nowhere:80"], 70)):
        done = subprocess.run([server.words()[0], *words], capture_output=True, text=True, timeout=60)
        expect(done.returncode == status, "%s: %d" % (words, done.returncode))
        expect(done.stderr.startswith("homeward-web: ") and done.stderr.count("\n") == 1, "it says %s" % done.stderr)


if __name__ == "__main__":
    main()
