"""SIGSTOP, for a while: on the tracker, which its watchdog must notice, on the broker and on gpsd."""
import random
import signal
import time

from systemd import Systemd
from trip import REGION, Trip
from waiting import in_the_end

WORLD = {"waypoints": REGION}
WATCHDOG = 1.5
# So often it has to say that it lives while another stands still: once may have been on its way.
SIGNS = 3


def run(world, times, seed):
    chance, begun = random.Random(seed), time.monotonic()
    systemd = Systemd(world, WATCHDOG)
    world.start(env=systemd.environment)
    # Each report is a second later than the one before: at 20 a second a stop would be a receiver that is a minute ahead.
    trip, problems, silences = Trip(world, hz=5.0), [], []
    trip.senses()
    for number in range(times):
        trip.watch(chance.uniform(1.2, 2.5))
        victim = (world.tracker, world.broker, world.gpsd)[number % 3]
        problems += _stop(trip, systemd, victim, chance.uniform(2.0, 4.0), silences)
    result = trip.finish("SIGSTOP", times=times, seed=seed)
    result["problems"] = problems + result["problems"]
    if not systemd.heard("READY=1", begun, time.monotonic()):
        result["problems"].append("it never said READY=1")
    return dict(result, seconds=round(time.monotonic() - begun), shortestStop=round(min(silences or [0.0]), 2))


def _stop(trip, systemd, victim, seconds, silences):
    is_tracker = victim is trip.tracker
    victim.process.send_signal(signal.SIGSTOP)
    since = time.monotonic()
    if is_tracker:
        return _stopped_itself(trip, systemd, seconds, silences)
    # Not released before the daemon has gone on to say that it lives: one that waits for the victim never does.
    is_alive = in_the_end(lambda: trip.step() or len(systemd.heard("WATCHDOG=1", since, time.monotonic())) >= SIGNS)
    trip.watch(max(0.0, since + seconds - time.monotonic()))
    until = time.monotonic()
    victim.process.send_signal(signal.SIGCONT)
    if victim is trip.world.gpsd:
        # What a receiver says to a gpsd that stands still is gpsd's to keep or to lose.
        trip.ledger.silences.append((since - 0.3, until + 1.0))
    return [] if is_alive else ["the daemon was silent while %s stood still" % victim.name]


def _stopped_itself(trip, systemd, seconds, silences):
    # What it said before is heard by then: the socket keeps the order.
    systemd.flush()
    said, since = len(systemd.said), time.monotonic()
    time.sleep(seconds)
    systemd.flush()
    silences.append(time.monotonic() - since)
    problems = []
    if [text for _, text in systemd.said[said:] if "WATCHDOG=1" in text]:
        problems.append("stopped, it went on to say that it lives")
    if silences[-1] < WATCHDOG:
        problems.append("its watchdog could not have noticed: %.1f s" % silences[-1])
    until = time.monotonic()
    trip.tracker.process.send_signal(signal.SIGCONT)
    if not in_the_end(lambda: systemd.heard("WATCHDOG=1", until, time.monotonic())):
        problems.append("continued, it says nothing any more")
    return problems
