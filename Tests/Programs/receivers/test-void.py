#!/usr/bin/env python3
# takes: 20 s
# behaviour: A place that is only repeated
"""A receiver that says that it has no fix and repeats its last place is in a tunnel, whatever gpsd makes of it; one
that says that it has one and holds its place is parked. Through a real gpsd, in a replay and live.

    test-void.py [TEXT]     those with this in their name
"""
import concurrent.futures
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(1, sys.path[0] + "/../world")
from servers import Broker, Gpsd, free_port
from subscriber import Subscriber
from tracker import COMMAND_LINE, TOPIC, Tracker
from void import BEFORE, BEHIND, INSIDE, ORDERS, Marks, tunnel, u_blox
from waiting import in_the_end

# Of replays: no clock knows better.
START = 1_782_892_800
# gpsd needs a second to know that a receiver is back; 3.22 another one, until it has seen the last sentence of it.
LATEST = 3
# So many times as fast as life, on a clock that runs so too.
PACE = 10
VOID = {
    "all": Marks(), "old": Marks(old=True), "in the mode letter": Marks(mode=True), "GN": Marks(talker="GN"),
    **{"only " + name: Marks(only=(name,)) for name in ("RMC", "GGA", "GSA", "GLL")},
    **{"without " + name: Marks(without=(name,)) for name in ("RMC", "GGA", "GSA", "GLL")},
}
WORDS = ["--set", "username=u", "--set", "monitoring=2", "--set", "locatorInterval=5", "--set",
         "locatorDisplacement=50"]


def streams():
    """(name, bytes of each second, whether it has a fix all the time) as functions of the first second."""
    for name, order in ORDERS.items():
        names = order.split()
        for kind, marks in VOID.items():
            word = kind.split()[-1]
            if word.isupper() and len(word) == 3 and word not in names:
                continue
            if kind.startswith("without") and set(names) & {"RMC", "GGA", "GSA", "GLL"} == {word}:
                continue
            if kind in ("in the mode letter", "GN") and "RMC" not in names:
                continue
            yield "%s, %s" % (name, kind), lambda start, order=order, marks=marks: tunnel(order, marks, start), False
        yield "%s, held" % name, lambda start, order=order: tunnel(order, Marks(holds=True), start), True
    yield "NAV-PVT", u_blox, False
    yield "NAV-PVT, held", lambda start: u_blox(start, holds=True), True


def replayed(data):
    """The locations of a replay."""
    with tempfile.NamedTemporaryFile(suffix=".log") as file:
        file.write(data)
        file.flush()
        done = subprocess.run([COMMAND_LINE, "replay", *WORDS, "--json", file.name], capture_output=True, text=True,
                              timeout=120)
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line).get("publish", {}).get("payload", {}) for line in done.stdout.splitlines()]
    return [one for one in lines if one.get("_type") == "location"]


def fault(locations, start, is_held):
    """What is wrong with what was told of a tunnel, or of a stop as long; None: nothing."""
    # No two have one time, so that the loss may have the second behind the last fix, which was told already.
    lost = [one for one in locations if one.get("created_at", 0) - one["tst"] >= 15]
    times = [one["tst"] - start for one in locations if is_held or one not in lost]
    inside = [second for second in times if BEFORE <= second < BEFORE + INSIDE]
    behind = [second for second in times if second >= BEFORE + INSIDE]
    if not [second for second in times if second < BEFORE]:
        return "nothing is told before"
    if not behind or behind[0] > BEFORE + INSIDE + LATEST:
        return "it is back %s s late" % (behind[0] - BEFORE - INSIDE if behind else "too many")
    if is_held:
        # 5 s apart, and once for the word of the receiver.
        return None if len(inside) >= INSIDE // 5 - 3 else "parked, and told only at %s" % inside
    if inside:
        return "void, and told at %s" % inside
    if len(lost) != 1 or not BEFORE - 3 <= lost[0]["tst"] - start <= BEFORE:
        return "the loss is told %d times: %s" % (len(lost), lost)
    return None


def live(stage, name, make, is_held):
    """The same of a daemon with a gpsd of its own."""
    folder, start = tempfile.mkdtemp(prefix="hw-void-"), int(time.time()) - 200
    topic = TOPIC + "-" + name.replace(" ", "-").replace(",", "")
    gpsd = Gpsd(folder, free_port()).start()
    # Several boards at one broker.
    tracker = Tracker(folder, gpsd.port, stage["broker"].port, clientId="void%d" % gpsd.port, pubTopicBase=topic,
                      sub=False, locatorInterval=5, locatorDisplacement=50)
    tracker.hurry(PACE)
    try:
        tracker.start()
        assert in_the_end(lambda: (tracker.status() or {}).get("gps", {}).get("reached")), "gpsd is not reached"
        modes = play(gpsd, tracker, list(make(start)))
        assert tracker.is_drained(), "messages still wait"
        heard = [m.json() for m in list(stage["watcher"].messages) if m.topic == topic and not m.is_retained]
        told = [one for one in heard if one and one.get("_type") == "location"]
        if not is_held and 1 not in modes:
            return "status never says that there is no fix: %s" % modes
        return fault(told, start, is_held)
    finally:
        tracker.kill()
        gpsd.close()
        shutil.rmtree(folder, True)


def play(gpsd, tracker, bursts):
    """What status has said of the receiver's mode meanwhile, in the tunnel."""
    time.sleep(1.5)  # gpsd tries speeds and drivers
    modes = set()
    for second, burst in enumerate(bursts):
        time.sleep(1 / PACE)
        gpsd.write(burst)
        if BEFORE + INSIDE // 2 <= second < BEFORE + INSIDE and second % 5 == 0:
            modes.add((tracker.status() or {}).get("gps", {}).get("mode"))
    time.sleep(1)
    return modes


def report(kind, results):
    wrong = [(name, why) for name, why in results if why]
    for name, why in wrong:
        print("not ok void: %s: %s: %s" % (kind, name, why))
    print("%s void: %s: %d of %d receivers" % ("#" if wrong else "ok", kind, len(results) - len(wrong), len(results)))
    return not wrong


def attempt(check, *arguments):
    try:
        return check(*arguments)
    except AssertionError as error:
        return str(error) or "failed"


def main():
    chosen = [one for one in streams() if not sys.argv[1:] or sys.argv[1] in one[0]]
    replay = lambda make, is_held: fault(replayed(b"".join(make(START))), START, is_held)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda one: (one[0], attempt(replay, one[1], one[2])), chosen))
    is_well = report("replay", results)
    # One of each kind that gpsd tells in another way.
    names = ("gga-gsa-rmc, all", "rmc-gga-gsa, only GSA", "gga-zda, all", "gga-gsa-zda, all", "gga-gsa-rmc, held",
             "gga-zda, held", "NAV-PVT", "NAV-PVT, held")
    folder = tempfile.mkdtemp(prefix="hw-void-")
    broker = Broker(folder, extra="persistence false").start()
    stage = {"broker": broker, "watcher": Subscriber(broker.port, [TOPIC.rsplit("/", 1)[0] + "/#"])}
    try:
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            some = [one for one in chosen if one[0] in names]
            results = list(pool.map(lambda one: (one[0], attempt(live, stage, *one)), some))
    finally:
        stage["watcher"].close()
        broker.kill()
        shutil.rmtree(folder, True)
    return 0 if report("live", results) and is_well else 1


if __name__ == "__main__":
    sys.exit(main())
