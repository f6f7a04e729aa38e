"""A broker that means ill. What an honest mosquitto would not do, or not pass on, this does."""
import socket
import ssl
import struct
import threading
import time

import packets
from subscriber import Message


class Visitor:
    """One connection of a tracker."""

    def __init__(self, broker, line):
        self.broker, self.line, self.level, self.subscriptions = broker, line, 4, []
        self._writing = threading.Lock()

    def send(self, data):
        with self._writing:
            self.line.sendall(data)

    def serve(self):
        reader = self.line.makefile("rb")
        while True:
            kind, flags, body = packets.read(reader)
            if kind == packets.CONNECT:
                self.level = body[6]
                self.send(packets.packet(0x20, b"\0\0" + (b"\0" if self.level == 5 else b"")))
            elif kind == packets.SUBSCRIBE:
                self._subscribed(body)
            elif kind == packets.UNSUBSCRIBE:
                self.send(packets.packet(0xB0, body[:2] + (b"\0\0" if self.level == 5 else b"")))
            elif kind == packets.PUBLISH:
                self._published(flags, body)
            elif kind == packets.PINGREQ:
                self.send(packets.packet(0xD0, b""))

    def _subscribed(self, body):
        wanted = packets.filters(body, self.level)
        properties = b"\0" if self.level == 5 else b""
        self.send(packets.packet(0x90, body[:2] + properties + b"\1" * len(wanted)))
        is_first = not self.subscriptions
        self.subscriptions += wanted
        if is_first and self.broker.deed and self.broker.times > 0:
            self.broker.times -= 1
            threading.Thread(target=self._do, daemon=True).start()

    def _do(self):
        try:
            self.broker.deed(self)
        except OSError:
            pass  # thrown out, and rightly

    def _published(self, flags, body):
        topic, payload, qos, number = packets.published(flags, body, self.level)
        with self.broker.arrival:
            self.broker.messages.append(Message(topic, payload, qos, False, bool(flags & 8)))
            self.broker.arrival.notify_all()
        if qos:
            self.send(packets.acknowledge(packets.PUBACK, number))


class HostileBroker:
    """`deed(visitor)` is done to those who have subscribed, this many `times`; then it is an honest broker.
    Takes the place of a world's watcher. `certificate`: it speaks TLS with this one and its key."""

    def __init__(self, world, deed=None, times=3, certificate=None):
        self.port, self.deed, self.times, self.messages = world.broker.port, deed, times, []
        self.arrival, self.visits, self._lines = threading.Condition(), 0, []
        self._context = None
        if certificate:
            self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._context.load_cert_chain(*certificate)
        self._listener = socket.socket()
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._listener.bind(("127.0.0.1", self.port))
        self._listener.listen(16)
        world._closing.append(self.close)
        world.watcher = self
        threading.Thread(target=self._accept, daemon=True).start()

    def wait(self, predicate, seconds):
        with self.arrival:
            return self.arrival.wait_for(lambda: predicate(self.messages), seconds)

    def _accept(self):
        while True:
            try:
                line, _ = self._listener.accept()
            except OSError:
                return
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.visits += 1
            self._lines.append(line)
            threading.Thread(target=self._serve, args=(line,), daemon=True).start()

    def _serve(self, line):
        try:
            if self._context:
                line = self._context.wrap_socket(line, server_side=True)
            Visitor(self, line).serve()
        except (OSError, EOFError, IndexError, struct.error):
            pass
        finally:
            line.close()

    def close(self):
        for end in [self._listener, *self._lines]:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()


# What it may do

def never_releases(count=60_000, size=1000):
    """QoS 2 messages that the tracker has to keep until a release that does not come."""
    def deed(visitor):
        for number in range(1, count + 1):
            visitor.send(packets.publish("owntracks/x/y", b"x" * size, 2, number, level=visitor.level))
    return deed


def one_packet(megabytes, topic="owntracks/ute/board/cmd"):
    """A packet of this size, whatever the tracker has said it takes."""
    def deed(visitor):
        visitor.send(packets.publish(topic, b"x" * (megabytes << 20), level=visitor.level))
        time.sleep(0.1)
    return deed
