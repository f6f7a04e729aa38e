#!/usr/bin/env python3
# behaviour: Batches
# takes: 90 s
"""Locations that travel together, and the program at the server that takes them apart."""
import json
import os
import subprocess
import sys
import time

sys.path.insert(1, sys.path[0] + "/../world")
from nmea import along, degrees
from servers import Server
from subscriber import Subscriber
from tracker import COMMAND_LINE, TOPIC
from waiting import in_the_end
from world import claim, expect, main

GATE = degrees((150.0, 0.0))
REGION = [{"_type": "waypoint", "desc": "Gate", "lat": GATE[0], "lon": GATE[1], "rad": 60, "tst": 1385997757}]
BATCH = TOPIC + "/batch"


class Expander(Server):
    """`homeward unbatch`, as systemd would start it."""

    def __init__(self, world):
        path = os.path.join(world.folder, "unbatch.otrc")
        with open(path, "w") as file:
            json.dump({"_type": "configuration", "host": "127.0.0.1", "port": world.broker.port, "tls": False,
                       "username": "expander", "deviceId": "server", "auth": False}, file)
        os.chmod(path, 0o600)
        super().__init__("unbatch", world.folder)
        self.path = path
        world._closing.append(self.kill)

    def begin(self):
        before = self.log().count("takes apart")
        self.spawn([COMMAND_LINE, "unbatch", self.path])
        expect(in_the_end(lambda: self.log().count("takes apart") > before), "it does not subscribe: " + self.log())


def batches(world):
    return [message for message in list(world.watcher.messages) if message.topic == BATCH]


def expand(messages):
    """What `--pipe` makes of them."""
    lines = "".join("%s %s\n" % (message.topic, message.payload.hex()) for message in messages)
    done = subprocess.run([COMMAND_LINE, "unbatch", "--pipe"], input=lines, capture_output=True, text=True, check=True)
    return [line.split(" ", 1) for line in done.stdout.splitlines()]


@claim("locations travel together, and come out of it in their own words and order", batchSeconds=3)
def together(world):
    expander = Expander(world)
    expander.begin()
    world.start()
    sent = world.feed(world.drive(80))
    world.wait_for_locations(sent)
    world.expect_once_in_order()
    came = batches(world)
    expect(2 <= len(came) < len(sent) / 4, "%d batches for %d locations" % (len(came), len(sent)))
    apart = expand(came)
    expect({topic for topic, _ in apart} == {TOPIC}, "other topics: %s" % {topic for topic, _ in apart})
    heard = [message.payload for message in world.watcher.messages
             if message.topic == TOPIC and b'"location"' in message.payload]
    expect([text.encode() for _, text in apart if text.encode() in heard] == [text.encode() for _, text in apart],
           "what the program published is not what the batches hold")
    size = sum(len(message.payload) for message in came) / len(apart)
    plain = sum(len(text) for _, text in apart) / len(apart)
    expect(size * 8 < plain, "%.1f bytes in place of %.1f" % (size, plain))
    # A later subscriber is given the newest place.
    late = Subscriber(world.broker.port, [TOPIC], name="late")
    world._closing.append(late.close)
    expect(late.wait(lambda messages: messages), "no place is retained")
    expect(late.messages[0].is_retained and late.messages[0].json()["tst"] >= max(sent), "an earlier place is retained")


@claim("a crossing goes at once, behind the locations before it", batchSeconds=3600, waypoints=REGION)
def crossing(world):
    expander = Expander(world)
    expander.begin()
    world.tracker.start()
    world.settle()
    sent = world.feed(along([(0, 0), (140, 0)]))
    expect(in_the_end(lambda: world.crossings()), "no crossing came")
    index = [message.topic for message in world.watcher.messages].index(TOPIC + "/event")
    ahead = [message for message in world.watcher.messages[:index] if message.topic == BATCH]
    expect(ahead, "the locations before it were overtaken")
    inside = [json.loads(text)["tst"] for _, text in expand(ahead)]
    expect(set(inside) & set(sent), "they are not in the batch ahead of it")


