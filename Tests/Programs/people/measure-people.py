#!/usr/bin/env python3
# takes: 20 s
"""How long people wait for an answer: among a crowd at the socket, for a file that has no end, for an address."""
import shutil
import subprocess
import sys
import time

sys.path.insert(1, sys.path[0] + "/../world")
from crowds import crowd
from endpoint import Endpoint
from figures import figure
from tracker import COMMAND_LINE
from world import Skip, as_root, claim, expect, main


def took(work):
    start = time.monotonic()
    work()
    return time.monotonic() - start


@claim("answers while another user hangs on the socket")
def crowded(world):
    as_root()
    world.start()
    alone = max(took(lambda: world.tracker.ask("status")) for _ in range(20))
    with crowd(world):
        among = max(took(lambda: world.tracker.ask("status")) for _ in range(20))
    figure("slowest `homeward status` of 20, alone", alone, "s", 0.1)
    figure("the same in a crowd at the socket", among, "s", 3)


@claim("a file without an end", has_broker=False, has_gpsd=False)
def endless(world):
    check = lambda: subprocess.run([COMMAND_LINE, "config", "check", "/dev/zero"], capture_output=True, check=False)
    figure("`homeward config check /dev/zero`", took(check), "s", 0.1)


@claim("the address is asked of a server that never answers")
def where(world):
    if not shutil.which("curl"):
        raise Skip("no curl here")
    endpoint = Endpoint()
    try:
        world.tracker.configure(geocodeUrl="http://127.0.0.1:%d/?lat={lat}&lon={lon}" % endpoint.port)
        world.start()
        endpoint.answer = lambda post: None
        ask = lambda: world.tracker.ask("where", "--file", world.tracker.configuration)
        figure("`homeward where` with a server that is silent", took(ask), "s", 15)
    finally:
        endpoint.stop()


@claim("ended and started")
def lives(world):
    world.start()
    end = took(lambda: expect(world.tracker.stop() == 0, "it does not end well"))
    start = took(lambda: world.tracker.start() and world.tracker.wait_for_status(lambda status: True))
    figure("told to end until its end", end, "s", 1)
    figure("start until the first answer", start, "s", 0.5)


if __name__ == "__main__":
    main()
