#!/usr/bin/env python3
# takes: 400 s
# behaviour: Life and memory
"""What the daemon takes from the board: memory and wake-ups. Tests/Instruments/Bench compares them with a peer's."""
import os
import sys
import time

sys.path.insert(1, sys.path[0] + "/../world")
from figures import figure
from tracker import effort_over
from world import claim, main

# Seconds: longer than anything that wakes it regularly.
SPAN_OFF = 200
PROMISED = {"Private_Dirty": 1300, "Rss": 11000}


@claim("memory, idle and after 200 positions")
def sizes(world):
    world.tracker.start()
    world.tracker.wait_for_status(lambda status: status["connection"]["state"] == "connected")
    time.sleep(3)
    idle = world.tracker.memory()
    world.warm_up()
    world.wait_for_locations(world.feed(world.drive(200), hz=20))
    busy = world.tracker.memory()
    for name, limit in PROMISED.items():
        figure("%s, idle" % name, idle[name], "kB", limit)
        figure("%s after 200 positions" % name, busy[name], "kB", limit + 500)


@claim("what a burst of questions has grown is given back within a minute", seconds=900)
def answers(world):
    world.start()
    world.feed(world.drive(400), hz=40)
    world.tracker.status()
    time.sleep(35)
    before = world.tracker.memory()["Private_Dirty"]
    for _ in range(5):
        for words in (["why"], ["history"], ["friends"], ["region", "list"], ["queue"], ["settings", "show"]):
            world.tracker.answer(*words)
    during = world.tracker.memory()["Private_Dirty"]
    time.sleep(20)
    _, waking = effort_over(world.tracker.pid, 20)
    time.sleep(15)
    after = world.tracker.memory()["Private_Dirty"]
    # What is written to the disk just then counts as well, once: what goes on is in each of these spans.
    idle = min(effort_over(world.tracker.pid, 10)[1] for _ in range(3))
    figure("more memory right after 30 questions", during - before, "kB", "not looked at")
    figure("more memory a minute after them", after - before, "kB", 32)
    figure("wake-ups from the 20th to the 40th second after them", waking, "a second", 1.5)
    figure("wake-ups after that minute", idle, "a second", 0.2)


@claim("memory over 2000 positions out of coverage", has_proxy=True, seconds=2300)
def growth(world):
    world.start()
    world.proxy.cut("refuse")
    world.feed(world.drive(200), hz=60)
    before = world.tracker.memory()["Private_Dirty"]
    world.feed(world.drive(2000), hz=100)
    figure("more memory after 2000 positions", world.tracker.memory()["Private_Dirty"] - before, "kB", 1024)


@claim("wake-ups and the processor, with gpsd silent and with a fix a second")
def wakeups(world):
    world.start()
    time.sleep(3)
    cpu, idle = effort_over(world.tracker.pid, 15)
    feeder = world.feeding(world.stand(17), hz=1)
    time.sleep(1)
    _, busy = effort_over(world.tracker.pid, 15)
    feeder.join()
    figure("wake-ups, idle", idle, "a second", 1)
    figure("wake-ups with a fix a second", busy, "a second", 4)
    figure("processor, idle", cpu * 1000, "ms a second", 5)


@claim("wake-ups with the receiver off", seconds=900)
def receiver_off(world):
    path = os.path.join(world.folder, "battery")
    with open(path, "w") as file:
        file.write("20 Discharging\n")
    world.tracker.configure(
        batterySource="file:" + path, batterySteps=["beacons|25%"], monitoring=1, keepalive=3600, ping=0)
    world.start()
    world.tracker.wait_for_status(lambda status: status.get("batteryStep") == "beacons", seconds=120)
    time.sleep(20)
    _, off = effort_over(world.tracker.pid, SPAN_OFF)
    # One in 50 s is what a battery is to last for; other programs of a busy machine wake it as well.
    figure("wake-ups with the receiver off", off, "a second", "not looked at")


@claim("memory that ten thousand friends cost", friends=True)
def friends(world):
    world.start()
    known = lambda: len(world.tracker.answer("friends").get("friends", []))
    known()
    before = world.tracker.memory()["Private_Dirty"]
    for number in range(10_000):
        world.watcher.publish("owntracks/u%05d/phone" % number,
                              b'{"_type":"location","tst":100,"lat":1.5,"lon":2.5,"tid":"%02d"}' % (number % 100))
    world.tracker.wait_for_status(lambda status: status["messages"]["received"] >= 10_000)
    known()
    # What the answer itself took is given back by then.
    time.sleep(60)
    figure("more memory for 10,000 friends", world.tracker.memory()["Private_Dirty"] - before, "kB", 1024)


if __name__ == "__main__":
    main()
