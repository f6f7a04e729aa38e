"""A parked board's lives, one after the other: each is a guest of its own (Tests/Instruments/VM), with the store that the
one before has left, and with its hardware clock at the alarm that the one before has set."""
import base64
import io
import json
import os
import shlex
import shutil
import subprocess
import sys
import tarfile
import threading

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "world"))
from tracker import BINARIES, ROOT, TOPIC  # noqa: E402

sys.path.insert(0, os.path.join(ROOT, "Tests/Instruments/VM"))
from image import RELEASES, CannotBuild  # noqa: E402, F401 (for who runs lives)
from machine import Machine  # noqa: E402
from cut import DISK, IS_COPIED, IS_CUT, PAGE  # noqa: E402

HERE = "/share/homeward/Tests/Programs"
HOURS = 6
# Of real time, for one life: a busy machine takes several times what an idle one does.
SECONDS = 900


def own_release():
    with open("/etc/os-release") as file:
        text = file.read()
    return next((name for name in RELEASES if "VERSION_CODENAME=" + name in text), RELEASES[0])


class Life:
    """How one of them went: `seconds` from power to off, `heard`: what reached the broker's subscriber in it."""

    def __init__(self, told, true_start, clock_start):
        self.seconds, self.alarm, self.clock = told["seconds"], told["alarm"], told["clock"]
        self.answer = told.get("answer", "")
        self.asked, self.said, self.log, self.status = told["asked"], told["said"], told["log"], told["status"]
        self.heard = [(topic, message) for topic, message in told["heard"]]
        self.is_cut, self.found = told.get("cut", False), told["found"]
        self.true_start, self.clock_start = true_start, clock_start

    @property
    def wakes_after(self):
        """Seconds from the end of this life to the alarm."""
        return self.alarm - self.clock

    def places(self):
        return [message for topic, message in self.heard if topic == TOPIC and message["_type"] == "location"]

    def crossings(self):
        return [message for topic, message in self.heard if topic == TOPIC + "/event"]

    def words(self):
        return [message["linux"] for topic, message in self.heard if topic == TOPIC + "/status"]


class Disk:
    """Memory that keeps what it holds, with a file system, and a page through which cut.py speaks. After a life whose power
    was cut it is as it was at that moment."""

    def __init__(self, folder):
        self.path, self.page, self.cut = (os.path.join(folder, name) for name in ("disk", "page", "disk.cut"))
        for path, size in ((self.path, DISK), (self.page, PAGE)):
            with open(path, "wb") as file:
                file.truncate(size)
        subprocess.run(["mke2fs", "-q", "-F", "-t", "ext4", self.path], check=True)

    def during(self, run):
        """What `run` returns, with somebody there who copies the disk when its power is cut."""
        with open(self.page, "r+b") as file:
            file.write(bytes(64))
        is_over = threading.Event()
        watch = threading.Thread(target=self._watch, args=(is_over,))
        watch.start()
        try:
            return run()
        finally:
            is_over.set()
            watch.join()
            if os.path.exists(self.cut):
                os.replace(self.cut, self.path)

    def _watch(self, is_over):
        while not is_over.wait(0.02):
            with open(self.page, "r+b") as file:
                if file.read(len(IS_CUT) + 1) != IS_CUT + b"\0":
                    continue
                shutil.copyfile(self.path, self.cut)
                file.seek(0)
                file.write(IS_COPIED + bytes(16))
                return


class Board:
    """`folder` is for what it leaves. Time is what the world's clocks say; its own clock may be `wrong` by seconds. A board
    that `has_disk` can have its power cut."""

    def __init__(self, folder, start, has_disk=False):
        self.folder, self.now, self.wrong, self.disk, self.alarm = folder, start, 0, None, 0
        os.makedirs(os.path.join(folder, "life"), exist_ok=True)
        os.makedirs(os.path.join(folder, "bin"), exist_ok=True)
        for name in ("homewardd", "homeward"):
            subprocess.run(["strip", "-o", os.path.join(folder, "bin", name), os.path.join(BINARIES, name)], check=True)
        if has_disk:
            self.disk = Disk(folder)

    def live(self, network=True, receiver=True, place=None, cut=None, **more):
        """`cut`: seconds from power-on to the cut of the power. `more`: volts, settings, order, as wake.py has them."""
        plan = {"network": network, "receiver": receiver, "offset": -self.wrong, "place": place, "alarm": self.alarm,
                "disk": self.disk is not None, **more}
        shares = [(os.path.join(ROOT, name), "/share/homeward/" + name) for name in ("Tests/Programs", "board")]
        shares += [(self.folder + "/bin", "/share/bin"), (self.folder + "/life", "/share/life")]
        words = "export PYTHONPATH=%s/world HOMEWARD_BIN=/share/bin; " % HERE
        if cut is not None:
            words += "chrt -f 99 python3 -B %s/sleep/cut.py %.2f & " % (HERE, cut)
        words += "python3 -B %s/sleep/wake.py %s" % (HERE, shlex.quote(json.dumps(plan)))
        lines, modules = [], [self.disk.path, self.disk.page] if self.disk else []
        machine = Machine(own_release(), shares, SECONDS, self.now + self.wrong, modules)

        def run():
            return machine.run(["sh", "-c", words], lines.append)
        status = self.disk.during(run) if self.disk else run()
        if status != 0:
            raise AssertionError("the guest ended with %d:\n%s" % (status, b"".join(lines[-30:]).decode(errors="replace")))
        told = json.loads(lines[-1])
        self._keep(told.pop("life"))
        life = Life(told, self.now, self.now + self.wrong)
        self.now += life.clock - life.clock_start
        if not life.is_cut:
            self.now += life.wakes_after
        return life

    def _keep(self, packed):
        shutil.rmtree(self.folder + "/life")
        with tarfile.open(fileobj=io.BytesIO(base64.b64decode(packed)), mode="r:xz") as archive:
            archive.extractall(self.folder)
