#!/usr/bin/env python3
# takes: 90 s
# behaviour: From a receiver's report to a fix
# behaviour: Clock
"""gpsd's own recordings of real receivers, played through a real gpsd, the daemon and a real broker.

    test-receivers.py [--all] [--only TEXT] [--jobs N] [--cache FOLDER] [--raw FILE]

Each recording gets a gpsd and a daemon of its own. What arrives at the broker must be absurd nowhere: on
Earth and not at 0/0, with an accuracy, at a time that can be; and the daemon must live until it is told to
end, and then end well. Then all that gpsd has said of them goes to one daemon without a clock, in several orders: a
healthy receiver after them is told, with its time. Without --all: a part of the recordings, and of a long
one its beginning.
--raw keeps what gpsd said, for the adapter's own test (HOMEWARD_GPSD_LINES).
"""
import argparse
import concurrent.futures
import json
import math
import os
import queue
import random
import re
import shutil
import socket
import sys
import tempfile
import time

sys.path.insert(1, sys.path[0] + "/../world")
import receivers
from servers import Broker, Gpsd, free_port
from subscriber import Subscriber
from tracker import DAEMON, Tracker, shim
from waiting import in_the_end

DAY = 86_400
# Without a clock of its own the daemon takes a date up to two years after it was written: see ReceiverCalendar.
BUILT, LIFETIME = 1_793_491_200, 2 * 366 * DAY
ORDERS = 4
TOLERANCE = 300 + 60  # with a clock; and a minute until the message was judged
LONGEST = 60  # seconds to play one recording
# Without --all: one recording in a few, and the beginning of it.
PART, BEGINNING = 2, 40_000
CLOCKS = ("unsynchronised", "synchronised")


class Stage:
    """What all recordings share: the broker, who listens there, ports, the clock to preload."""

    def __init__(self, folder, jobs):
        self.folder = folder
        # Hundreds of sessions that nobody comes back to: to save all of them at every change takes seconds.
        self.broker = Broker(folder, extra="persistence false\nmax_queued_messages 1000").start()
        self.watcher = Subscriber(self.broker.port, ["owntracks/#"])
        self.ports = queue.Queue()
        for _ in range(jobs):
            self.ports.put(free_port())
        self.clock = shim("kernel_clock", folder)

    def close(self):
        self.watcher.close()
        self.broker.kill()


class Result:
    def __init__(self, name, clock):
        self.name, self.clock = name, clock
        self.faults, self.positions, self.said = [], [], b""


def run(stage, name, data, clock):
    """One recording to one daemon, whose kernel says this of its clock."""
    result = Result(name, clock)
    folder = tempfile.mkdtemp(prefix="hw-receiver-")
    port = stage.ports.get()
    device = re.sub("[/+#]", "-", name)
    topic = "owntracks/%s/%s" % (clock, device)
    gpsd = Gpsd(folder, port)
    tracker = Tracker(
        folder, port, stage.broker.port, username=clock, deviceId=device, pubTopicBase=topic, sub=False)
    listener = None
    try:
        gpsd.start()
        listener = receivers.Listener(port)
        listener.start()
        tracker.start(env={"LD_PRELOAD": stage.clock, "CLOCK_IS": clock})
        in_the_end(lambda: status(tracker).get("gps", {}).get("reached"))
        if not receivers.play(gpsd, data, LONGEST):
            result.faults.append("gpsd did not read all of it within %d s" % LONGEST)
        result.faults += ending(tracker)
        heard = [m for m in list(stage.watcher.messages) if m.topic == topic and not m.is_retained]
        result.positions = [m.json() for m in heard if m.json() and m.json().get("_type") == "location"]
        result.said = listener.said
    finally:
        if listener:
            listener.close()
        tracker.kill()
        gpsd.close()
        stage.ports.put(port)
        shutil.rmtree(folder, True)
    for position in result.positions:
        result.faults += ["%s: %s" % (fault, json.dumps(position)) for fault in absurdities(position, clock)]
    return result


