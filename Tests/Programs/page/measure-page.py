#!/usr/bin/env python3
# takes: 30 s
"""What homeward-web costs, and how long a phone waits for it, alone and among strangers."""
import os
import socket
import sys
import time

sys.path.insert(1, sys.path[0] + "/../world")
from figures import figure
from page import PageServer
from waiting import in_the_end
from world import claim, expect, main

ALONE = {"has_broker": False, "has_gpsd": False}
CONNECTIONS = 32


def server_of(world, idle=0):
    world.tracker.start()
    expect(world.tracker.wait_for_status(lambda _: True), "the tracker does not answer")
    server = PageServer(world.folder, world.tracker.socket)
    world._closing.append(server.kill)
    server.start(idle=idle)
    server.pair()
    return server


@claim("what it takes from its start to the end", **ALONE)
def cost(world):
    server = server_of(world)
    pages = [server.events() for _ in range(4)]
    for page in pages:
        page.until("status")
    for _ in range(50):
        server.get("/page.js")
    figure("memory with 4 pages open", server.memory(), "kB", 12_000)
    server.stop()
    times = [first_byte(server) for _ in range(15)]
    figure("start to first byte, best of 15", min(took for took, _ in times) * 1000, "ms", 20)
    figure("processor from start to end, best of 15", min(effort for _, effort in times) * 1000, "ms", 15)


def first_byte(server):
    """Seconds from the start of the program to the first byte of the page, on a socket that waits for it as systemd's
    does, and those of the processor until its end."""
    listener = socket.create_server(("127.0.0.1", server.port))
    with listener, socket.create_connection(("127.0.0.1", server.port)) as line:
        line.sendall(server.head("GET", "/"))
        start = time.monotonic()
        pid = os.posix_spawn("/bin/sh", ["sh", "-c", 'LISTEN_PID=$$ LISTEN_FDS=1 exec "$@"', "sh", *server.words()],
                             os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, listener.fileno(), 3)])
        line.recv(1)
        took = time.monotonic() - start
    os.kill(pid, 15)
    _, _, used = os.wait4(pid, 0)
    return took, used.ru_utime + used.ru_stime


@claim("how long a phone waits when all connections are taken by who says nothing", **ALONE)
def crowded(world):
    server = server_of(world)
    lines = [server.connect() for _ in range(CONNECTIONS)]
    time.sleep(0.5)
    with server.connect() as phone:
        start = time.monotonic()
        phone.sendall(server.head("GET", "/"))
        expect(phone.recv(65536).startswith(b"HTTP/1.1 200"), "the phone was sent away")
        figure("a phone's wait for one of 32 silent connections to be closed", time.monotonic() - start, "s", 25)
    for line in lines:
        line.close()
    lines = [server.connect() for _ in range(CONNECTIONS)]
    time.sleep(0.5)
    with server.connect() as phone:
        phone.sendall(server.head("GET", "/"))
        time.sleep(0.5)
        lines.pop().close()
        start = time.monotonic()
        expect(phone.recv(65536).startswith(b"HTTP/1.1 200"), "the phone was sent away")
        figure("a phone's wait once one of them ends", time.monotonic() - start, "s", 1)
    for line in lines:
        line.close()


@claim("how often an open page hears something, and when the server ends", **ALONE)
def signs(world):
    server = server_of(world, idle=3)
    page = server.events()
    page.until("status")
    times = [time.monotonic()]
    while times[-1] - times[0] < 12:
        expect(page.line.recv(65536), "the stream ended")
        times.append(time.monotonic())
    longest = max(after - before for before, after in zip(times, times[1:]))
    figure("an open page's longest silence", longest, "s", 3.5)
    page.close()
    start = time.monotonic()
    expect(in_the_end(lambda: not server.is_alive()), "it runs on")
    figure("from the last page to the end, idle 3 s", time.monotonic() - start, "s", 6)


if __name__ == "__main__":
    main()
