"""The two programs and their disks: one life that is recorded, and the start after each cut."""
import json
import mmap
import os
import select
import shutil
import stat
import subprocess
import tempfile

import disk
import mounts
from recording import Recording

_TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../board/imaging/rootfs/etc/fstab")
_FLAGS = mounts.NOATIME | mounts.NOSUID | mounts.NODEV | mounts.NOEXEC
_BYTES = 10 << 20
_RESERVE = 256 * 1024
_NAMES = {"store.sqlite", "store.sqlite-journal", "store.log", "store.reserve"}
_PATIENCE = 60


def _commit():
    """How often ext4 writes its journal where the image has the store: "commit=SECONDS"."""
    with open(_TABLE, encoding="utf-8") as table:
        line = next(line.split() for line in table if line.startswith("LABEL=homeward-data"))
    return next(option for option in line[3].split(",") if option.startswith("commit="))


def why_not():
    """What is missing here; nothing: all is there, as far as can be seen without trying."""
    if os.geteuid() != 0:
        return "mounting takes root"
    for path, what in (("/dev/fuse", "FUSE"), ("/dev/loop-control", "loop devices")):
        if not os.path.exists(path):
            return "no %s here (%s)" % (what, path)
    return None if shutil.which("mkfs.ext4") else "no mkfs.ext4 here (e2fsprogs)"


class CannotMount(Exception):
    pass


class Bench:
    """Everything that is mounted and started, in a mount namespace of its own; to be made once in a process."""

    def __init__(self, program):
        self.program = program
        self.folder = tempfile.mkdtemp(prefix="homeward-cuts-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
        self.disk, self.mounted = self.folder + "/disk", self.folder + "/mounted"
        self.store = self.mounted + "/store"
        self.checker = self.loop = None
        os.mkdir(self.disk)
        os.mkdir(self.mounted)
        file = os.memfd_create("homeward-cuts")
        os.truncate(file, _BYTES)
        self.image = mmap.mmap(file, _BYTES)
        try:
            # A root that is shut into a container may do none of this.
            mounts.own_namespace()
            self.loop = mounts.Loop(file)
            disk.Disk(self.disk, bytes(4096), os.devnull).end()
            # What every first life begins on.
            self.new = self._empty()
        except OSError as error:
            self.close()
            raise CannotMount("this root may not mount here: %s" % error) from error

    def close(self):
        """What is mounted goes with the namespace, loop devices with their last descriptor."""
        if self.checker:
            self._end_checker()
        if self.loop:
            self.loop.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _empty(self):
        """The bytes of a file system with an empty folder for the store, as an installation leaves it."""
        path = self.folder + "/new"
        with open(path, "wb") as file:
            file.truncate(_BYTES)
        subprocess.run(["mkfs.ext4", "-q", "-F", "-b", "4096", "-J", "size=4", "-m", "1", "-O", "^resize_inode",
                        "-E", "lazy_itable_init=0,lazy_journal_init=0,nodiscard", path], check=True)
        with open(path, "rb") as file:
            image = file.read()
        os.unlink(path)
        self.image[:] = image
        self.loop.forget_cached()
        self._mount(self.loop)
        os.mkdir(self.store)
        mounts.unmount(self.mounted)
        return bytes(self.image)

    def _mount(self, loop):
        mounts.mount(loop.path, self.mounted, "ext4", _FLAGS, _commit())

    # One life.

    def life(self, base, seeds, batches, kills, is_closed):
        """A recording of the store being opened on these bytes and written to, as many batches for each of the seeds.
        `kills`: seconds after which all but the last process are killed."""
        record = self.folder + "/record"
        device = disk.Disk(self.disk, base, record)
        try:
            file = os.open(device.path, os.O_RDWR | os.O_CLOEXEC)
            try:
                loop = mounts.Loop(file)
            finally:
                os.close(file)
            try:
                self._mount(loop)
                try:
                    for seed, kill in zip(seeds, [*kills, None]):
                        self._write(device.marks, seed, batches, kill, is_closed)
                finally:
                    mounts.unmount(self.mounted)
            finally:
                loop.close()
        finally:
            device.end()
        with open(record, "rb") as file:
            return Recording(base, file.read())

    def _write(self, marks, seed, batches, kill, is_closed):
        command = [self.program, "write", self.store, marks, str(seed), str(batches)]
        process = subprocess.Popen(command + ["close"] * is_closed, env=_environment())
        try:
            status = process.wait(kill or _PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            status = process.wait()
            if kill:
                return
        if status != 0:
            raise RuntimeError("the writer of seed %d ended with status %d" % (seed, status))

    # The start after a cut.

    def start(self):
        """What the next start finds in `image`: the answer of the checker, and whether the file system had to be
        repaired before it could be mounted, as a board does at each start. No answer: nothing could be mounted."""
        self.loop.forget_cached()
        is_repaired = False
        try:
            self._mount(self.loop)
        except OSError:
            is_repaired = True
            if not self._repair():
                return None, True
        try:
            answer = self.ask(self.store)
            if "error" not in answer:
                answer["strange"] = self._strange()
            return answer, is_repaired
        finally:
            mounts.unmount(self.mounted)

    def _repair(self):
        subprocess.run(["e2fsck", "-fy", self.loop.path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       check=False)
        self.loop.forget_cached()
        try:
            self._mount(self.loop)
        except OSError:
            return False
        return True

    def _strange(self):
        """Files that should not be there, or should not be so."""
        words = []
        for name in sorted(os.listdir(self.store)):
            found = os.stat(os.path.join(self.store, name))
            if name not in _NAMES:
                words.append("%s is there" % name)
            elif stat.S_IMODE(found.st_mode) != 0o600:
                words.append("%s has the mode %o" % (name, found.st_mode))
            elif name == "store.reserve" and (found.st_size, found.st_blocks * 512) != (_RESERVE, _RESERVE):
                words.append("the reserve holds %d bytes" % (found.st_blocks * 512))
        return words

    def ask(self, folder):
        if self.checker is None:
            self.checker = subprocess.Popen([self.program, "check"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            env=_environment(), bufsize=0)
        line = b""
        try:
            self.checker.stdin.write(folder.encode() + b"\n")
            while not line.endswith(b"\n"):
                if not select.select([self.checker.stdout], [], [], _PATIENCE)[0]:
                    self._end_checker()
                    return {"error": "no answer in %d s" % _PATIENCE}
                more = os.read(self.checker.stdout.fileno(), 1 << 20)
                if not more:
                    return {"error": "the program ended with status %d" % self._end_checker()}
                line += more
        except BrokenPipeError:
            return {"error": "the program ended with status %d" % self._end_checker()}
        return json.loads(line)

    def _end_checker(self):
        checker, self.checker = self.checker, None
        checker.stdin.close()
        try:
            return checker.wait(5)
        except subprocess.TimeoutExpired:
            checker.kill()
            return checker.wait()
        finally:
            checker.stdout.close()


def _environment():
    return {**os.environ, "SWIFT_DETERMINISTIC_HASHING": "1"}