def together(stage, recordings, number):
    """What is wrong with one daemon that hears all of them in the order of this number, and then a healthy receiver."""
    recordings = list(recordings)
    if number == 1:
        recordings.reverse()
    elif number > 1:
        random.Random(number).shuffle(recordings)
    folder = tempfile.mkdtemp(prefix="hw-receiver-")
    port = stage.ports.get()
    name = "together%d" % number
    relay = receivers.Relay(port, recordings)
    tracker = Tracker(
        folder, port, stage.broker.port, username=name, deviceId="one", pubTopicBase="owntracks/" + name,
        sub=False, monitoring=2, locatorDisplacement=10)
    told = lambda: [m.json() for m in list(stage.watcher.messages)
                    if m.topic == "owntracks/" + name and not m.is_retained and m.json().get("_type") == "location"]
    try:
        tracker.start(env={"LD_PRELOAD": stage.clock, "CLOCK_IS": CLOCKS[0]})
        if not in_the_end(lambda: relay.healthy, seconds=240):
            return ["not all of it was read within 240 s"], 0
        is_right = lambda: any(abs(m["tst"] - time.time()) < 60 and abs(m["lat"] - 48.2) < 0.1 for m in told())
        faults = [] if in_the_end(is_right) else [
            "a healthy receiver, and nothing of it is told; %s" % why(tracker)]
        faults += ["an impossible time: %s" % m for m in told() if not BUILT <= m["tst"] <= BUILT + LIFETIME][:1]
        times = [m["tst"] for m in told()]
        if len(set(times)) != len(times):
            faults.append("%d locations share their times" % (len(times) - len(set(times))))
        return faults + list(ending(tracker)), len(times)
    finally:
        tracker.kill()
        relay.close()
        stage.ports.put(port)
        shutil.rmtree(folder, True)


def why(tracker):
    """The last reasons of a daemon."""
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(60)
        line.connect(tracker.socket)
        line.sendall(b'["why"]\n')
        return line.makefile().readline()[-400:]


def report_together(stage, results, jobs):
    """Prints what became of all of them in one daemon; whether all is well."""
    said = [one.said for one in results if one.clock == CLOCKS[0] and one.said]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        found = list(pool.map(lambda number: together(stage, said, number), range(ORDERS)))
    for number, (faults, _) in enumerate(found):
        for fault in faults:
            print("not ok receivers: %d recordings to one daemon, order %d: %s" % (len(said), number, fault))
    good = sum(1 for faults, _ in found if not faults)
    print("%s receivers: %d recordings to one daemon, a healthy receiver is told afterwards: %d of %d "
          "orders, %d positions" % ("ok" if good == ORDERS else "#", len(said), good, ORDERS,
                                    sum(count for _, count in found)))
    return good == ORDERS


def status(tracker):
    """As `homeward status` gets it; {} while nobody answers."""
    try:
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(60)
            line.connect(tracker.socket)
            line.sendall(b'["status"]\n')
            return json.loads(line.makefile().readline()).get("status", {})
    except (OSError, ValueError):
        return {}


def ending(tracker):
    """What is wrong with how the daemon comes to its end."""
    if not in_the_end(lambda: status(tracker).get("queue", {}).get("count") == 0 or not tracker.is_alive()):
        yield "messages still wait"
    time.sleep(0.1)  # what the broker has confirmed is on its way to us
    if not tracker.is_alive():
        yield "the daemon ended by itself with %d: %s" % (tracker.process.returncode, tracker.log()[-300:])
        return
    ended = tracker.stop()
    if ended != 0:
        yield "told to end, the daemon ended with %s" % ended