@claim("the program at the server is killed and stopped again and again: nothing is lost, nothing in other words", batchSeconds=2)
def killed(world):
    expander = Expander(world)
    expander.begin()
    world.start()
    feeder = world.feeding(world.drive(150))
    kills = 0
    while feeder.is_alive():
        time.sleep(0.7)
        kills += 1
        # In turn as by a fault and as systemd does.
        expander.kill() if kills % 2 else expander.stop()
        expander.begin()
    feeder.join()
    expect(kills >= 5, "killed %d times" % kills)
    world.wait_for_locations(feeder.sent)
    heard = {message.payload for message in world.watcher.messages if message.topic == TOPIC}
    times = [json.loads(payload)["tst"] for payload in heard if b'"location"' in payload]
    expect(len(times) == len(set(times)), "a location came in other words")


@claim("the broker restarts under all of them", batchSeconds=2)
def restart(world):
    expander = Expander(world)
    expander.begin()
    world.start()
    feeder = world.feeding(world.drive(80))
    time.sleep(2)
    world.broker.stop()
    time.sleep(2)
    world.broker.start()
    feeder.join()
    world.wait_for_locations(feeder.sent)


@claim("nobody takes batches apart, and the broker says so: locations go one by one", batchSeconds=2, mqttProtocolLevel=5)
def alone(world):
    # Who listens to everything would hear batches too, and so would the session that they leave behind.
    world.watcher.close()
    Subscriber(world.broker.port, ["nothing"], keeps_session=False).close()
    world.watcher = Subscriber(world.broker.port, [TOPIC], name="places")
    world._closing.append(world.watcher.close)
    world.start()
    sent = world.feed(world.drive(40))
    world.wait_for_locations(sent)
    expect("locations go one by one until the next connection" in world.tracker.log(), "not a word of it in the journal")


@claim("a batch that cannot be read is named, passed on, and does not stop the rest", batchSeconds=2)
def damaged(world):
    expander = Expander(world)
    expander.begin()
    world.watcher.publish(BATCH, b"\x07what is this")
    world.watcher.publish(BATCH, b"\x01\x00\x00nothing of ours")
    expect(in_the_end(lambda: [m for m in world.watcher.messages if m.topic == BATCH + "/refused"]), "not passed on")
    expect(in_the_end(lambda: expander.log().count("/refused") == 2), expander.log())
    expect("a batch of version 7, this program reads version 1" in expander.log(), expander.log())
    expect("damaged batch" in expander.log(), expander.log())
    world.start()
    sent = world.feed(world.drive(20))
    world.wait_for_locations(sent)


@claim("a pipe names the lines that it cannot read, and goes on", has_broker=False, has_gpsd=False)
def pipe(world):
    lines = "nothing\nowntracks/a/b 00\nowntracks/a/b/batch 0g\nowntracks/a/b/batch 01\n\n"
    done = subprocess.run([COMMAND_LINE, "unbatch", "--pipe"], input=lines, capture_output=True, text=True)
    expect(done.returncode == 1 and not done.stdout, done.stdout)
    said = done.stderr.splitlines()
    expect(said[0].startswith("line 1: no topic and hexadecimal digits"), said)
    expect(said[1] == "line 2: topic owntracks/a/b, expected .../batch", said)
    expect(said[2].startswith("line 3: no topic and hexadecimal digits"), said)
    expect(said[3] == "line 4: a damaged batch: its sum does not match", said)


@claim("without a broker's address, or with both ways, it says what it expects", has_broker=False, has_gpsd=False)
def usage(world):
    for words in ([], ["--pipe", "file.otrc"]):
        done = subprocess.run([COMMAND_LINE, "unbatch", *words], capture_output=True, text=True)
        expect(done.returncode == 2 and "expected either a FILE" in done.stderr, (words, done.stderr))


if __name__ == "__main__":
    main()
