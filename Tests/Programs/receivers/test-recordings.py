#!/usr/bin/env python3
# takes: 75 s
# behaviour: replay
"""A receiver's recording says the same live and in a replay: the demo's drive and gpsd's own recordings of real
receivers, through a real gpsd to the daemon, and through `homeward replay`.

    test-recordings.py [--all] [--only TEXT] [--jobs N] [--cache FOLDER]
"""
import argparse
import concurrent.futures
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from datetime import datetime

sys.path.insert(1, sys.path[0] + "/../world")
import receivers
from servers import Broker, Gpsd, free_port
from subscriber import Subscriber
from tracker import COMMAND_LINE, ROOT, Tracker, shim
from waiting import in_the_end

DEMO = os.path.join(ROOT, "board", "demo", "drive.nmea")
# Of every so manieth recording the beginning: text and binary, with errors of their own and without.
PART, BEGINNING = 5, 20_000
# So many times as fast as life, on clocks that run so too: a receiver is asked for its own word, and is waited for.
PACE = 10
# The bytes of a recording come evenly, its moments nearly so.
WIDEST_GAP = 20
# The wall clock is so far ahead, seconds: nearer a fix is late as one is whose receiver counts the leap seconds twice,
# and waits for the proof.
AHEAD = 25
# So many demos in one file.
LONG = 40
PLACES = [
    {"_type": "waypoint", "desc": "Home", "lat": 48.15400, "lon": 11.55000, "rad": 120, "tst": 1},
    {"_type": "waypoint", "desc": "Work", "lat": 48.13632, "lon": 11.58520, "rad": 150, "tst": 2},
]


class Stage:
    def __init__(self, folder):
        self.folder = folder
        self.broker = Broker(folder, extra="persistence false").start()
        self.watcher = Subscriber(self.broker.port, ["owntracks/#"])
        self.clock = shim("shifted_clock", folder)

    def close(self):
        self.watcher.close()
        self.broker.kill()


def said_of(payload):
    """What two messages have to share: neither when they were made nor what a desk does not have."""
    return {key: value for key, value in payload.items() if key not in ("created_at", "conn")}


def seconds(text):
    try:
        return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()
    except (AttributeError, ValueError):
        return None


def replayed(settings, path):
    """Topics and payloads in their order; a text where the replay failed."""
    done = subprocess.run([COMMAND_LINE, "replay", "--config", settings, path], capture_output=True, text=True,
                          timeout=60)
    if done.returncode != 0:
        return done.stderr.strip()
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return [(one["publish"]["topic"], said_of(one["publish"]["payload"])) for one in lines if "publish" in one]


def live(stage, tracker, gpsd, data, moments, base):
    """The same of the daemon, or a text."""
    begin, end = moments
    listener = receivers.Listener(gpsd.port)
    listener.start()
    try:
        ears = lambda: [(m.topic, said_of(m.json())) for m in list(stage.watcher.messages)
                        if (m.topic + "/").startswith(base + "/") and not m.is_retained and m.json()]
        in_the_end(lambda: (tracker.status() or {}).get("gps", {}).get("reached"))
        so_far = lambda part: set_clock(tracker, begin + (end - begin) * part)
        if not receivers.play(gpsd, data, 120, (end - begin) / PACE, so_far):
            return "gpsd did not read all of it"
        if not tracker.is_drained():
            return "messages still wait"
        return [message for message in ears() if message[1].get("_type") != "lwt"]
    finally:
        listener.close()


def set_clock(tracker, moment):
    """The kernel's clock, synchronised."""
    with open(tracker.clock_file, "r+b") as file:
        file.write(struct.pack("qq", int(moment + AHEAD - time.time()) if moment else 0, 1))


def compare(stage, name, data, displacement=0):
    """One recording both ways: (positions, what differs or None), or None where nothing can be compared."""
    folder = tempfile.mkdtemp(prefix="hw-recording-")
    path = os.path.join(folder, name + ".log")
    with open(path, "wb") as file:
        file.write(data)
    device = re.sub("[/+#]", "-", name)
    base = "owntracks/ute/" + device
    gpsd = Gpsd(folder, free_port())
    tracker = Tracker(folder, gpsd.port, stage.broker.port, deviceId=device, pubTopicBase=base, sub=False,
                      waypoints=PLACES, locatorDisplacement=displacement)
    tracker.clock_file = os.path.join(folder, "clock")
    with open(tracker.clock_file, "wb") as file:
        file.write(bytes(16))
    try:
        found = begin_and_end(folder, data)
        if not found:
            return None
        *moments, is_taken_back = found
        set_clock(tracker, moments[0])
        expected = replayed(tracker.configuration, path)
        gpsd.start()
        tracker.hurry(PACE)
        tracker.start(env={"LD_PRELOAD": stage.clock, "CLOCK_FILE": tracker.clock_file})
        heard = live(stage, tracker, gpsd, data, moments, base)
        differs = difference(heard, expected)
        # A replay hears no gpsd that takes a position back.
        return None if differs and is_taken_back else (len(heard), differs)
    finally:
        tracker.kill()
        gpsd.close()
        shutil.rmtree(folder, True)


