"""What one program costs in one world: each function makes its own world and gives back numbers.

A program is the text of a command with {config}, {gpsd}, {mqtt} and {topic} left open.
"""
import contextlib
import os
import socket
import sqlite3
import statistics
import struct
import sys
import threading
import time
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Programs/world"))
from nmea import degrees  # noqa: E402
from servers import free_port, poll  # noqa: E402
from tracker import TOPIC, effort, effort_over, memory  # noqa: E402
from world import World  # noqa: E402


class Costs(World):
    """A world with the program in place of the daemon."""

    def __init__(self, program, **settings):
        super().__init__(**settings)
        self.tracker.instead = program.replace("{config}", self.tracker.configuration)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def idle(program, seconds):
    """gpsd is up and silent, the broker is connected, and the first minute is over, in which gpsd is asked again."""
    with Costs(program) as world:
        world.tracker.start()
        poll(lambda: world.broker.log().count("New client connected") >= 2, 10)
        time.sleep(75)
        cpu, sleeps = effort_over(world.tracker.pid, seconds)
        sizes = memory(world.tracker.pid)
        return {
            "private dirty, idle, kB": sizes["Private_Dirty"], "RSS, idle, kB": sizes["Rss"],
            "threads": world.tracker.threads(), "wake-ups a second, gpsd silent": sleeps,
            "CPU, gpsd silent, ms/s": cpu * 1000,
        }


def at_one_hertz(program, seconds):
    with Costs(program) as world:
        world.clock = int(time.time())
        world.start()
        feeder = world.feeding(world.drive(seconds + 3), hz=1)
        time.sleep(2)
        _, sleeps = effort_over(world.tracker.pid, seconds)
        feeder.join()
        world.wait_for_locations(feeder.sent)
        delays = latencies(world, feeder.sent)
        return {
            "wake-ups a second, 1 Hz": sleeps,
            "latency NMEA to subscriber, median, ms": statistics.median(delays),
            "latency NMEA to subscriber, p95, ms": delays[int(len(delays) * 0.95)],
        }


def per_fix(programs, turns, fixes=100, hz=20, title="", settings=None):
    """CPU of each program's fixes at `hz`, memory after them: row -> program -> a value for each turn.

    All of them stand beside each other, and `fixes` go to one after the other: what else this machine does
    meanwhile strikes all alike, which whole runs, one after the other, left to chance. `settings`: of each.
    """
    cpu, private = "CPU a 1000 fixes%s, ms" % title, "private dirty after %d fixes, kB" % (turns * fixes)
    rows = {cpu: {}, private: {}}
    with contextlib.ExitStack() as stack:
        worlds = {}
        for name, command in programs.items():
            costs = Costs(command, seconds=turns * fixes + 300, **(settings or {}).get(name, {}))
            worlds[name] = stack.enter_context(costs)
            worlds[name].start()
        for turn in range(turns):
            # The other way round every second time: nobody always comes after the same one.
            for name in sorted(worlds, reverse=turn % 2 == 1):
                rows[cpu].setdefault(name, []).append(_spent(worlds[name], fixes, hz) * 1e6 / fixes)
        for name, world in worlds.items():
            rows[private][name] = [memory(world.tracker.pid)["Private_Dirty"]]
    return rows


def _spent(world, fixes, hz):
    """CPU seconds until the last of this many fixes has come to the broker and its answer back."""
    before, _ = effort(world.tracker.pid)
    world.wait_for_locations(world.feed(world.drive(fixes), hz), seconds=60)
    time.sleep(0.2)
    return effort(world.tracker.pid)[0] - before


def per_fix_each_second(programs, turns, fixes=40):
    """As `per_fix`, with one fix a second to all of them at once: between two of its own each program is forgotten
    by the caches, as on a board. Memory as the device has it: kept, shared and the most that there was."""
    rows = {"CPU a 1000 fixes, one a second, ms": {}, "RSS, one fix a second, kB": {}, "peak RSS, kB": {}}
    spent = rows["CPU a 1000 fixes, one a second, ms"]
    with contextlib.ExitStack() as stack:
        worlds = {name: stack.enter_context(Costs(command, seconds=(turns + 1) * fixes + 300))
                  for name, command in programs.items()}
        for world in worlds.values():
            world.start()
            _spent(world, 20, 10)

        def feed(name, late):
            time.sleep(late)
            spent.setdefault(name, []).append(_spent(worlds[name], fixes, 1) * 1e6 / fixes)

        for _ in range(turns):
            # Each at a part of the second of its own.
            feeders = [threading.Thread(target=feed, args=(name, place / len(worlds)))
                       for place, name in enumerate(worlds)]
            for feeder in feeders:
                feeder.start()
            for feeder in feeders:
                feeder.join()
        for name, world in worlds.items():
            rows["RSS, one fix a second, kB"][name] = [memory(world.tracker.pid)["Rss"]]
            rows["peak RSS, kB"][name] = [_peak_of(world.tracker.pid)]
    missing = [name for name in programs if len(spent.get(name, [])) < turns]
    if missing:
        raise RuntimeError("not every fix of %s came to the broker" % " and ".join(missing))
    return rows


def _peak_of(pid):
    with open("/proc/%d/status" % pid) as file:
        return int(next(line for line in file if line.startswith("VmHWM:")).split()[1])


def per_fix_heard(programs, turns):
    """As `per_fix`, where the baseline too subscribes as the apps do: its own messages come back to it."""
    title = ", both hear their own"
    hearing = {name: command.replace("{topic}", "{topic} owntracks/+/+") for name, command in programs.items()}
    rows = per_fix(hearing, turns, title=title)
    return {row: values for row, values in rows.items() if title in row}


