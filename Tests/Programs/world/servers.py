"""Private servers for one test: ports nobody else has, mosquitto, and gpsd on a pseudo-terminal."""
import ctypes
import os
import pty
import shutil
import signal
import socket
import subprocess
import threading
import time
import tty

from waiting import IN_THE_END, in_the_end, poll  # noqa: F401 (poll is taken from here)

# Below the range that Linux gives to outgoing connections, so that nothing takes one by chance.
# A process keeps what it was given, and some play hundreds of worlds: eight programs run at once.
PORTS = range(24000, 27000)
_claimed = []
# Programs that are run in place of those that are installed: {"mosquitto": "/elsewhere/mosquitto"}.
instead = {}


def free_port():
    """A port that is free now and that no other test of ours will be given while this process lives."""
    for port in PORTS:
        claim = socket.socket(socket.AF_UNIX)
        try:
            claim.bind("\0homeward-test-port-%d" % port)
        except OSError:
            claim.close()
            continue
        _claimed.append(claim)
        if is_free(port):
            return port
    raise RuntimeError("no free port in %d..%d" % (PORTS[0], PORTS[-1]))


def is_free(port):
    """Whether nobody has it, and no connection of who had it before is still being forgotten: a server that begins with
    SO_REUSEADDR is refused by what one without has left for a minute."""
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def is_listening(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _die_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


class Server:
    """A process of ours with its output in a file."""

    def __init__(self, name, folder):
        self.name, self.folder, self.process = name, folder, None
        self.log_path = os.path.join(folder, name + ".log")

    def spawn(self, command, env=None):
        assert self.process is None, self.name + " runs already"
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=env,
                preexec_fn=_die_with_parent)

    @property
    def pid(self):
        return self.process.pid

    def is_alive(self):
        return self.process is not None and self.process.poll() is None

    def stop(self, number=signal.SIGTERM, seconds=IN_THE_END):
        """Its exit status (negative: the signal that ended it), None when it was not running or did not end."""
        process, self.process = self.process, None
        if process is None:
            return None
        if process.poll() is None:
            process.send_signal(number)
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            return None

    def kill(self):
        return self.stop(signal.SIGKILL)

    def log(self):
        try:
            with open(self.log_path, errors="replace") as file:
                return file.read()
        except OSError:
            return ""


class Broker(Server):
    """A mosquitto that keeps what it has over a restart."""

    # The port of a broker that somebody else runs on this machine, in its place.
    elsewhere = None

    def __init__(self, folder, port=None, extra=""):
        super().__init__("mosquitto", folder)
        self.port = port or self.elsewhere or free_port()
        self.settings = os.path.join(folder, "mosquitto.conf")
        lines = [
            "listener %d 127.0.0.1" % self.port, "allow_anonymous true", "persistence true",
            "persistence_location %s/" % folder, "autosave_interval 1", "autosave_on_changes true",
            "max_queued_messages 0", "set_tcp_nodelay true", extra,
        ]
        if os.geteuid() == 0:
            lines.append("user root")
        with open(self.settings, "w") as file:
            file.write("\n".join(lines) + "\n")

    def start(self):
        if not self.elsewhere:
            self.spawn([program("mosquitto"), "-c", self.settings])
        if not in_the_end(lambda: is_listening(self.port)):
            raise RuntimeError("mosquitto does not listen on port %d\n%s" % (self.port, self.log()))
        return self


class Gpsd(Server):
    """A gpsd whose receiver is a pseudo-terminal that we write to; the line stays when gpsd goes."""

    def __init__(self, folder, port=None):
        super().__init__("gpsd", folder)
        self.port = port or free_port()
        self._line, self._far_end = pty.openpty()
        for end in (self._line, self._far_end):
            tty.setraw(end)
        os.set_blocking(self._line, False)
        self.device = os.ttyname(self._far_end)
        os.chmod(self.device, 0o666)  # gpsd gives up root before it opens this
        # All the time, and without a word to the receiver.
        self.flags = ["-n", "-b"]

    def start(self):
        self.spawn([program("gpsd"), "-N", *self.flags, "-S", str(self.port), self.device])
        if not in_the_end(lambda: is_listening(self.port)):
            raise RuntimeError("gpsd does not listen on port %d\n%s" % (self.port, self.log()))
        return self

    def write(self, data):
        while data:
            try:
                data = data[os.write(self._line, data):]
            except BlockingIOError:
                if not self.is_alive():
                    return  # nobody reads: a serial line would lose the bytes too
                time.sleep(0.001)

    def written(self):
        """What gpsd has written to the receiver since the last call."""
        data = b""
        try:
            while piece := os.read(self._line, 65536):
                data += piece
        except BlockingIOError:
            pass
        return data

    def close(self):
        self.stop()
        os.close(self._line)
        os.close(self._far_end)


class Feeder(threading.Thread):
    """Writes epochs to gpsd, `hz` of them a second; `sent[tst]` is the moment it did."""

    def __init__(self, gpsd, epochs, hz):
        super().__init__(daemon=True)
        self.gpsd, self.epochs, self.hz = gpsd, list(epochs), hz
        self.sent, self.is_stopped = {}, False
        self.start()

    def run(self):
        start = time.monotonic()
        for count, epoch in enumerate(self.epochs):
            time.sleep(max(0.0, start + count / self.hz - time.monotonic()))
            if self.is_stopped:
                return
            self.sent[epoch.tst] = time.monotonic()
            self.gpsd.write(epoch.burst)

    def stop(self):
        self.is_stopped = True
        self.join()


def program(name):
    """Debian keeps daemons in /usr/sbin, which is not in everybody's PATH."""
    path = instead.get(name) or shutil.which(name) or shutil.which(name, path="/usr/local/sbin:/usr/sbin:/sbin")
    if path is None:
        raise RuntimeError("%s is not installed" % name)
    return path
