"""Another user who hangs on the control socket."""
import contextlib
import os
import signal
import socket
import threading
import time


@contextlib.contextmanager
def crowd(world):
    """Sixteen idle clients of another user, and forty that come again and again, as long as this lasts."""
    os.chmod(world.folder, 0o755)
    child = os.fork()
    if child == 0:
        try:
            _hang_about(world.tracker.socket)
        finally:
            os._exit(1)
    try:
        time.sleep(1)
        yield
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _hang_about(path):
    """Never returns."""
    os.setgroups([0])
    os.setgid(0)
    os.setuid(65534)
    idle = []

    def hang():
        while True:
            try:
                line = socket.socket(socket.AF_UNIX)
                line.connect(path)
                idle.append(line)
                line.recv(1)
            except OSError:
                pass

    def come_again():
        while True:
            try:
                with socket.socket(socket.AF_UNIX) as line:
                    line.connect(path)
                    line.sendall(b'["status"]\n')
                    line.recv(100)
            except OSError:
                pass

    for work, count in ((hang, 16), (come_again, 40)):
        for _ in range(count):
            threading.Thread(target=work, daemon=True).start()
    signal.pause()
