"""One long drive through a gate and back, over whatever happens to the tracker."""
import json
import socket
import time

from car import GATE, HOME, RADIUS, Car
from ledger import WINDOW, Ledger
from nmea import degrees
from waiting import IN_THE_END, in_the_end
from world import expect

LATITUDE, LONGITUDE = degrees(GATE)
REGION = [{"_type": "waypoint", "desc": "Gate", "lat": LATITUDE, "lon": LONGITUDE, "rad": RADIUS,
           "tst": 1385997757}]


def status(tracker):
    """What the daemon says on its socket, or {}: asked without starting a program."""
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(IN_THE_END)
        try:
            line.connect(tracker.socket)
            line.sendall(b'["status"]\n')
            answer = b""
            while piece := line.recv(65536):
                answer += piece
            return json.loads(answer).get("status", {})
        except (OSError, ValueError):
            return {}


# Seconds in which all that waits is sent, over the worst road that is tried here.
DRAINING = 300


class Trip:
    """The car turns round whenever the tracker is known to keep that it has passed the gate."""

    # So long a crossing has to be known in one life before it counts as on the disk.
    SETTLED = 0.5

    def __init__(self, world, hz=20.0, preload=None):
        """`preload`: the tracker is started here, in this environment."""
        self.world, self.tracker, self.ledger = world, world.tracker, Ledger()
        self.car = Car(world, hz)
        self.wanted, self._known_since, self._is_last = [], None, False
        self._life_begun, self._sensing_since = time.monotonic(), None
        self.starts, self.ends, self._scanned, self._arrived = [], [], 0, set()
        if preload:
            self.restart(preload)

    def step(self):
        """Asks the tracker how it is; turns round where it is time."""
        told = status(self.tracker)
        now = time.monotonic()
        age = told.get("fix", {}).get("age")
        self.ledger.told(told.get("fix", {}).get("tst"), now)
        # A fix that the store remembers is older than this life.
        if self._sensing_since is None and age is not None and age < now - self._life_begun - 0.05:
            self._sensing_since = now
            self.starts.append(now - self._life_begun)
        is_inside = told.get("inside") == ["Gate"]
        # Without a fix it may not know yet where it is: a vehicle first seen inside has not entered.
        if self._sensing_since is None or is_inside != (self.car.target == GATE):
            self._known_since = None
            return
        self._known_since = self._known_since or now
        if now - self._known_since > self.SETTLED or self._has_arrived():
            self.turn()

    def turn(self):
        if self.car.is_stopped:
            return
        is_inside = self.car.target == GATE
        if is_inside or self.wanted:
            self.wanted.append("enter" if is_inside else "leave")
        if self._is_last and self.wanted:
            # Here and now: within moments of another leg it would be past the gate's edge once more.
            self.car.stop()
        else:
            self.car.go(HOME if is_inside else GATE)
        self._known_since = None

    def _has_arrived(self):
        """Whether the crossing of this leg was delivered already."""
        messages = self.world.watcher.messages
        for message in messages[self._scanned:]:
            if message.topic.endswith("/event"):
                self._arrived.add(message.payload)
        self._scanned = len(messages)
        return len(self._arrived) > len(self.wanted)

    def watch(self, seconds):
        """So long the drive goes on with nothing happening."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.step()
            time.sleep(min(0.04, max(0.0, end - time.monotonic())))

    def kill(self):
        self._ended(self.tracker.kill())

    def _ended(self, status):
        self.ledger.lived(self._sensing_since, time.monotonic())
        self._sensing_since = self._known_since = None
        return status

    def end(self):
        """Told to end: what it knows is on the disk then."""
        if self.revive():
            self.senses()
        # gpsd passes positions on in its own time; the last ones are given up here.
        sensing, told = self._sensing_since, time.monotonic()
        ended = self.tracker.stop()
        self._sensing_since = sensing
        self._ended(ended)
        self.ledger.silences.append((told - 0.3, time.monotonic()))
        expect(ended is not None, "told to end, it does not")
        if ended:
            self.ends.append(ended)

    def revive(self):
        """Starts it again where it has ended by itself, as systemd would; whether it had."""
        if self.tracker.is_alive():
            return False
        self.ends.append(self._ended(self.tracker.stop()))
        self.restart()
        return True

    def restart(self, env=None):
        self._life_begun = time.monotonic()
        self.tracker.start(env=env)

    def senses(self):
        """Waits until the tracker has a fix of this life."""
        in_the_end(lambda: self.step() or self._sensing_since is not None)
        expect(self._sensing_since is not None, "no fix")

    def finish(self, kind, **numbers):
        """The leg is driven to its end, the car stops, everything owed arrives: the sums."""
        self._is_last = True
        in_the_end(lambda: self.step() or self.car.is_stopped, every=0.04)
        self.car.stop()
        in_the_end(lambda: self.step() or self.ledger.known(max(self.car.sent)))
        # Everything sensed until here is owed: nobody kills the tracker any more.
        self.ledger.lived(self._sensing_since, time.monotonic() + 2 * WINDOW)
        in_the_end(lambda: status(self.tracker).get("queue", {}).get("count") == 0, seconds=DRAINING, every=0.2)
        result = {}

        def is_done():
            result.update(self.ledger.result(kind, self.world, self.car.sent, self.wanted, **numbers))
            return not result["problems"]

        in_the_end(is_done, every=0.5)
        return result
