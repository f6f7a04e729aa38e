"""A guest that runs one command and is gone."""
import ctypes
import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import threading

from image import CannotBuild, image

MEMORY = 512  # megabytes
# What `start` in the guest ends its output with; the status follows.
END = b"\x1e"
COMMAND_LINE = "console=ttyS0 quiet panic=-1 mitigations=off nokaslr no_timer_check cryptomgr.notests=1 tsc=reliable"
START = """cd /
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8
stty -F /dev/ttyS1 raw -echo
sh /share/job/command </dev/null >/dev/ttyS1 2>&1
printf '\\036%d\\n' $? >/dev/ttyS1
exec busybox poweroff -f
"""

TIMED_OUT, FAILED, SKIPPED = 124, 125, 77


class Machine:
    """`shares`: (host folder, place in the guest, below /share) of what the guest may read."""

    def __init__(self, release, shares=(), seconds=300):
        self.release, self.shares, self.seconds = release, list(shares), seconds
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
            self._write_job(folder, command)
            console = os.path.join(folder, "console")
            guest = subprocess.Popen(
                self._emulator(emulator, made, folder, console), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
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

    def _write_job(self, folder, command):
        job = os.path.join(folder, "job")
        os.mkdir(job)
        texts = {
            "start": START, "command": "exec " + shlex.join(command) + "\n",
            "shares": "".join("s%d %s\n" % (n, place) for n, (_, place) in enumerate(self.shares)),
        }
        for name, text in texts.items():
            with open(os.path.join(job, name), "w") as file:
                file.write(text)

    def _emulator(self, emulator, made, folder, console):
        words = [
            emulator, "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", "-machine", "pc,accel=tcg",
            "-cpu", "Nehalem-v1", "-m", str(MEMORY), "-kernel", made + "/kernel", "-initrd", made + "/initrd",
            "-append", COMMAND_LINE, "-drive", "file=%s/disk,if=virtio,format=raw,snapshot=on" % made,
            "-serial", "file:" + console, "-serial", "stdio",
        ]
        shares = [("job", os.path.join(folder, "job"))]
        shares += [("s%d" % n, host) for n, (host, _) in enumerate(self.shares)]
        for tag, host in shares:
            words += ["-virtfs", "local,path=%s,mount_tag=%s,security_model=none,readonly=on,multidevs=remap"
                      % (host.replace(",", ",,"), tag)]
        return words


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
