"""A gpsd that says what it is told to: any rate, any name of a device. For what the real one does not do."""
import json
import socket
import threading
import time

from nmea import degrees


class PretendedGpsd:
    """Reports a place `hz` times a second with the true time, to everybody who watches. Without a blank after
    the colons: that is how libgps tells the classes apart."""

    def __init__(self, world, hz=25.0, device="/dev/ttyACM0"):
        self.hz, self.device, self.reported, self._lines = hz, device, 0, []
        self._listener = socket.socket()
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._listener.bind(("127.0.0.1", world.gpsd.port))
        self._listener.listen(4)
        world._closing.append(self.close)
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                line, _ = self._listener.accept()
            except OSError:
                return
            self._lines.append(line)
            threading.Thread(target=self._serve, args=(line,), daemon=True).start()

    def _serve(self, line):
        say = lambda **report: line.sendall(json.dumps(report, separators=(",", ":")).encode() + b"\r\n")
        try:
            say(**{"class": "VERSION"}, release="3.22", rev="3.22", proto_major=3, proto_minor=14)
            line.recv(4096)
            device = {"class": "DEVICE", "path": self.device, "driver": "u-blox", "flags": 1, "native": 1,
                      "activated": stamp(time.time()), "bps": 115200, "parity": "N", "stopbits": 1, "cycle": 0.04}
            say(**{"class": "DEVICES"}, devices=[device])
            say(**{"class": "WATCH"}, enable=True, json=True)
            begun, count = time.monotonic(), 0
            while True:
                time.sleep(max(0.0, begun + count / self.hz - time.monotonic()))
                say(**self._report(time.time()))
                count += 1
                self.reported += 1
        except OSError:
            pass
        finally:
            line.close()

    def _report(self, now):
        latitude, longitude = degrees((0.0, 0.0))
        return {"class": "TPV", "device": self.device, "status": 1, "mode": 3, "time": stamp(now), "ept": 0.005,
                "lat": latitude, "lon": longitude, "alt": 170.0, "epx": 3.0, "epy": 3.0, "epv": 6.0, "speed": 0.0,
                "track": 0.0, "eph": 4.0}

    def close(self):
        for end in [self._listener, *self._lines]:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()


def stamp(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + ".%03dZ" % (seconds % 1 * 1000)
