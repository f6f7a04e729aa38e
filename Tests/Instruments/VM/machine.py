"""A guest that runs one command and is gone."""
import ctypes
import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import threading
import time

from archive import Archive
from image import CannotBuild, image

MEMORY = 512  # megabytes
# An instruction takes 2^SHIFT ns of the guest's time, as on a small board, and a wait takes no time at all: its
# clock leaps to the end of it. So what is timed inside does not depend on how busy this machine is.
SHIFT = 1
# What `first` in the guest ends the output with; the status follows.
END = b"\x1e"
COMMAND_LINE = "console=ttyS0 quiet panic=-1 mitigations=off nokaslr no_timer_check cryptomgr.notests=1 tsc=reliable"

TIMED_OUT, FAILED, SKIPPED = 124, 125, 77


class Machine:
    """`shares`: (file or folder here, place in the guest) of what is copied into it; `seconds`: of real time; `clock`:
    what its hardware clock says at the start, Unix seconds (None: what this machine's does); `modules`: files that are
    memory which keeps what it holds, /dev/pmem0 and so on in any order. What is written to such a device is in the file at once, with
    no waiting that the guest's clock could leap over; what the guest holds back goes with its power."""

    def __init__(self, release, shares=(), seconds=300, clock=None, modules=()):
        self.release, self.shares, self.seconds, self.clock = release, list(shares), seconds, clock
        self.modules = list(modules)
        self.has_timed_out = False

    def run(self, command, say):
        """Runs `command` (a list of words) as root; `say(bytes)` gets each line of its output. Returns its exit
        status, TIMED_OUT or FAILED. Raises CannotBuild."""
        emulator = shutil.which("qemu-system-x86_64")
        if os.uname().machine != "x86_64":
            raise CannotBuild("the guest is built for x86-64 only")
        if emulator is None:
            raise CannotBuild("qemu-system-x86_64 is missing")
        made = image(self.release)
        with tempfile.TemporaryDirectory(prefix="hw-vm-") as folder:
            console, initrd = os.path.join(folder, "console"), os.path.join(folder, "initrd")
            self._write_initrd(made, initrd, command)
            guest = subprocess.Popen(
                self._emulator(emulator, made, initrd, console), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, preexec_fn=_die_with_parent)
            limit = threading.Timer(self.seconds, self._time_out, [guest])
            limit.start()
            try:
                status = _relay(guest.stdout, say)
            finally:
                limit.cancel()
                guest.kill()
                guest.wait()
            if status is None and self.has_timed_out:
                return TIMED_OUT
            if status is None:
                _show_end(console, say)
                return FAILED
            return status

    def _time_out(self, guest):
        self.has_timed_out = True
        guest.kill()

    def _write_initrd(self, made, place, command):
        """The image, and behind it what this machine is for."""
        shutil.copyfile(made + "/initrd", place)
        with open(place, "ab") as file:
            archive = Archive(file)
            for source, name in self.shares:
                archive.add_tree(source, name.strip("/"))
            archive.add("share/job/command", 0o100644, b"exec " + shlex.join(command).encode() + b"\n")
            archive.close()

    def _emulator(self, emulator, made, initrd, console):
        return [
            emulator, "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", "-machine", "pc,accel=tcg",
            "-cpu", "Nehalem-v1", "-icount", "shift=%d,sleep=off" % SHIFT, *self._memory(),
            "-kernel", made + "/kernel", "-initrd", initrd, "-append", COMMAND_LINE,
            "-serial", "file:" + console, "-serial", "stdio", *self._clock(),
        ]

    def _memory(self):
        if not self.modules:
            return ["-m", str(MEMORY)]
        room = sum(os.path.getsize(path) for path in self.modules) >> 20
        words = ["-machine", "nvdimm=on", "-m", "%dM,slots=%d,maxmem=%dM" % (MEMORY, len(self.modules), MEMORY + 2 * room)]
        for number, path in enumerate(self.modules):
            words += ["-object", "memory-backend-file,id=module%d,share=on,mem-path=%s,size=%d" % (
                number, path, os.path.getsize(path)), "-device", "nvdimm,memdev=module%d" % number]
        return words

    def _clock(self):
        """It runs with the guest's time, leaps and all."""
        if self.clock is None:
            return []
        start = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(self.clock))
        return ["-rtc", "base=%s,clock=vm" % start]


def _relay(output, say):
    """Passes lines on until the one that carries the status; None where the output ended without."""
    for line in output:
        text, end, status = line.partition(END)
        if text:
            say(text)
        if end:
            return int(status)
    return None


def _show_end(console, say):
    try:
        with open(console, "rb") as file:
            for line in file.read().splitlines()[-15:]:
                say(b"# guest: " + line + b"\n")
    except OSError:
        pass


def _die_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