def begin_and_end(folder, data):
    """The recording's first and last moment, and whether gpsd takes a position back; none where its times are no
    drive's."""
    gpsd = Gpsd(folder, free_port()).start()
    try:
        listener = receivers.Listener(gpsd.port)
        listener.start()
        receivers.play(gpsd, data, 60)
        times = [seconds(when) for when in receivers.fixes(listener.said)]
        is_taken_back = receivers.takes_back(listener.said)
        listener.close()
    finally:
        gpsd.close()
    times = [when for when in times if when]
    if len(times) < 4 or any(not 0 <= b - a <= WIDEST_GAP for a, b in zip(times, times[1:])):
        return None
    return times[0], times[-1], is_taken_back


def difference(heard, expected):
    if isinstance(expected, str) or isinstance(heard, str):
        return "live: %s; replay: %s" % (heard if isinstance(heard, str) else "%d messages" % len(heard),
                                         expected if isinstance(expected, str) else "%d" % len(expected))
    for topic in sorted({topic for topic, _ in heard + expected}):
        one = [message for where, message in heard if where == topic]
        other = [message for where, message in expected if where == topic]
        for left, right in zip(one, other):
            if left != right:
                keys = [key for key in left.keys() | right.keys() if left.get(key) != right.get(key)]
                return "; ".join("%s live %s, replay %s" % (key, left.get(key), right.get(key))
                                 for key in sorted(keys)) + " at %s" % left.get("tst")
        if len(one) != len(other):
            return "%d messages on %s, %d in the replay" % (len(one), topic, len(other))
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", default="", help="all of the recordings with this in their name")
    parser.add_argument("--all", action="store_true", help="the beginning of every recording")
    parser.add_argument("--jobs", type=int, default=6)
    parser.add_argument("--cache", default=os.path.expanduser("~/.cache/homeward-receivers"))
    options = parser.parse_args()
    with open(DEMO, "rb") as file:
        demo = file.read()
    found = receivers.recordings(options.cache)
    if isinstance(found, str):
        print("# gpsd's recordings are not to be had (%s)" % found)
        found = []
    chosen = found if options.all or options.only else found[::PART]
    drives = [("demo", demo, 0), ("demo-of-200-m", demo, 200)]
    drives = [one for one in drives + [(name, data[:BEGINNING], 0) for name, data in chosen]
              if options.only in one[0]]
    folder = tempfile.mkdtemp(prefix="hw-")
    stage = Stage(folder)
    try:
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            results = list(pool.map(lambda one: compare(stage, *one), drives))
    finally:
        stage.close()
        shutil.rmtree(folder, True)
    return report(drives, results) or long_one(demo)


def long_one(data):
    """Hours at once: gpsd lets those go who do not keep up with what it says of them."""
    with tempfile.NamedTemporaryFile(suffix=".nmea") as file:
        file.write(data * LONG)
        file.flush()
        done = subprocess.run([COMMAND_LINE, "replay", "--set", "username=u", "--set", "monitoring=2", file.name],
                              capture_output=True, text=True, timeout=120)
    is_good = done.returncode == 0 and not done.stderr and '"state"' in done.stdout
    print("%s recordings: %d MB are read to their end%s" % (
        "ok" if is_good else "not ok", len(data) * LONG >> 20, "" if is_good else ": " + done.stderr.strip()))
    return 0 if is_good else 1


def report(drives, results):
    wrong, positions, compared = 0, 0, 0
    for (name, _, _), result in zip(drives, results):
        if result is None:
            continue
        compared += 1
        positions += result[0]
        if result[1]:
            wrong += 1
            print("not ok recordings: %s: %s" % (name, result[1]))
    if compared < 2 or positions < 500:
        print("not ok recordings: %d messages of %d recordings show little" % (positions, compared))
        return 1
    print("%s recordings: %d of %d say the same live and in a replay, %d messages" % (
        "#" if wrong else "ok", compared - wrong, compared, positions))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
