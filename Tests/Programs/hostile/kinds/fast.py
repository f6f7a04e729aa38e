"""A receiver that reports often is heard, on a board whose clock nobody has set."""
import time

from gpsd import PretendedGpsd
from judge import published
from nmea import HOME, angle, sentence
from tracker import shim
from waiting import in_the_end

WORLD = {"has_gpsd": False}


def _unset(world):
    return {"LD_PRELOAD": shim("kernel_clock", world.folder), "CLOCK_IS": "not set"}


def pretended(world, hz=25.0):
    """As a fast receiver's gpsd reports it, with the true time in each report."""
    gpsd = PretendedGpsd(world, hz)
    begun = time.monotonic()
    world.tracker.start(env=_unset(world))
    return _judged(world, "gpsd at %g Hz" % hz, begun, lambda: gpsd.reported)


def real(world, hz=25.0):
    """The real gpsd, with a receiver that says where it is so often."""
    world.gpsd.start()
    world.tracker.start(env=_unset(world))
    world.tracker.wait_for_status(lambda status: status["gps"]["reached"])
    begun, count = time.monotonic(), 0

    def feed():
        nonlocal count
        while count < (time.monotonic() - begun) * hz:
            world.gpsd.write(_moment(time.time()))
            count += 1
        return published(world)

    in_the_end(feed, every=0.005)
    return _judged(world, "receiver at %g Hz on the real gpsd" % hz, begun, lambda: count)


def _moment(now):
    """RMC and GGA of this very moment, to a hundredth of a second."""
    when = time.gmtime(now)
    clock = time.strftime("%H%M%S", when) + ".%02d" % (now % 1 * 100)
    where = angle(HOME[0], 2, "NS") + "," + angle(HOME[1], 3, "EW")
    lines = ["GPRMC,%s,A,%s,0.00,0.00,%s,,,A" % (clock, where, time.strftime("%d%m%y", when)),
             "GPGGA,%s,%s,1,12,0.9,171.0,M,43.5,M,," % (clock, where)]
    return "".join(map(sentence, lines)).encode()


def _judged(world, kind, begun, reported):
    in_the_end(lambda: published(world), every=0.05)
    came = [message.arrived - begun for message in list(world.watcher.messages)
            if (message.json() or {}).get("_type") == "location"]
    problems = []
    if not came:
        problems.append("nothing is published after %d reports" % reported())
    return dict(kind=kind, first=round(min(came), 1) if came else None, reports=reported(), problems=problems)
