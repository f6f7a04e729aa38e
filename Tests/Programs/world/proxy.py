"""A TCP proxy that plays a bad network between the tracker and the broker.

cut("refuse")  nobody listens, connections are reset: the host is up, the service is gone
cut("stall")   bytes stop, nothing closes: a tunnel
forget()       what is connected carries nothing any more and is not ended; new connections are as ever
cut("drop")    bytes vanish; on restore the old connections are reset: a new address, a dead NAT entry
delay          seconds that every byte waits, each way
limit          connections at a time: one too many is closed at once
"""
import collections
import select
import socket
import struct
import threading
import time


class Flow:
    """One direction of a connection."""

    def __init__(self, source, sink):
        self.source, self.sink = source, sink
        self.waiting, self.is_ended = collections.deque(), False


class Proxy:
    LIMIT = 1 << 20

    def __init__(self, port, target, delay=0.0):
        self.port, self.target, self.delay, self.mode = port, target, delay, None
        self.connections, self.limit = 0, None
        self._flows, self._listener, self._is_closed = [], None, False
        self._forgotten = []
        self._lock, self._wake = threading.Lock(), socket.socketpair()
        self._listen()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def cut(self, mode):
        with self._lock:
            self.mode = mode
            if mode == "refuse":
                self._listener.close()
                self._listener = None
                self._reset()
        self._wake[1].send(b".")

    def restore(self):
        with self._lock:
            mode, self.mode = self.mode, None
            if mode == "drop":
                self._reset()
            if self._listener is None:
                self._listen()
        self._wake[1].send(b".")

    def forget(self):
        with self._lock:
            # Kept, or they would be closed.
            self._forgotten += self._flows
            self._flows = []
        self._wake[1].send(b".")

    def close(self):
        self._is_closed = True
        self._wake[1].send(b".")
        self._thread.join(2)
        with self._lock:
            self._reset()
            self._flows, self._forgotten = self._forgotten, []
            self._reset()
            if self._listener:
                self._listener.close()

    def _listen(self):
        self._listener = socket.socket()
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._listener.bind(("127.0.0.1", self.port))
        self._listener.listen(16)

    def _reset(self):
        for flow in self._flows:
            try:
                flow.source.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            except OSError:
                continue
            flow.source.close()
        self._flows = []

    def _run(self):
        while not self._is_closed:
            with self._lock:
                reading, writing, wait = self._interests()
            try:
                ready, writable, _ = select.select(reading, writing, [], wait)
            except (OSError, ValueError):
                continue  # a socket was closed by a cut meanwhile
            with self._lock:
                self._work(set(ready), set(writable))

    def _interests(self):
        reading, writing, wait = [self._wake[0]], [], 1.0
        if self.mode == "stall":
            return reading, writing, wait
        if self._listener and self.mode != "drop":
            reading.append(self._listener)
        now = time.monotonic()
        for flow in self._flows:
            if not flow.is_ended and len(flow.waiting) < 4096:
                reading.append(flow.source)
            if flow.waiting and flow.waiting[0][0] <= now:
                writing.append(flow.sink)
            elif flow.waiting:
                wait = min(wait, flow.waiting[0][0] - now)
        return reading, writing, wait

    def _work(self, ready, writable):
        if self._wake[0] in ready:
            self._wake[0].recv(100)
        if self._listener in ready:
            self._accept()
        if self.mode == "stall":
            return
        for flow in list(self._flows):
            if flow.source in ready and flow.source.fileno() >= 0:
                self._read(flow)
            if flow.sink in writable and flow.sink.fileno() >= 0:
                self._write(flow)

    def _accept(self):
        near, _ = self._listener.accept()
        self.connections += 1
        if self.limit is not None and len(self._flows) >= 2 * self.limit:
            near.close()
            return
        try:
            far = socket.create_connection(("127.0.0.1", self.target), 2)
        except OSError:
            near.close()
            return
        for end in (near, far):
            end.setblocking(False)
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._flows += [Flow(near, far), Flow(far, near)]

    def _read(self, flow):
        try:
            data = flow.source.recv(65536)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if self.mode == "drop":
            flow.is_ended = flow.is_ended or not data
        else:
            flow.is_ended = not data
            flow.waiting.append((time.monotonic() + self.delay, data))

    def _write(self, flow):
        due, data = flow.waiting.popleft()
        try:
            sent = flow.sink.send(data) if data else 0
        except BlockingIOError:
            sent = 0
        except OSError:
            data = b""
        if not data:
            # One side has gone: so does the other, whatever still waits for it.
            ended = [f for f in self._flows if f.sink in (flow.sink, flow.source)]
            self._flows = [f for f in self._flows if f not in ended]
            flow.sink.close()
            flow.source.close()
        elif sent < len(data):
            flow.waiting.appendleft((due, data[sent:]))
