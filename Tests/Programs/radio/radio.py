"""Bluetooth controllers without a radio, the beacons around them, and the kernel's management of them.

Only in the guest of Tests/Instruments/VM: everything here needs root and /dev/vhci.
"""
import ctypes
import glob
import os
import socket
import struct
import subprocess
import threading
import time
import uuid

from waiting import in_the_end


CONTROLLER = os.environ.get("HOMEWARD_CONTROLLER", "/share/bin/controller")
PERSONALITIES = ("5.0", "5.0-strict", "4.2", "4.2-no-idle-stop", "5.0-without-extended", "5.1-broken-extended")
UUID = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"

RESET = 0x0C03
SCANS = {0x200B: 0, 0x2041: 3}  # commands that say how to scan; where in them it says actively
STARTS = (0x200C, 0x2042)


class Command:
    """What a controller was told, and when."""

    def __init__(self, opcode, parameters):
        self.opcode, self.parameters, self.time = opcode, parameters, time.monotonic()

    def is_active_scan(self):
        return self.opcode in SCANS and self.parameters[SCANS[self.opcode]] == 1

    def __repr__(self):
        return "%04x %s" % (self.opcode, self.parameters.hex())


class Radio:
    """One controller of a make (see PERSONALITIES), and what it hears."""

    def __init__(self, personality="5.0", address="0A0B0C000001", is_up=True):
        self.address, self.index, self.commands, self.counts = address, None, [], None
        self._process = subprocess.Popen(
            [CONTROLLER, personality, address], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.wait_until_plugged()
        if is_up:
            self.power_on()

    def _read(self):
        for line in self._process.stdout:
            kind, _, rest = line.strip().partition(" ")
            if kind == "command":
                opcode, _, parameters = rest.partition(" ")
                self.commands.append(Command(int(opcode, 16), bytes.fromhex(parameters)))
            elif kind == "plugged":
                self.index = int(rest)
            elif kind == "count":
                self.counts = tuple(map(int, rest.split()))
            else:
                print("# controller: " + line.strip(), flush=True)

    def say(self, *words):
        self._process.stdin.write(" ".join(map(str, words)) + "\n")

    def close(self):
        self._process.kill()
        self._process.wait()
        self._reader.join(5)

    # The device

    def wait_until_plugged(self):
        found = in_the_end(lambda: self.index is not None and os.path.exists("/sys/class/bluetooth/hci%d" % self.index))
        if not found:
            raise AssertionError("the kernel did not take the controller")

    def unplug(self):
        index, self.index = self.index, None
        self.say("unplug")
        in_the_end(lambda: not os.path.exists("/sys/class/bluetooth/hci%d" % index))

    def plug(self):
        self.say("plug")
        self.wait_until_plugged()

    def power_on(self):
        """As bluetoothd does at the start of a board."""
        # The kernel sets a new controller up for a moment, and is busy meanwhile.
        if not in_the_end(lambda: management(0x0D, self.index, b"\1") == 0):
            raise AssertionError("LE cannot be switched on")
        if not in_the_end(lambda: management(0x05, self.index, b"\1") == 0):
            raise AssertionError("the controller cannot be powered on")

    def is_powered(self):
        return self.index is not None and bool(settings_of(self.index) & 1)

    def block(self, is_blocked):
        """rfkill."""
        for place in glob.glob("/sys/class/bluetooth/hci%d/rfkill*/soft" % self.index):
            with open(place, "w") as file:
                file.write("1" if is_blocked else "0")

    def fault(self, name, until="repaired"):
        """`name`: hang, silent or empty; `until`: "repaired" (by `repair`), "reset" or, silent only, "scan"."""
        self.say(name, {"repaired": 1, "reset": 2, "scan": 3}[until])

    def repair(self, name):
        self.say(name, 0)

    def fail(self):
        """A hardware error, as a controller reports it."""
        self.say("error")

    # What is around it

    def advertise(self, major=1, minor=1, identity=UUID, rssi=-60, interval=100, loss=0, power=-59, name=None):
        """`interval`: milliseconds; `loss`: percent."""
        data = b"\x02\x01\x06\x1a\xff\x4c\x00\x02\x15" + uuid.UUID(identity).bytes
        data += struct.pack(">HHb", major, minor, power)
        self.say("beacon", name or "%d-%d" % (major, minor), "C0%04X%04X01" % (major, minor), rssi, interval, loss,
                 data.hex())

    def stop(self, name="1-1"):
        self.say("stop", name)

    def crowd(self, rate):
        """Strangers' advertisements a second, each from a new address."""
        self.say("crowd", rate)

    def count(self):
        """Reports so far: of beacons, empty ones left out, and of the crowd."""
        self.counts = None
        self.say("count")
        return in_the_end(lambda: self.counts)

    # What it was told

    def resets(self, since=0):
        return [command for command in self.commands if command.opcode == RESET and command.time >= since]

    def active_scans(self, since=0):
        return [command for command in self.commands if command.is_active_scan() and command.time >= since]

    def starts(self, since=0):
        return [c for c in self.commands if c.opcode in STARTS and c.time >= since and c.parameters[0] == 1]


# The kernel's management socket

_libc = ctypes.CDLL(None, use_errno=True)


def management_socket():
    bluetooth = socket.socket(socket.AF_BLUETOOTH, socket.SOCK_RAW, socket.BTPROTO_HCI)
    # Python itself binds only to the raw channel of a controller; this is the control channel.
    address = struct.pack("<HHH", socket.AF_BLUETOOTH, 0xFFFF, 3)
    if _libc.bind(bluetooth.fileno(), address, len(address)):
        raise OSError(ctypes.get_errno(), "management socket")
    bluetooth.settimeout(60)
    return bluetooth


def management(code, index, parameters=b"", bluetooth=None):
    """The status that the kernel answers, 0 for success."""
    own = bluetooth or management_socket()
    try:
        return ask(own, code, index, parameters)[0]
    finally:
        if not bluetooth:
            own.close()


def ask(bluetooth, code, index, parameters=b""):
    """Status and parameters of the answer; events meanwhile are lost."""
    bluetooth.send(struct.pack("<HHH", code, index, len(parameters)) + parameters)
    while True:
        packet = bluetooth.recv(4096)
        event, _, _, of, status = struct.unpack_from("<HHHHB", packet.ljust(9, b"\0"))
        if event in (1, 2) and of == code:
            return status, packet[9:]


def settings_of(index):
    """The kernel's word of what is switched on in a controller; bit 0: powered."""
    bluetooth = management_socket()
    try:
        status, answer = ask(bluetooth, 0x04, index)
    finally:
        bluetooth.close()
    return struct.unpack_from("<I", answer, 13)[0] if status == 0 else 0


def heard_by_monitor(index, seconds):
    """The reference: iBeacons as (major, minor, rssi) that the kernel's advertisement monitor passes on."""
    bluetooth, found = management_socket(), []
    pattern = b"\xff\0\4\x4c\0\2\x15" + bytes(27)
    status, answer = ask(bluetooth, 0x52, index, b"\1" + pattern)
    if status:
        raise AssertionError("no monitor: status %d" % status)
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        bluetooth.settimeout(left)
        try:
            packet = bluetooth.recv(4096)
        except TimeoutError:
            break
        event, of = struct.unpack_from("<HH", packet)
        place = packet.find(b"\x4c\0\2\x15")
        if event == 0x2F and of == index and place >= 0:
            found.append((*struct.unpack_from(">HH", packet, place + 20), struct.unpack_from("b", packet, 15)[0]))
    ask(bluetooth, 0x53, index, answer[:2])
    bluetooth.close()
    return found
