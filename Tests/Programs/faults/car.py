"""A car that drives between two places for as long as it is told to, faster than life."""
import math
import threading
import time

from nmea import epochs

# The gate lies a leg away from home; both ends are far from its edge.
HOME, GATE, RADIUS = (0.0, 0.0), (200.0, 0.0), 60
SPEED = 14.0


class Car(threading.Thread):
    """Gives gpsd `hz` seconds of the receiver's time a second; `sent[tst]` is the moment it did."""

    def __init__(self, world, hz=20.0):
        super().__init__(daemon=True)
        self.gpsd, self.hz, self.clock = world.gpsd, hz, world.clock
        self.world, self.place, self.target = world, world.place, world.place
        self.sent, self.is_stopped = {}, False
        world._closing.append(self.halt)
        self.start()

    def run(self):
        begin, count = time.monotonic(), 0
        for epoch in epochs(self._places(), self.clock):
            time.sleep(max(0.0, begin + count / self.hz - time.monotonic()))
            if self.is_stopped:
                return
            self.sent[epoch.tst] = time.monotonic()
            self.gpsd.write(epoch.burst)
            count += 1

    def _places(self):
        while True:
            rest = [to - at for at, to in zip(self.place, self.target)]
            share = min(1.0, SPEED / (math.hypot(*rest) or 1.0))
            self.place = tuple(at + share * step for at, step in zip(self.place, rest))
            yield self.place

    def go(self, target):
        self.target = target

    def halt(self):
        self.is_stopped = True
        self.join()

    def stop(self):
        """Where it was and when is where the world goes on."""
        self.halt()
        self.world.clock, self.world.place = max(self.sent, default=self.clock) + 1, self.place