def absurdities(position, clock):
    lat, lon, acc, tst = (position.get(key) for key in ("lat", "lon", "acc", "tst"))
    is_number = lambda value: isinstance(value, (int, float)) and math.isfinite(value)
    if not (is_number(lat) and is_number(lon) and abs(lat) <= 90 and abs(lon) <= 180):
        yield "no place on Earth"
    elif lat == 0 and lon == 0:
        yield "the place 0/0"
    if not (is_number(acc) and acc > 0):
        yield "no accuracy"
    if not isinstance(tst, int):
        yield "no time"
    elif clock == "synchronised" and abs(tst - time.time()) > TOLERANCE:
        yield "a time %d days off, with a clock" % ((tst - time.time()) / DAY)
    elif not BUILT <= tst <= BUILT + LIFETIME:
        yield "an impossible time"


def selected(recordings, options):
    found = [one for one in recordings if options.only in one[0]]
    if options.all or options.only:
        return found
    return [(name, data[:BEGINNING]) for name, data in found[::PART]]


def report(results, clock):
    """Prints what became of the recordings under one kind of clock; whether all is well."""
    results = [one for one in results if one.clock == clock]
    for one in results:
        if one.faults:
            print("not ok receivers: %s, clock %s: %s (%d faults)" % (
                one.name, clock, one.faults[0], len(one.faults)))
    good = [one for one in results if not one.faults]
    positions = [position for one in results for position in one.positions]
    given = sum(1 for one in results if one.positions)
    known = sum(1 for one in results if receivers.fixes(one.said))
    if known < len(results) / 2 or (clock == CLOCKS[0] and given == 0):
        print("not ok receivers: gpsd knew a place in %d of %d recordings, of %d came positions: this shows "
              "little" % (known, len(results), given))
        return False
    mark = "ok" if len(good) == len(results) else "#"
    sums = (mark, len(good), len(results), clock, known, given, len(positions))
    print("%s receivers: %d of %d recordings, clock %s: no crash, nothing absurd; gpsd knew a place in %d, "
          "of %d came %d positions" % sums)
    tomorrow = time.time() + DAY
    future = [p["tst"] for p in positions if isinstance(p["tst"], int) and p["tst"] > tomorrow]
    if future:
        print("# %d of them are in the future, up to %s: old dates moved on by 1024 weeks (%d by gpsd), "
              "and no clock knew better" % (len(future), day(max(future)), said_so(results, tomorrow)))
    return len(good) == len(results)


def said_so(results, moment):
    """How many of the positions after this moment carry gpsd's own date."""
    count = 0
    for one in results:
        days = {when[:10] for when in receivers.fixes(one.said) if when}
        count += sum(1 for p in one.positions if p["tst"] > moment and day(p["tst"]) in days)
    return count


def day(tst):
    return time.strftime("%Y-%m-%d", time.gmtime(tst))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--all", action="store_true", help="every recording to its end")
    parser.add_argument("--only", default="", help="all of the recordings with this in their name")
    parser.add_argument("--jobs", type=int, default=6, help="how many at once (most of it is waiting)")
    parser.add_argument("--cache", default=os.path.expanduser("~/.cache/homeward-receivers"))
    parser.add_argument("--raw", help="keep what gpsd said in this file")
    options = parser.parse_args()
    found = receivers.recordings(options.cache)
    if isinstance(found, str):
        print("skip receivers: gpsd's recordings are not to be had (%s)" % found)
        return 0
    if not os.access(DAEMON, os.X_OK):
        print("not ok receivers: %s is not built" % DAEMON)
        return 1
    found = selected(found, options)
    folder = tempfile.mkdtemp(prefix="hw-")
    stage = Stage(folder, options.jobs)
    try:
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            work = [(name, data, clock) for clock in CLOCKS for name, data in found]
            results = list(pool.map(lambda one: run(stage, *one), work))
        is_well = report_together(stage, results, options.jobs)
    finally:
        stage.close()
        shutil.rmtree(folder, True)
    if options.raw:
        with open(options.raw, "wb") as file:
            file.writelines(b"#" + one.name.encode() + b"\n" + one.said for one in results)
    return 0 if all([report(results, clock) for clock in CLOCKS] + [is_well]) else 1


if __name__ == "__main__":
    sys.exit(main())
