"""A memory cgroup around the tracker, as MemoryMax= of its unit makes one: v1 or v2, whichever is here."""
import os
import time

from world import Skip, as_root

V1, V2 = "/sys/fs/cgroup/memory", "/sys/fs/cgroup"
MEGABYTE = 1 << 20


class Cell:
    """`before` goes before the command of what shall live in it."""

    def __init__(self, world, megabytes=32):
        as_root()
        self.limit = megabytes * MEGABYTE
        self.path = self._make("hw-attack-" + os.path.basename(world.folder))
        # Undone after the tracker's end: a cell with somebody in it cannot be removed.
        world._closing.insert(1, self.close)
        self.before = ["sh", "-c", 'echo $$ > "$0/cgroup.procs" && exec "$@"', self.path]

    def _make(self, name):
        try:
            if os.path.exists(V1 + "/memory.limit_in_bytes"):
                path = os.path.join(V1, name)
                os.mkdir(path)
                self._limit(path, "memory.limit_in_bytes", "memory.memsw.limit_in_bytes")
                return path
            with open(V2 + "/cgroup.controllers") as file:
                if "memory" not in file.read().split():
                    raise Skip("no memory cgroup here: neither v1 nor v2 has the memory controller")
            with open(V2 + "/cgroup.subtree_control", "w") as file:
                file.write("+memory")
            path = os.path.join(V2, name)
            os.mkdir(path)
            self._limit(path, "memory.max", "memory.swap.max")
            return path
        except OSError as error:
            raise Skip("no memory cgroup can be made here: %s" % error)

    def _limit(self, path, memory, swap):
        with open(os.path.join(path, memory), "w") as file:
            file.write(str(self.limit))
        # Not there where the kernel has no swap accounting; then there is no swap to flee into, mostly.
        if os.path.exists(os.path.join(path, swap)):
            with open(os.path.join(path, swap), "w") as file:
                file.write("0" if swap == "memory.swap.max" else str(self.limit))

    def _read(self, name):
        try:
            with open(os.path.join(self.path, name)) as file:
                return file.read()
        except OSError:
            return None

    def kills(self):
        """How often the kernel ended a process in here for want of memory."""
        for line in (self._read("memory.oom_control") or self._read("memory.events") or "").splitlines():
            if line.split()[0] == "oom_kill":
                return int(line.split()[1])
        return 0

    def peak(self):
        """Bytes, with the pages of files that were read or written (those go first, at the limit)."""
        told = self._read("memory.max_usage_in_bytes") or self._read("memory.peak")
        return int(told) if told else None

    def hits(self):
        """How often the limit was met and something had to go."""
        told = self._read("memory.failcnt")
        if told:
            return int(told)
        return sum(int(line.split()[1]) for line in (self._read("memory.events") or "").splitlines()
                   if line.startswith("max "))

    def close(self):
        for _ in range(100):
            try:
                os.rmdir(self.path)
                return
            except OSError:
                time.sleep(0.05)
