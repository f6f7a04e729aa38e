"""The end of the notify socket that systemd holds: keeps what the daemon says, and when."""
import os
import socket
import threading
import time

from waiting import in_the_end
from world import expect


class Systemd:
    def __init__(self, world, watchdog):
        """`watchdog`: seconds of silence after which systemd would kill."""
        self.path, self.watchdog = os.path.join(world.folder, "notify"), watchdog
        self.said, self._flushed = [], ""
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(self.path)
        self._socket.settimeout(0.2)
        self._is_closed = False
        world._closing.append(self.close)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def environment(self):
        return {"NOTIFY_SOCKET": self.path, "WATCHDOG_USEC": str(int(self.watchdog * 1e6))}

    def _run(self):
        while not self._is_closed:
            try:
                text = self._socket.recv(4096).decode()
            except TimeoutError:
                continue
            if text.startswith("flushed "):
                self._flushed = text
            else:
                self.said.append((time.monotonic(), text))

    def flush(self):
        """All that was said before has been heard."""
        word = "flushed %d" % time.monotonic_ns()
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
            line.sendto(word.encode(), self.path)
        expect(in_the_end(lambda: self._flushed == word), "nobody listens to the daemon")

    def close(self):
        self._is_closed = True
        self._thread.join(2)
        self._socket.close()

    def heard(self, word, since, until):
        return [moment for moment, text in self.said if word in text and since <= moment <= until]
