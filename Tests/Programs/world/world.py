"""One small world for each claim: a broker, a gpsd, a tracker, somebody who listens.

    @claim("what is true", has_proxy=True)
    def function(world): ...

    if __name__ == "__main__":
        main()

Each claim gets a world of its own and prints one line: `ok NAME`, `not ok NAME: why` or `skip NAME: why`.
"""
import os
import shutil
import signal
import sys
import tempfile
import time
import traceback

from nmea import drive, epochs, stand
from proxy import Proxy
from servers import Broker, Feeder, Gpsd, free_port
from subscriber import Subscriber
from tracker import COMMAND_LINE, DAEMON, TOPIC, Tracker
from waiting import IN_THE_END, glance, in_the_end

CLAIMS = []
LIMIT = 300  # seconds for one claim, which only one meets that hangs


class Skip(Exception):
    """This machine cannot show the claim; the text says what it lacks."""


class World:
    """Made with the broker and gpsd running and somebody listening; the tracker starts when told."""

    def __init__(self, has_proxy=False, has_broker=True, has_gpsd=True, seconds=480, broker="", pace=1, **settings):
        """`seconds`: how much of the receiver's time will be played, about; `broker`: more lines of mosquitto's
        settings; `pace`: how many times as fast the tracker's own clock runs; `settings`: for the tracker."""
        # Playing is faster than life, and a receiver is believed at once within five minutes of a good
        # clock: the drive ends near the present.
        self.clock = int(time.time()) - max(240, seconds - 240)
        self.place, self._driven = (0.0, 0.0), 0
        self.folder = tempfile.mkdtemp(prefix="hw-")
        self._closing = [lambda: shutil.rmtree(self.folder, True)]
        try:
            self._make(has_proxy, has_broker, has_gpsd, broker, settings)
            if pace > 1:
                self.tracker.hurry(pace)
        except BaseException:
            self.close()
            raise

    def _make(self, has_proxy, has_broker, has_gpsd, broker, settings):
        self.broker, self.gpsd = Broker(self.folder, extra=broker), Gpsd(self.folder)
        self._closing += [self.broker.kill, self.gpsd.close]
        self.watcher = self.proxy = None
        if has_broker:
            self.broker.start()
            self.listen()
        if has_gpsd:
            self.gpsd.start()
        if has_proxy:
            self.proxy = Proxy(free_port(), self.broker.port)
            self._closing.append(self.proxy.close)
        port = self.proxy.port if self.proxy else self.broker.port
        self.tracker = Tracker(self.folder, self.gpsd.port, port, **settings)
        self._closing.append(self.tracker.kill)

    def close(self):
        for undo in reversed(self._closing):
            undo()
        self._closing = []

    def listen(self):
        """Subscribes to everything the tracker may say."""
        self.watcher = Subscriber(self.broker.port, [TOPIC + "/#"])
        self._closing.append(self.watcher.close)

    # What a receiver does

    def drive(self, seconds):
        """The next seconds of one long drive in circles, that begins and ends without a jump."""
        self._driven += seconds
        return drive(self._driven)[-seconds:]

    def stand(self, seconds):
        return stand(seconds, self.place)

    def feeding(self, places, hz=10.0):
        """Starts to play these places; the Feeder tells when it is done."""
        feeder = Feeder(self.gpsd, epochs(places, self.clock), hz)
        self.clock += len(places)
        self.place = places[-1]
        return feeder

    def feed(self, places, hz=10.0):
        """Plays these places to the end: the moments by tst."""
        feeder = self.feeding(places, hz)
        feeder.join()
        return feeder.sent

    def start(self, before=(), env=None):
        """The tracker, and a receiver that stands still until the first position has come through: gpsd
        knows its receiver, the tracker believes the receiver's clock, the broker has the tracker."""
        self.tracker.start(before, env)
        self.warm_up()

    def warm_up(self):
        before = len(self.locations())
        for _ in range(60):
            sent = self.feed(self.stand(5))
            if glance(lambda: len(self.locations()) > before):
                # Its confirmation may be on the way back: a cut now would rightly have it sent again.
                if self.tracker.instead:
                    time.sleep(1)
                else:
                    self.tracker.handles(max(sent))
                    self.tracker.is_drained()
                return
        raise AssertionError("no position came through")

    def cut_off(self):
        """The broker is out of reach, and the tracker knows."""
        self.proxy.cut("refuse")
        status = self.tracker.wait_for_status(lambda status: status["connection"]["state"] != "connected")
        expect(status and status["connection"]["state"] != "connected", "it does not notice that the broker is away")

    def stored(self, tst):
        """Whether it comes to be that the store's files have the message of this time: it waits there, and all that
        came before it."""
        return in_the_end(lambda: b'"tst":%d' % tst in self.disk())

    def disk(self):
        """All that lies in the tracker's folder, or in what is mounted there for it alone."""
        found, place = b"", "/proc/%d/root%s" % (self.tracker.pid, self.tracker.state)
        for name in os.listdir(place):
            with open(os.path.join(place, name), "rb") as file:
                found += file.read()
        return found

    def lasts(self, seconds):
        """So much of the tracker's own time goes by, and a little: what it does after so long it has begun to do."""
        time.sleep(seconds / self.tracker.pace + 0.2)

    def settle(self, place=None):
        """As `warm_up`, where nothing can come through: until the tracker believes in the newest position."""
        self.place = place or self.place
        sent = self.feed(self.stand(30))
        newest = lambda: ((self.tracker.status() or {}).get("fix") or {}).get("tst", 0)
        for _ in range(60):
            if self.tracker.instead or glance(lambda: newest() >= max(sent), 0.5):
                return
            sent = self.feed(self.stand(5))
        raise AssertionError("the tracker has no position")

    # What the broker has passed on

    def heard(self, kind, topic=TOPIC):
        """Objects of one _type in the order of arrival, without what the broker itself repeats."""
        seen, found = set(), []
        for message in list(self.watcher.messages):
            # Of another topic it may be large, and is asked about again and again.
            value = message.json() if message.topic == topic else None
            if value is None or value.get("_type") != kind:
                continue
            if message.is_retained or (message.is_repeat and message.payload in seen):
                continue
            seen.add(message.payload)
            found.append(value)
        return found

    def locations(self):
        return self.heard("location")

    def published(self, times):
        """Locations of these moments. Earlier ones may still be on their way from the broker when the tracker has its
        confirmation: a count before and after would take them for new ones."""
        return [message for message in self.locations() if message["tst"] in set(times)]

    def transitions(self):
        return self.heard("transition", TOPIC + "/event")

    def crossings(self):
        return [(message["event"], message.get("desc")) for message in self.transitions()]

    def wait_for_locations(self, times, seconds=2 * IN_THE_END, may_lack=0):
        """Waits until all but `may_lack` of these have arrived; says which have not."""
        missing, looked_at = set(times), 0

        def arrived(messages):
            # Each message once: reading them all for each that comes is slower than the tracker.
            nonlocal looked_at
            for message in messages[looked_at:]:
                value = message.json() if message.topic == TOPIC and not message.is_retained else None
                if value and value.get("_type") == "location":
                    missing.discard(value["tst"])
            looked_at = len(messages)
            return len(missing) <= may_lack

        if not self.watcher.wait(arrived, seconds):
            first = [tst - min(times) for tst in sorted(missing)[:8]]
            raise AssertionError("%d of %d positions did not arrive: seconds %s of the drive%s" % (
                len(missing), len(times), first, "" if len(missing) <= 8 else " ..."))

    def expect_once_in_order(self, twice=0):
        """`twice`: how many may have lost the answer to them, and were sent again."""
        times = [message["tst"] for message in self.locations()]
        repeated = sorted({tst for tst in times if times.count(tst) > 1})
        expect(len(repeated) <= twice, "%d positions came more than once" % len(repeated))
        late = [tst for before, tst in zip(times, times[1:]) if tst < before]
        expect(not late, "%d positions came after newer ones" % len(late))


