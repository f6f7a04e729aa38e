"""Hours of real time at one position a second, with the faults of an ordinary week: what grows, and what is lost.

`times` counts minutes. Each brings one thing: nothing, no coverage, a slow network, a broker or a gpsd that is
restarted, settings that are read again. A process that grows by more than a little after its first tenth, keeps
descriptors or threads, or takes more and more of the processor has a problem, as has a position that was owed and
is not there.
"""
import os
import random
import statistics
import time

from restarts import restart_broker, restart_gpsd
from tracker import effort
from trip import REGION, Trip

WORLD = {"has_proxy": True, "waypoints": REGION}
# Its drive is as fast as life and begins now.
SECONDS = 0
MINUTE = 60.0
# Kilobytes of private memory that the last tenth may have more than the first did: what a longer outage once
# needed the allocator keeps.
MOST_GROWTH = 256
# The last tenth's share of the processor against the first's, on a machine where other things run.
MOST_EFFORT = 2.0
KINDS = ("nothing", "noCoverage", "slowNetwork", "brokerRestarts", "gpsdRestarts", "reloads")


def run(world, times, seed):
    chance, begun = random.Random(seed), time.monotonic()
    world.start()
    world.clock = int(time.time())
    trip, sums = Trip(world, hz=1.0), dict.fromkeys(KINDS, 0)
    trip.senses()
    samples = [_sample(world)]
    for number in range(times):
        end = time.monotonic() + MINUTE
        kind = chance.choice(KINDS)
        sums[kind] += 1
        _befall(trip, kind, chance)
        trip.watch(max(0.0, end - time.monotonic()))
        samples.append(_sample(world))
    result = trip.finish("soak", times=times, seed=seed, minutes=times, **sums, **_figures(samples))
    result["problems"] += _growth(samples)
    if trip.starts[1:] or trip.ends:
        result["problems"].append("it ended by itself: %s" % trip.ends)
    return dict(result, seconds=round(time.monotonic() - begun))


def _befall(trip, kind, chance):
    world = trip.world
    if kind == "noCoverage":
        world.proxy.cut(chance.choice(["stall", "refuse", "drop"]))
        trip.watch(chance.uniform(5, 45))
        world.proxy.restore()
    elif kind == "slowNetwork":
        world.proxy.delay = chance.uniform(0.1, 1.0)
        trip.watch(chance.uniform(5, 45))
        world.proxy.delay = 0.0
    elif kind == "brokerRestarts":
        restart_broker(trip, chance, keeps_session=chance.random() < 0.5)
    elif kind == "gpsdRestarts":
        restart_gpsd(trip, chance)
    elif kind == "reloads":
        world.tracker.configure(extendedData=chance.random() < 0.5)
        world.tracker.hang_up()


def _sample(world):
    """The daemon as the kernel knows it: private kilobytes, descriptors, threads, seconds of the processor."""
    pid = world.tracker.pid
    memory = world.tracker.memory()
    return {
        "private": memory["Private_Dirty"], "resident": memory["Rss"],
        "descriptors": len(os.listdir("/proc/%d/fd" % pid)), "threads": world.tracker.threads(),
        "effort": effort(pid)[0], "at": time.monotonic(),
    }


def _tenths(samples):
    """The first and the last tenth, the very first samples left out: what is made once is made by then."""
    settled = samples[min(3, len(samples) // 4):]
    share = max(2, len(settled) // 10)
    return settled[:share], settled[-share:]


def _share(samples):
    """Of one core."""
    first, last = samples[0], samples[-1]
    return (last["effort"] - first["effort"]) / max(1.0, last["at"] - first["at"])


def _middle(samples, name):
    return statistics.median(sample[name] for sample in samples)


def _figures(samples):
    first, last = _tenths(samples)
    return {
        "privateFirst": _middle(first, "private"), "privateLast": _middle(last, "private"),
        "privateMost": max(sample["private"] for sample in samples),
        "residentMost": max(sample["resident"] for sample in samples),
        "descriptorsFirst": _middle(first, "descriptors"), "descriptorsLast": _middle(last, "descriptors"),
        "effortFirst": round(_share(first), 5), "effortLast": round(_share(last), 5),
    }


def _growth(samples):
    first, last = _tenths(samples)
    problems = []
    grown = _middle(last, "private") - _middle(first, "private")
    if grown > MOST_GROWTH:
        problems.append("it has grown by %d kB" % grown)
    for name in ("descriptors", "threads"):
        if min(sample[name] for sample in last) > max(sample[name] for sample in first):
            problems.append("it keeps more %s: %d, not %d" % (name, last[-1][name], first[0][name]))
    if _share(last) > MOST_EFFORT * max(_share(first), 0.002):
        problems.append("it takes %.2f %% of a core, not %.2f" % (100 * _share(last), 100 * _share(first)))
    return problems
