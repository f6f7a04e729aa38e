"""SIGSTOP, for a while: on the tracker, which its watchdog must notice, on the broker and on gpsd."""
import random
import signal
import time

from systemd import Systemd
from trip import REGION, Trip

WORLD = {"waypoints": REGION}
WATCHDOG = 1.5
# It pets in time and to spare: a third of it, and what a busy machine takes.
MOST_SILENCE = 1.2


def run(world, times, seed):
    chance, begun = random.Random(seed), time.monotonic()
    systemd = Systemd(world, WATCHDOG)
    world.start(env=systemd.environment)
    trip, problems, silences = Trip(world), [], []
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
        time.sleep(seconds)
    else:
        trip.watch(seconds)
    until = time.monotonic()
    victim.process.send_signal(signal.SIGCONT)
    silence = systemd.longest_silence(since, until)
    if victim is trip.world.gpsd:
        # What a receiver says to a gpsd that stands still is gpsd's to keep or to lose.
        trip.ledger.silences.append((since - 0.3, until + 1.0))
    if not is_tracker:
        return ["the daemon was silent for %.1f s while %s stood still" % (silence, victim.name)
                ] if silence > MOST_SILENCE else []
    silences.append(silence)
    problems = []
    if systemd.heard("WATCHDOG=1", since + 0.1, until):
        problems.append("stopped, it went on to say that it lives")
    if silence < WATCHDOG:
        problems.append("its watchdog could not have noticed: %.1f s" % silence)
    end = time.monotonic() + 5
    while not systemd.heard("WATCHDOG=1", until, end) and time.monotonic() < end:
        time.sleep(0.02)
    if not systemd.heard("WATCHDOG=1", until, until + MOST_SILENCE):
        problems.append("continued, it said nothing for %.1f s" % MOST_SILENCE)
    return problems