def expect(condition, why):
    if not condition:
        raise AssertionError(why)


def as_root():
    if os.geteuid() != 0:
        raise Skip("needs root")


def claim(name, **world):
    def keep(function):
        CLAIMS.append((name, function, world))
        return function
    return keep


def main():
    """Runs the claims of a file, or those whose names contain an argument."""
    wanted = sys.argv[1:]
    chosen = [claim for claim in CLAIMS if not wanted or any(word in claim[0] for word in wanted)]
    if not chosen:
        sys.exit("no claim has %s in its name" % " or ".join(repr(word) for word in wanted))
    failed = [claim for claim in chosen if not _run(*claim)]
    sys.exit(1 if failed else 0)


def told(subject, claims):
    """Of claims that need no world, functions that raise AssertionError where something is not so: says what became of
    each, by name. The status for the shell."""
    failed = 0
    for name, check in claims.items():
        try:
            check()
        except AssertionError as why:
            failed += 1
            print("not ok %s: %s: %s" % (subject, name, why))
        else:
            print("ok %s: %s" % (subject, name))
    return 1 if failed else 0


def _run(name, function, settings):
    """Whether the claim held (or was skipped)."""
    world, began = None, time.monotonic()
    signal.signal(signal.SIGALRM, _too_long)
    signal.alarm(LIMIT)
    try:
        if not os.environ.get("HOMEWARD_TRACKER"):
            for binary in (DAEMON, COMMAND_LINE):
                expect(os.access(binary, os.X_OK), "%s is not built" % binary)
        world = World(**settings)
        function(world)
        print("ok %s" % name, flush=True)
        return True
    except Skip as why:
        print("skip %s: %s" % (name, why), flush=True)
        return True
    except Exception as error:
        why = str(error).splitlines()[0] if str(error) else type(error).__name__
        if not isinstance(error, AssertionError):
            why = "%s: %s" % (type(error).__name__, why)
        print("not ok %s: %s" % (name, why), flush=True)
        _show(world)
        return False
    finally:
        signal.alarm(0)
        if world:
            world.close()
        print("# %.1f s" % (time.monotonic() - began), flush=True)


def _show(world):
    """What helps to find out: where it happened and the end of the daemon's log."""
    for line in traceback.format_exc().splitlines()[-6:]:
        print("# " + line)
    if world and hasattr(world, "tracker"):
        for line in world.tracker.log().splitlines()[-30:]:
            print("# homewardd: " + line)
    sys.stdout.flush()


def _too_long(*_):
    raise AssertionError("not done within %d s" % LIMIT)
