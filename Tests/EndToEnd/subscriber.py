"""A persistent-session MQTT 3.1.1 subscriber on plain sockets.

It keeps of every message what tests need to see and most clients hide: arrival, retain and repeat flag.
"""
import json
import socket
import struct
import threading
import time


class Message:
    def __init__(self, topic, payload, qos, is_retained, is_repeat):
        self.topic, self.payload, self.qos = topic, payload, qos
        self.is_retained, self.is_repeat = is_retained, is_repeat
        self.arrived = time.monotonic()

    def json(self):
        """The object inside, or None where there is none."""
        try:
            value = json.loads(self.payload)
        except ValueError:
            return None
        return value if isinstance(value, dict) else None


class Subscriber:
    """Subscribes at QoS 1 and keeps coming back, so that what a broker stored meanwhile is seen too."""

    def __init__(self, port, topics, name="watcher", keeps_session=True):
        self.port, self.topics, self.name, self.keeps_session = port, topics, name, keeps_session
        self.messages, self.arrival = [], threading.Condition()
        self.is_subscribed = threading.Event()
        self._socket, self._is_closed, self._writing = None, False, threading.Lock()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        if not self.is_subscribed.wait(10):
            raise RuntimeError("no subscription at the broker on port %d within 10 s" % port)

    def publish(self, topic, payload, is_retained=False):
        """At QoS 0: for what a test says to the tracker."""
        self._send(0x30 | is_retained, _text(topic) + payload)

    def wait(self, predicate, seconds):
        """Whether `predicate(messages)` came true in time."""
        with self.arrival:
            return self.arrival.wait_for(lambda: predicate(self.messages), seconds)

    def close(self):
        self._is_closed = True
        try:
            self._send(0xE0, b"")
            self._socket.shutdown(socket.SHUT_RDWR)
        except (OSError, AttributeError):
            pass
        self._thread.join(2)

    def _run(self):
        while not self._is_closed:
            try:
                self._session()
            except (OSError, EOFError):
                self.is_subscribed.clear()
                time.sleep(0.1)

    def _session(self):
        with socket.create_connection(("127.0.0.1", self.port), 5) as self._socket:
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            reader = self._socket.makefile("rb")
            flags = 0 if self.keeps_session else 2
            self._send(0x10, _text("MQTT") + struct.pack(">BBH", 4, flags, 0) + _text(self.name))
            kind, _, body = _packet(reader)
            if kind != 2 or body[1] != 0:
                raise EOFError("refused: %r" % body)
            wanted = b"".join(_text(topic) + b"\1" for topic in self.topics)
            self._send(0x82, b"\0\1" + wanted)
            self._socket.settimeout(None)
            while True:
                kind, flags, body = _packet(reader)
                if kind == 3:
                    self._take(flags, body)
                elif kind == 9:
                    self.is_subscribed.set()

    def _take(self, flags, body):
        length = struct.unpack(">H", body[:2])[0]
        topic, rest, qos = body[2 : 2 + length].decode(), body[2 + length :], flags >> 1 & 3
        if qos:
            number, rest = rest[:2], rest[2:]
        message = Message(topic, rest, qos, bool(flags & 1), bool(flags & 8))
        with self.arrival:
            self.messages.append(message)
            self.arrival.notify_all()
        if qos:
            self._send(0x40, number)

    def _send(self, first, body):
        size, rest = bytearray(), len(body)
        while True:
            rest, low = rest >> 7, rest & 127
            size.append(low | (0x80 if rest else 0))
            if not rest:
                break
        with self._writing:
            self._socket.sendall(bytes([first]) + bytes(size) + body)


def _text(value):
    return struct.pack(">H", len(value.encode())) + value.encode()


def _packet(reader):
    """Kind, flags and body of the next packet; EOFError at the end."""
    first, length, shift = _exactly(reader, 1)[0], 0, 0
    while True:
        byte = _exactly(reader, 1)[0]
        length |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return first >> 4, first & 15, _exactly(reader, length)


def _exactly(reader, count):
    data = reader.read(count)
    if len(data) < count:
        raise EOFError
    return data
