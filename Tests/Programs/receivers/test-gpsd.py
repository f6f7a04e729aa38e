#!/usr/bin/env python3
# takes: 90 s
"""gpsd is absent, goes away, hangs, or has rubbish on its line."""
import os
import random
import signal
import sys
import time

sys.path.insert(1, sys.path[0] + "/../world")
from nmea import burst, degrees, no_fix, sentence
from receivers import FastGpsd
from servers import poll
from tracker import effort_over, shim
from world import claim, expect, main


def expect_calm(world, seconds=4):
    cpu, sleeps = effort_over(world.tracker.pid, seconds)
    expect(cpu < 0.02, "%.0f %% of a CPU without a gpsd" % (cpu * 100))
    expect(sleeps < 10, "%.0f wake-ups a second without a gpsd" % sleeps)


@claim("gpsd is absent at the start", has_gpsd=False)
def absent(world):
    world.tracker.start()
    time.sleep(2)
    expect_calm(world)
    expect(world.tracker.is_alive(), "the daemon ended")
    world.gpsd.start()
    world.warm_up()
    world.wait_for_locations(world.feed(world.drive(20)))


@claim("a receiver of 25 Hz is believed without any other clock", has_gpsd=False)
def fast(world):
    clock = shim("kernel_clock", world.folder)
    receiver = FastGpsd(world.gpsd.port, 25)
    try:
        world.tracker.start(env={"LD_PRELOAD": clock, "CLOCK_IS": "unsynchronised"})
        expect(poll(lambda: receiver.sent > 0, 10), "the daemon does not come to gpsd")
        expect(poll(lambda: len(world.locations()) >= 5, 10),
               "%d positions of %d fixes" % (len(world.locations()), receiver.sent))
        expect(world.tracker.status()["clock"]["trusted"] is True, "no clock")
    finally:
        receiver.close()


@claim("gpsd restarts")
def restart(world):
    world.start()
    world.wait_for_locations(world.feed(world.drive(20)))
    world.gpsd.stop()
    time.sleep(1)
    expect_calm(world)
    world.gpsd.start()
    world.settle()
    world.wait_for_locations(world.feed(world.drive(20)))
    world.expect_once_in_order()


@claim("gpsd is killed and stays away: the daemon rests and stays connected")
def killed(world):
    world.start()
    world.gpsd.kill()
    time.sleep(2)
    expect_calm(world, 6)
    expect(world.tracker.is_alive(), "the daemon ended")
    expect(not world.heard("lwt"), "the broker lost the daemon")


@claim("gpsd hangs for eight seconds")
def hang(world):
    world.start()
    os.kill(world.gpsd.pid, signal.SIGSTOP)
    time.sleep(1)
    expect_calm(world, 7)
    os.kill(world.gpsd.pid, signal.SIGCONT)
    world.settle()
    world.wait_for_locations(world.feed(world.drive(20)))


@claim("rubbish on the line between good sentences")
def rubbish(world):
    world.start()
    noise = random.Random(20261121)
    sent = {}
    for _ in range(10):
        world.gpsd.write(bytes(noise.randrange(256) for _ in range(400)) + b"\r\n")
        world.gpsd.write(b"$GPRMC,999999.99,A,9999.9,N,99999.9,E,,,,,,A*00\r\n")
        world.gpsd.write(sentence("GPGGA,,,,,,0,00,,,M,,M,,").encode())
        sent = world.feed(world.stand(3))
    world.wait_for_locations([max(sent)])
    here = degrees((0, 0))
    for message in world.locations():
        far = abs(message["lat"] - here[0]) + abs(message["lon"] - here[1])
        expect(far < 0.001, "a position %s, %s out of rubbish" % (message["lat"], message["lon"]))
    expect(world.tracker.is_alive(), "the daemon ended")


@claim("a receiver that lost its fix publishes nothing")
def lost(world):
    world.start()
    time.sleep(1)
    before = len(world.locations())
    for second in range(20):
        world.gpsd.write(no_fix(world.clock + second))
        time.sleep(0.1)
    world.clock += 20
    time.sleep(1)
    expect(len(world.locations()) == before, "%d positions without a fix" % (len(world.locations()) - before))
    world.settle()
    world.wait_for_locations(world.feed(world.stand(5)))


@claim("a date twenty years off is never published")
def date(world):
    world.start()
    wrong = world.clock - 1024 * 7 * 86400
    here = degrees((0, 0))
    for second in range(30):
        world.gpsd.write(burst(wrong + second, here[0], here[1], 0.0, 0.0))
        time.sleep(0.1)
    poll(lambda: False, 1)
    ages = [abs(message["tst"] - world.clock) for message in world.locations()]
    expect(max(ages) < 86400, "a position %d days off" % (max(ages) // 86400))


if __name__ == "__main__":
    main()
