"""A persistent-session MQTT 3.1.1 subscriber on plain sockets.

It keeps of every message what tests need to see and most clients hide: arrival, retain and repeat flag.
"""
import json
import socket
import threading
import time

import packets
from waiting import IN_THE_END


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
    """Subscribes at QoS 1 and keeps coming back, so that what a broker stored meanwhile is seen too.

    Two of one name at one broker would end each other's connection for ever, and some messages would reach neither: the
    second is refused until the first is closed."""

    taken = set()

    def __init__(self, port, topics, name="watcher", keeps_session=True):
        self._place = (port, name)
        if self._place in self.taken:
            raise RuntimeError("a subscriber %s at port %d is still open" % (name, port))
        self.taken.add(self._place)
        self.port, self.topics, self.name, self.keeps_session = port, topics, name, keeps_session
        self.messages, self.arrival = [], threading.Condition()
        self.is_subscribed = threading.Event()
        self._socket, self._is_closed, self._writing = None, False, threading.Lock()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        if not self.is_subscribed.wait(IN_THE_END):
            raise RuntimeError("no subscription at the broker on port %d" % port)

    def publish(self, topic, payload, is_retained=False):
        """At QoS 0: for what a test says to the tracker."""
        self._send(packets.publish(topic, payload, is_retained=is_retained))

    def wait(self, predicate, seconds=IN_THE_END):
        """Whether `predicate(messages)` comes true."""
        with self.arrival:
            return self.arrival.wait_for(lambda: predicate(self.messages), seconds)

    def close(self):
        self._is_closed = True
        try:
            self._send(packets.packet(0xE0, b""))
            self._socket.shutdown(socket.SHUT_RDWR)
        except (OSError, AttributeError):
            pass
        self._thread.join(2)
        self.taken.discard(self._place)

    def _run(self):
        while not self._is_closed:
            try:
                self._session()
            except (OSError, EOFError):
                self.is_subscribed.clear()
                time.sleep(0.1)

    def _connection(self):
        return socket.create_connection(("127.0.0.1", self.port), IN_THE_END)

    def _session(self):
        with self._connection() as self._socket:
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            reader = self._socket.makefile("rb")
            self._send(packets.connect(self.name, is_clean=not self.keeps_session))
            kind, _, body = packets.read(reader)
            if kind != packets.CONNACK or body[1] != 0:
                raise EOFError("refused: %r" % body)
            self._send(packets.subscribe(self.topics))
            self._socket.settimeout(None)
            while True:
                kind, flags, body = packets.read(reader)
                if kind == packets.PUBLISH:
                    self._take(flags, body)
                elif kind == packets.SUBACK:
                    self.is_subscribed.set()

    def _take(self, flags, body):
        topic, payload, qos, number = packets.published(flags, body)
        message = Message(topic, payload, qos, bool(flags & 1), bool(flags & 8))
        with self.arrival:
            self.messages.append(message)
            self.arrival.notify_all()
        if qos:
            self._send(packets.acknowledge(packets.PUBACK, number))

    def _send(self, data):
        with self._writing:
            self._socket.sendall(data)


def retained(port, topics):
    """What the broker keeps on these topics: the messages, in their order. A ping follows the subscription, and what
    answers it comes after all that was kept: nobody has to wait for what may not be there."""
    found = []
    with socket.create_connection(("127.0.0.1", port), IN_THE_END) as line:
        reader = line.makefile("rb")
        line.sendall(packets.connect("later") + packets.subscribe(topics, qos=0) + packets.packet(0xC0, b""))
        while True:
            kind, flags, body = packets.read(reader)
            if kind == packets.PUBLISH:
                topic, payload, qos, _ = packets.published(flags, body)
                found.append(Message(topic, payload, qos, bool(flags & 1), False))
            elif kind == packets.PINGRESP:
                line.sendall(packets.packet(0xE0, b""))
                return [message for message in found if message.is_retained]