def per_fix_among(command, turns):
    """What a fix costs among many regions beside what it costs among few."""
    regional = {"few": {"waypoints": regions(10)}, "many": {"waypoints": regions(1000)}}
    spent = per_fix({"few": command, "many": command}, turns, settings=regional)["CPU a 1000 fixes, ms"]
    middle = {name: statistics.median(values) for name, values in spent.items()}
    return {"CPU a 1000 fixes with 10 regions, ms": middle["few"],
            "CPU a 1000 fixes with 1,000 regions, ms": middle["many"],
            "cost of 1,000 regions, times that of 10": middle["many"] / middle["few"]}


def positions(world):
    """The messages that hold one, as they were published; the will comes on the same topic."""
    return [message for message in world.watcher.messages
            if message.topic == TOPIC and not message.is_retained
            and (message.json() or {}).get("_type") == "location"]


def latencies(world, sent):
    """Milliseconds, sorted."""
    return sorted(
        (message.arrived - sent[message.json()["tst"]]) * 1000
        for message in positions(world) if message.json()["tst"] in sent
    )


def start_up(program, times):
    """Milliseconds from exec to the packet that CONNACK answers: the best of `times`, this machine being
    shared. A listener of our own stands in for the broker."""
    found = []
    for _ in range(times):
        with Costs(program, has_broker=False) as world, socket.socket() as listener:
            port = free_port()
            listener.bind(("127.0.0.1", port))
            listener.listen(1)
            listener.settimeout(10)
            world.tracker.configure(port=port)
            start = time.monotonic()
            world.tracker.start()
            near, _ = listener.accept()
            near.recv(1000)
            found.append((time.monotonic() - start) * 1000)
            near.sendall(b"\x20\x02\0\0")
            near.close()
    return {"start to CONNACK, best of %d, ms" % times: min(found)}


def regions(count):
    """Small circles far from the drive. Unshared: ten thousand waypoints to tell would be in the way."""
    found = []
    for number in range(count):
        place = degrees((2000.0 + 300 * (number % 100), 300.0 * (number // 100)))
        found.append({"_type": "waypoint", "desc": "R%d" % number, "lat": place[0], "lon": place[1],
                      "rad": 100, "tst": 1600000000 + number, "share": False})
    return found


def drain(program, fixes, delay=0.15):
    """Messages a second at a round trip of 2 x delay, from the first arrival to the last. The broker takes as many at
    once as the tracker gives: with MQTT 5 mosquitto takes 20 unless it is told otherwise."""
    with Costs(program, has_proxy=True, seconds=fixes + 300, broker="max_inflight_messages 1000") as world:
        world.proxy.delay = delay
        world.start()
        world.proxy.cut("refuse")
        time.sleep(0.5)
        sent = world.feed(world.drive(fixes), hz=50)
        seen = len(world.locations())
        world.proxy.restore()
        world.wait_for_locations(sent, seconds=120)
        arrived = [message.arrived for message in positions(world)][seen:]
        return {"drain at %d ms round trip, messages/s" % (delay * 2000):
                (len(arrived) - 1) / (arrived[-1] - arrived[0])}


def million(program, count):
    """Seconds from exec to the first publish, and kilobytes more than with an empty queue."""
    with Costs(program, queueLimit=2 * count, queueLimitMegabytes=1000) as world:
        world.start()
        empty = _peak_of(world.tracker.pid)
        world.broker.stop()
        world.feed(world.stand(8))
        time.sleep(2)
        world.tracker.stop()
        multiply(os.path.join(world.tracker.state, "store.sqlite"), count)
        # Counting anew what was put there by hand is no part of an ordinary start.
        world.tracker.start()
        world.tracker.wait_for_status(lambda status: status["queue"]["count"] > count, 60)
        world.tracker.stop(seconds=60)
        world.broker.start()
        world.watcher.is_subscribed.wait(5)
        return _start_with_queue(world, count, empty)


def _start_with_queue(world, count, empty):
    seen, start = len(positions(world)), time.monotonic()
    world.tracker.start()
    world.watcher.wait(lambda _: len(positions(world)) > seen, 60)
    first = time.monotonic() - start
    time.sleep(10)
    return {"first publish with %d queued, s" % count: first,
            "peak RSS more with %d queued, kB" % count: _peak_of(world.tracker.pid) - empty}


def multiply(path, count):
    """Repeats the newest waiting message of a stopped daemon `count` times. A record is 12 bytes of
    header, the CRC-32 of all but itself, then its number; the counters of all records are made anew."""
    store = sqlite3.connect(path)
    number, record = store.execute("SELECT sequence, record FROM message ORDER BY 1 DESC LIMIT 1").fetchone()
    head, rest = record[:12], record[24:]
    seed = zlib.crc32(head)

    def copies():
        for copy in range(number + 1, number + count + 1):
            body = struct.pack("<Q", copy) + rest
            yield copy, head + struct.pack("<I", zlib.crc32(body, seed)) + body

    store.executemany("INSERT INTO message VALUES (?, ?)", copies())
    counters, = (kind for kind, found in store.execute("SELECT kind, record FROM state") if found[2] == COUNTERS)
    store.execute("DELETE FROM state WHERE kind = ?", (counters,))
    store.commit()
    store.close()


# The kind of the record that counts the others.
COUNTERS = 12
