"""Anybody who may publish on the broker: messages of a kind, as many and as fast as wanted.

A process of its own (`Flood` starts it), so that what it costs is not the judge's. Run by itself it takes its
wishes as JSON: {"port", "kind", "count", "rate", "seconds", "size", "qos", "level", "isRetained"} and ends with
one line of sums. 0 means no limit for `count`, `rate` and `seconds`."""
import json
import os
import socket
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "../../world")]

import packets  # noqa: E402
from servers import Server  # noqa: E402
from waiting import in_the_end  # noqa: E402

# Topics of this many people; enough that nobody's newest place replaces all the others.
PEOPLE = 500
OWN = "owntracks/ute/board/cmd"


def _say(**message):
    return json.dumps(message, ensure_ascii=False).encode()


def place(number, size):
    """A small position of somebody: 100 bytes."""
    return ("owntracks/u%d/phone" % (number % PEOPLE),
            _say(_type="location", tst=1700000000 + number, lat=48.1, lon=16.3 + number % 1000 / 1e4, tid="aa", acc=9))


def crossing(number, size):
    return ("owntracks/u%d/phone/event" % (number % PEOPLE),
            _say(_type="transition", tst=1700000000 + number, lat=48.1, lon=16.3, acc=9, tid="aa", t="c",
                 event="enter" if number % 2 else "leave", desc="Place %d" % number, wtst=1))


def card(number, size):
    """A name and a face, each of somebody else."""
    return ("owntracks/u%d/phone/info" % number, _say(_type="card", name="N%d" % number, face="A" * (size - 60)))


def tid(number, size):
    """One letter as a person counts them, with accents without end."""
    return ("owntracks/u%d/phone" % number,
            _say(_type="location", tst=1700000000 + number, lat=48.1, lon=16.3, tid="a" + "\u0301" * (size // 2 - 60)))


def zeros(number, size):
    """Waypoints that are none, for the board itself; each order differs, so that none is a repetition."""
    entries = ",".join(["0"] * (size // 2))
    return OWN, ('{"_type":"cmd","action":"setWaypoints","n":%d,"waypoints":{"_type":"waypoints","waypoints":[%s]}}'
                 % (number, entries)).encode()


def order(number, size):
    """Nothing but bytes, on the topic of commands."""
    return OWN, b'{"_type":"cmd","action":"' + b"x" * size + b'"}'


def heap(number, size):
    """Nothing but bytes, on the topic of somebody's card."""
    return "owntracks/big%d/phone/info" % number, b'{"_type":"card","name":"' + b"x" * size + b'"}'


KINDS = {kind.__name__: kind for kind in (place, crossing, card, tid, zeros, order, heap)}


class Publisher:
    """One connection that publishes as fast as the broker takes it."""

    # Without an answer under way: the broker says how many it stands at level 5 (mosquitto: 20).
    WINDOW = {4: 2000, 5: 20}

    def __init__(self, port, level=4, name="flood"):
        self.level, self.sent, self.answered = level, 0, 0
        self._socket = socket.create_connection(("127.0.0.1", port), 5)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._reader = self._socket.makefile("rb")
        self._socket.sendall(packets.connect("%s%d" % (name, os.getpid()), level))
        kind, _, body = packets.read(self._reader)
        if kind != packets.CONNACK or body[1] != 0:
            raise ConnectionError("the broker refuses the flood: %r" % body)
        self._socket.settimeout(None)
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        try:
            while True:
                self.answered += packets.read(self._reader)[0] == packets.PUBACK
        except (OSError, EOFError):
            pass

    def send(self, messages, qos=0, is_retained=False):
        """Some (topic, payload), in one write."""
        while qos and self.sent - self.answered >= self.WINDOW[self.level]:
            time.sleep(0.0005)
        self._socket.sendall(b"".join(
            packets.publish(topic, payload, qos, (self.sent + at) % 65000 + 1, is_retained, self.level)
            for at, (topic, payload) in enumerate(messages)))
        self.sent += len(messages)

    def finish(self, qos):
        """Until the broker has all of it."""
        if qos:
            in_the_end(lambda: self.answered >= self.sent)
        else:
            self._socket.sendall(packets.packet(0xC0, b""))
            time.sleep(0.1)
        self._socket.sendall(packets.packet(0xE0, b""))


def main(kind, port, count=0, rate=0, seconds=0, size=0, qos=0, level=4, isRetained=False):
    make, begun, number = KINDS[kind], time.monotonic(), 0
    publisher = Publisher(port, level)
    sizes = 0
    while (not count or number < count) and (not seconds or time.monotonic() - begun < seconds):
        passed = time.monotonic() - begun
        due = int(passed * rate) - number if rate else 50
        due = min(due, count - number) if count else due
        due = min(due, max(1, (1 << 18) // max(size, 200)), 200)
        if due <= 0:
            time.sleep(0.002)
            continue
        messages = [make(number + at, size) for at in range(due)]
        sizes += sum(len(payload) for _, payload in messages)
        publisher.send(messages, qos, isRetained)
        number += due
    publisher.finish(qos)
    took = time.monotonic() - begun
    print(json.dumps({"sent": number, "megabytes": round(sizes / 1e6, 1), "seconds": round(took, 1),
                      "rate": round(number / took)}), flush=True)


class Flood(Server):
    """A flood that runs beside the judge; `sums()` once it has ended."""

    def __init__(self, world, kind, **wishes):
        super().__init__("flood-%s-%d" % (kind, len(world._closing)), world.folder)
        world._closing.append(self.kill)
        told = {"port": world.broker.port, "kind": kind, **wishes}
        self.spawn([sys.executable, os.path.abspath(__file__), json.dumps(told)])

    def sums(self):
        """Waits for its end: {"sent", "megabytes", "seconds", "rate"}."""
        in_the_end(lambda: not self.is_alive(), seconds=240)
        said = self.log().splitlines()
        try:
            return json.loads(said[-1])
        except (IndexError, ValueError):
            raise RuntimeError("the flood did not come to its end: %s" % said[-3:])


if __name__ == "__main__":
    main(**json.loads(sys.argv[1]))
