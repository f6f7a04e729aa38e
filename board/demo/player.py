"""Plays an NMEA recording to gpsd, faster than life and with the dates of today."""
import socket
import threading
import time


def epochs(path):
    """The recording as lists of sentences, each list one second, and the seconds they tell."""
    groups, seconds, last = [], [], None
    with open(path, encoding="ascii") as file:
        for line in file:
            fields = line.strip().split("*")[0].split(",")
            if fields[0].endswith(("RMC", "GGA")) and fields[1] and fields[1] != last:
                last = fields[1]
                clock = int(last[0:2]) * 3600 + int(last[2:4]) * 60 + int(last[4:6])
                groups.append([])
                seconds.append(clock)
            if groups:
                groups[-1].append(fields)
    return groups, [clock - seconds[0] for clock in seconds]


def dated(fields, moment):
    """One sentence with its time and date replaced and its checksum made anew."""
    when = time.gmtime(moment)
    fields = list(fields)
    if fields[0].endswith(("RMC", "GGA")):
        fields[1] = time.strftime("%H%M%S.00", when)
    if fields[0].endswith("RMC"):
        fields[9] = time.strftime("%d%m%y", when)
    body = ",".join(fields)
    check = 0
    for character in body[1:]:
        check ^= ord(character)
    return f"{body}*{check:02X}\r\n".encode("ascii")


class Player(threading.Thread):
    """A receiver on a TCP port of 127.0.0.1. gpsd reads it as `tcp://127.0.0.1:PORT`.

    A pseudo-terminal would look more like a serial port, but Debian's AppArmor profile keeps gpsd
    from opening one.

    The times of the recording are moved so that they reach from half its length before the wall
    clock to half its length behind it: the tracker believes a receiver that is less than five
    minutes off a good clock, and a fast playback is bound to run away from it.
    """

    def __init__(self, path, speed):
        super().__init__(daemon=True)
        self.groups, self.seconds = epochs(path)
        self.speed = speed
        self.played = 0
        self.is_over = threading.Event()
        self.go = threading.Event()
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = self.server.getsockname()[1]
        self.first = 0
        self.now = 0

    def moment(self):
        """The time on the receiver's clock, Unix seconds."""
        return self.now

    def run(self):
        line, _ = self.server.accept()
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with line:
            self.go.wait()
            self.first = int(time.time() - self.seconds[-1] / 2)
            began = time.monotonic()
            for group, second in zip(self.groups, self.seconds):
                time.sleep(max(0, began + second / self.speed - time.monotonic()))
                self.now = self.first + second
                try:
                    line.sendall(b"".join(dated(fields, self.now) for fields in group))
                except OSError:
                    break
                self.played += 1
            time.sleep(1)
            self.is_over.set()
