"""gpsd's protocol for more clients than gpsd has room for: each has a vehicle of its own."""
import heapq
import json
import math
import selectors
import socket
import threading
import time

# Of the circles, in metres, and on them, in metres a second.
RADIUS, SPEED = 300, 10

GREETING = {"class": "VERSION", "release": "3.22", "rev": "3.22", "proto_major": 3, "proto_minor": 14}
DEVICE = {"class": "DEVICE", "path": "/dev/fleet", "driver": "NMEA0183", "activated": "2026-01-01T00:00:00.000Z"}


class Gpsd(threading.Thread):
    """A position every so many seconds to each client, from its WATCH on; at moments of their own. `route`: the report
    of a vehicle by its number, at a time; `pace`: how many times as fast the receiver's time goes by."""

    def __init__(self, every, route=None, pace=1):
        super().__init__(daemon=True)
        self.route, self.pace = route or straight, pace
        # A receiver is believed at once within five minutes of a good clock.
        self.begin, self.first = time.time(), time.time() - (240 if pace > 1 else 0)
        self.every, self.is_over, self.is_still = every, False, False
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
        self.port = self.listener.getsockname()[1]
        self.wanted, self.due, self.count = selectors.DefaultSelector(), [], 0
        self.listener.setblocking(False)
        self.wanted.register(self.listener, selectors.EVENT_READ, None)
        self.start()

    def stop(self):
        """No position comes any more; the connections stay."""
        self.is_still = True

    def close(self):
        self.is_over = True
        self.join()
        self.listener.close()

    def run(self):
        while not self.is_over:
            wait = max(0.0, self.due[0][0] - time.monotonic()) if self.due else 0.2
            for key, _ in self.wanted.select(min(wait, 0.2)):
                if key.data is None:
                    self.greet()
                else:
                    self.read(key.fileobj)
            self.report()

    def greet(self):
        client, _ = self.listener.accept()
        client.setblocking(False)
        self.wanted.register(client, selectors.EVENT_READ, client)
        self.send(client, GREETING)

    def read(self, client):
        try:
            data = client.recv(4096)
        except OSError:
            data = b""
        if not data:
            self.wanted.unregister(client)
            client.close()
        elif b"?WATCH" in data:
            self.send(client, {"class": "DEVICES", "devices": [DEVICE]})
            self.send(client, {"class": "WATCH", "enable": True, "json": True})
            self.count += 1
            phase = self.every * (self.count * 0.618 % 1)
            heapq.heappush(self.due, (time.monotonic() + phase, self.count, client))

    def report(self):
        while self.due and self.due[0][0] <= time.monotonic():
            at, number, client = heapq.heappop(self.due)
            if client.fileno() < 0:
                continue
            heapq.heappush(self.due, (at + self.every, number, client))
            if not self.is_still:
                self.send(client, self.route(number, self.first + (time.time() - self.begin) * self.pace))

    def send(self, client, report):
        try:
            client.send(json.dumps(report, separators=(",", ":")).encode() + b"\r\n")
        except OSError:
            pass


def straight(number, now):
    """It drives east at 10 m/s on a road of its own."""
    moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + ".%03dZ" % (now % 1 * 1000)
    return {
        "class": "TPV", "device": "/dev/fleet", "mode": 3, "time": moment, "lat": round(40 + number * 0.001, 7),
        "lon": round(now % 86400 * 10 / 85000, 7), "altHAE": 100.0, "altMSL": 60.0, "speed": 10.0, "track": 90.0,
        "eph": 5.0, "ept": 0.005,
    }


def circling(number, now):
    """Round a circle of its own, in three minutes."""
    report = straight(number, now)
    angle = now * SPEED / RADIUS + number
    report["lat"] = round(40 + number * 0.01 + RADIUS * math.sin(angle) / 111195, 7)
    report["lon"] = round(RADIUS * math.cos(angle) / 85000, 7)
    report["speed"], report["track"] = float(SPEED), round(-math.degrees(angle) % 360, 1)
    return report


def yard(number):
    """A region on that circle, for a tracker's `waypoints`."""
    return {"_type": "waypoint", "desc": "Yard", "lat": 40 + number * 0.01, "lon": RADIUS / 85000, "rad": 150,
            "tst": 1700000000}
