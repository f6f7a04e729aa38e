"""The end of the notify socket that systemd holds: keeps what the daemon says, and when."""
import os
import socket
import threading
import time


class Systemd:
    def __init__(self, world, watchdog):
        """`watchdog`: seconds of silence after which systemd would kill."""
        self.path, self.watchdog = os.path.join(world.folder, "notify"), watchdog
        self.said = []
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
            self.said.append((time.monotonic(), text))

    def close(self):
        self._is_closed = True
        self._thread.join(2)
        self._socket.close()

    def heard(self, word, since, until):
        return [moment for moment, text in self.said if word in text and since <= moment <= until]

    def longest_silence(self, since, until):
        """Seconds without a sign of life between two moments."""
        moments = [since, *self.heard("WATCHDOG=1", since, until), until]
        return max(after - before for before, after in zip(moments, moments[1:]))
