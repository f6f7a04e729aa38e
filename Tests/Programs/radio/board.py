"""A board with a Bluetooth controller and homewardd as its service would run it: nobody's user, few capabilities.

    @heard("what is true", personality="4.2")
    def function(board): ...

Each claim gets a controller, a broker and a daemon of its own, in the guest of Tests/Instruments/VM.
"""
import ctypes
import os
import re
import time

from nmea import HOME
from radio import UUID, Radio
from servers import Server
from tracker import ROOT
from waiting import IN_THE_END, in_the_end
from world import Skip, claim, expect

USER = 1000
UNIT = os.path.join(ROOT, "board", "homeward.service")
LOSS = 4  # seconds, the time-out of most claims
REGION = {
    "_type": "waypoint", "desc": "Garage", "tst": 1700000000, "lat": HOME[0], "lon": HOME[1], "rad": 0,
    "uuid": UUID, "major": 1, "minor": 1,
}
# Seconds of silence after which a region that was never seen counts as left.
SETTLING = 2.5


def heard(name, personality="5.0", is_up=True, starts=True, may_reset=False, rights=None, not_yet=None, **settings):
    """A claim about a board. `may_reset`: what happens to the controller makes the kernel reset it; `rights`:
    other capabilities than the unit's; `not_yet`: why it does not hold."""
    settings = {"waypoints": [REGION], "beaconLossTimeout": LOSS, "has_gpsd": False, **settings}

    def keep(function):
        @claim(name, **settings)
        def run(world):
            if not_yet and not os.environ.get("HOMEWARD_NOT_YET"):
                raise Skip("not yet: " + not_yet)
            believe_the_clock()
            hand_over(world.folder)
            board = Board(world, personality, is_up, rights or capabilities())
            try:
                if starts:
                    board.start()
                    board.settle()
                function(board)
                if board.started and not may_reset:
                    board.expect_manners()
            except BaseException:
                board.show()
                raise
            finally:
                board.close()
        return function
    return keep


class Board:
    def __init__(self, world, personality, is_powered, rights):
        self.world, self.tracker, self.rights = world, world.tracker, rights
        self.started = None
        self.radio = Radio(personality, is_up=is_powered) if personality else None
        self._closing = [self.radio.close] if personality else []

    def start(self):
        self.tracker.start(before=as_service(self.rights))
        # From its first words on: loading a program that nobody has read yet is the emulator's time.
        has_started = lambda: " started, " in self.tracker.log()
        expect(in_the_end(has_started, every=0.005), "it does not say that it has started")
        self.started = time.monotonic()

    def close(self):
        self.tracker.kill()
        for undo in reversed(self._closing):
            undo()

    def another_radio(self, *words, **named):
        radio = Radio(*words, **named)
        self._closing.append(radio.close)
        return radio

    def bluetoothd(self):
        daemon = Bluetoothd(self.world.folder)
        self._closing.append(daemon.close)
        return daemon.start()

    # What is waited for

    def settle(self):
        """Until it is sure that the beacon is not there already, which would be no enter."""
        self.wait_until_scanning()
        time.sleep(SETTLING)

    def wait_until_scanning(self, radio=None, seconds=IN_THE_END, since=0.0):
        """The moment at which the controller was told to scan."""
        radio = radio or self.radio
        if not in_the_end(lambda: is_scanning(radio, since), seconds=seconds, every=0.01):
            raise AssertionError("nobody scans")
        return radio.starts(since)[-1].time

    def crossings(self):
        return [event for event, _ in self.world.crossings()]

    def wait_for(self, event, since, count=None):
        """Seconds from `since` until this crossing came to the broker; `count`: the how many of all."""
        wanted = count or len([m for m in self._transitions() if m.arrived < since]) + 1
        self.world.watcher.wait(lambda _: len(self._transitions()) >= wanted, 2 * IN_THE_END)
        found = self._transitions()
        expect(len(found) >= wanted, "no %s" % event)
        message = found[wanted - 1]
        expect(message.json()["event"] == event, "%s in place of %s" % (message.json()["event"], event))
        return message.arrived - since

    def _transitions(self):
        return [m for m in list(self.world.watcher.messages) if m.topic.endswith("/event") and m.payload]

    def enter(self, radio=None, **beacon):
        """Advertises; seconds until the enter came to the broker."""
        since = time.monotonic()
        (radio or self.radio).advertise(**beacon)
        return self.wait_for("enter", since)

    def leave(self, timeout=LOSS, early=1.0, radio=None):
        """Stops the beacon; seconds until the leave came to the broker. `early`: how much before the stop it may
        have been heard last, because advertisements get lost or fall between two windows of the receiver."""
        (radio or self.radio).stop()
        since = time.monotonic()
        took = self.wait_for("leave", since)
        expect(took > timeout - early, "the leave came after %.1f s, before the time-out" % took)
        return took

    def stay(self, seconds):
        """Nothing is crossed meanwhile."""
        before = len(self._transitions())
        time.sleep(seconds)
        events = [m.json()["event"] for m in self._transitions()[before:]]
        expect(not events, "%s meanwhile" % ", ".join(events))

    def scanner(self):
        """What `homeward status` says of the radio."""
        return (self.tracker.status() or {}).get("scanner") or {}

    def expect_manners(self):
        """Passive, and the controller is never reset."""
        resets, active = self.radio.resets(self.started or 0), self.radio.active_scans(self.started or 0)
        expect(not resets, "the controller was reset %d times" % len(resets))
        expect(not active, "scans actively: %s" % active[:1])

    def show(self):
        if self.radio:
            for command in self.radio.commands[-12:]:
                print("# controller: %.2f s %r" % (command.time - (self.started or 0), command))


