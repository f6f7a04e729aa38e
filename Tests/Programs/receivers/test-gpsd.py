#!/usr/bin/env python3
# takes: 50 s
# behaviour: When gpsd is away or silent
"""gpsd is absent, goes away, hangs, or has rubbish on its line."""
import os
import random
import signal
import sys
import time

sys.path.insert(1, sys.path[0] + "/../world")
from nmea import burst, degrees, no_fix, sentence
from receivers import FastGpsd
from tracker import shim
from waiting import in_the_end, quiet_span, stays
from world import claim, expect, main


def lost(world):
    """Whether it comes to know that gpsd is away."""
    return in_the_end(lambda: not (world.tracker.status() or {}).get("gps", {}).get("reached", True))


@claim("gpsd is absent at the start", has_gpsd=False)
def absent(world):
    world.tracker.start()
    expect(stays(lambda: world.tracker.is_alive(), 2), "the daemon ended")
    world.gpsd.start()
    world.warm_up()
    world.wait_for_locations(world.feed(world.drive(20)))


@claim("a receiver of 25 Hz is believed without any other clock", has_gpsd=False)
def fast(world):
    clock = shim("kernel_clock", world.folder)
    receiver = FastGpsd(world.gpsd.port, 25)
    try:
        world.tracker.start(env={"LD_PRELOAD": clock, "CLOCK_IS": "unsynchronised"})
        expect(in_the_end(lambda: receiver.sent > 0), "the daemon does not come to gpsd")
        expect(in_the_end(lambda: len(world.locations()) >= 5),
               "%d positions of %d fixes" % (len(world.locations()), receiver.sent))
        expect(world.tracker.status()["clock"]["trusted"] is True, "no clock")
    finally:
        receiver.close()


@claim("gpsd restarts")
def restart(world):
    world.start()
    world.wait_for_locations(world.feed(world.drive(20)))
    world.gpsd.stop()
    expect(lost(world), "it is not noticed")
    world.gpsd.start()
    world.settle()
    world.wait_for_locations(world.feed(world.drive(20)))
    world.expect_once_in_order()


@claim("gpsd is killed and stays away: the daemon stays connected")
def killed(world):
    world.start()
    world.gpsd.kill()
    expect(lost(world), "it is not noticed")
    is_well = lambda: world.tracker.is_alive() and not world.heard("lwt")
    expect(stays(is_well, 3), "the daemon ended, or the broker lost it")
    expect(world.tracker.status()["connection"]["state"] == "connected", "it is not connected")


@claim("gpsd hangs for eight seconds")
def hang(world):
    world.start()
    os.kill(world.gpsd.pid, signal.SIGSTOP)
    expect(stays(lambda: world.tracker.status() is not None, 8), "people are not answered")
    os.kill(world.gpsd.pid, signal.SIGCONT)
    world.settle()
    world.wait_for_locations(world.feed(world.drive(20)))


@claim("rubbish on the line between good sentences")
def rubbish(world):
    world.start()
    noise = random.Random(20261121)
    places = {}
    for _ in range(10):
        world.gpsd.write(bytes(noise.randrange(256) for _ in range(400)) + b"\r\n")
        world.gpsd.write(b"$GPRMC,999999.99,A,9999.9,N,99999.9,E,,,,,,A*00\r\n")
        world.gpsd.write(sentence("GPGGA,,,,,,0,00,,,M,,M,,").encode())
        begun, track = world.clock, world.drive(3)
        sent = world.feed(track)
        places.update((begun + second, degrees(place)) for second, place in enumerate(track))
    world.wait_for_locations([max(sent)])
    for message in world.locations():
        here = places.get(message["tst"], degrees((0, 0)))
        far = abs(message["lat"] - here[0]) + abs(message["lon"] - here[1])
        expect(far < 0.0001, "a position %s, %s out of rubbish" % (message["lat"], message["lon"]))
    expect(world.tracker.is_alive(), "the daemon ended")


@claim("a receiver that lost its fix publishes nothing")
def blind(world):
    world.start()
    expect(quiet_span(lambda: len(world.locations()), 1), "it never comes to rest")
    before = len(world.locations())
    for second in range(20):
        world.gpsd.write(no_fix(world.clock + second))
        time.sleep(0.1)
    world.clock += 20
    expect(in_the_end(lambda: world.tracker.status()["gps"]["mode"] == 1), "the loss is not seen")
    expect(stays(lambda: len(world.locations()) == before, 1),
           "%d positions without a fix" % (len(world.locations()) - before))
    world.settle()
    world.wait_for_locations(world.feed(world.stand(5)))


@claim("a date twenty years off is never published")
def date(world):
    world.start()
    # gpsd puts right by itself what is 1024 weeks off, and nothing is left to refuse.
    wrong = world.clock - (1024 * 7 + 200) * 86400
    here = degrees((0, 0))
    for second in range(30):
        world.gpsd.write(burst(wrong + second, here[0], here[1], 0.0, 0.0))
        time.sleep(0.1)
    expect(in_the_end(lambda: "dateRefused" in world.tracker.ask("why", "--json").text), "no date is refused: %s"
           % world.tracker.ask("why").text)
    time.sleep(1)
    ages = [abs(message["tst"] - world.clock) for message in world.locations()]
    expect(max(ages) < 86400, "a position %d days off" % (max(ages) // 86400))


if __name__ == "__main__":
    main()