class Bluetoothd:
    """The bus and bluetoothd, as a desktop image runs them."""

    def __init__(self, folder):
        self.bus, self.daemon = Server("dbus-daemon", folder), Server("bluetoothd", folder)
        self.control = None

    def start(self):
        os.makedirs("/run/dbus", exist_ok=True)
        if not os.path.exists("/run/dbus/system_bus_socket"):
            self.bus.spawn(["dbus-daemon", "--system", "--nofork", "--nopidfile"])
            in_the_end(lambda: os.path.exists("/run/dbus/system_bus_socket"))
        self.daemon.spawn(["/usr/libexec/bluetooth/bluetoothd", "-n"])
        if not in_the_end(lambda: "Bluetooth management interface" in self.daemon.log()):
            raise AssertionError("bluetoothd does not come up: " + self.daemon.log())
        return self

    def stop(self):
        self.daemon.stop()

    def discover(self):
        """Looks for devices until `close`, as a settings window does."""
        self.control = Server("bluetoothctl", self.daemon.folder)
        # It ends with its input, so the input has to stay open.
        self.control.spawn(["sh", "-c", "(echo scan on; sleep 600) | exec bluetoothctl"])

    def stop_discovering(self):
        self.control.kill()

    def close(self):
        for server in (self.control, self.daemon, self.bus):
            if server:
                server.kill()
        if os.path.exists("/run/dbus/system_bus_socket"):
            os.unlink("/run/dbus/system_bus_socket")


def is_scanning(radio, since=0.0):
    orders = [c for c in list(radio.commands) if c.opcode in (0x200C, 0x2042, 0x0C03)]
    return bool(orders) and orders[-1].opcode != 0x0C03 and orders[-1].parameters[0] == 1 and orders[-1].time >= since


def unit():
    with open(UNIT) as file:
        return file.read()


def capabilities():
    """The names that the unit gives its service, as setpriv wants them."""
    found = re.search(r"^AmbientCapabilities=(.*)$", unit(), re.M)
    return [name.lower().replace("cap_", "") for name in found.group(1).split()] if found else []


def as_service(rights):
    """What to put before a command so that it has no more rights than the service."""
    kept = ",".join(["-all"] + ["+" + name for name in rights])
    return ["setpriv", "--reuid=%d" % USER, "--regid=%d" % USER, "--clear-groups", "--no-new-privs",
            "--inh-caps=" + kept, "--ambient-caps=" + kept, "--bounding-set=" + kept]


def hand_over(folder):
    """Makes a world's folder the service's."""
    for place, _, names in os.walk(folder):
        for path in [place] + [os.path.join(place, name) for name in names]:
            os.chown(path, USER, USER)


def believe_the_clock():
    """Tells the kernel that its clock is synchronised: the guest's is the host's."""
    setting = (ctypes.c_long * 64)()
    setting[0] = 0x0010 | 0x0004  # status and greatest error
    if ctypes.CDLL(None).adjtimex(setting) < 0:
        raise OSError("adjtimex")
