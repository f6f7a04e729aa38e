"""A bad road between two network namespaces: two tun devices, and between them what netem would do.

The kernel's own netem is a module that many kernels lack; this needs /dev/net/tun and root only. The tracker
lives in the namespace `name` at FAR; the broker is met at NEAR.
"""
import collections
import fcntl
import os
import random
import select
import struct
import subprocess
import threading
import time

from world import Skip

NEAR, FAR = "10.214.7.1", "10.214.7.2"
SET_INTERFACE, WITHOUT_HEADER = 0x400454CA, 0x1001


def ip(*words):
    done = subprocess.run(["ip", *words], capture_output=True, text=True)
    if done.returncode != 0:
        raise Skip("ip %s: %s" % (" ".join(words), done.stderr.strip()))


def _device(name):
    try:
        file = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        fcntl.ioctl(file, SET_INTERFACE, struct.pack("16sH22x", name.encode(), WITHOUT_HEADER))
    except OSError as error:
        raise Skip("no tun devices here: %s" % error)
    return file


class Link(threading.Thread):
    """`loss` in percent, `delay` in seconds each way, `is_black_hole`: nothing comes through, nobody is told."""

    def __init__(self, world, seed):
        super().__init__(daemon=True)
        # As unique as the folder is: process numbers are not, seen from several namespaces.
        mark = os.path.basename(world.folder)[-8:]
        self.namespace, near, far = "hw-far-" + mark, "hwn" + mark, "hwf" + mark
        self.loss, self.delay, self.is_black_hole = 0.0, 0.0, False
        self.passed = self.dropped = 0
        self.spared = None  # a port whose packets fare well
        self._chance, self._is_closed = random.Random(seed), False
        ip("netns", "add", self.namespace)
        world._closing.append(self.close)
        self._ends = [_device(near), _device(far)]
        self._waiting = {end: collections.deque() for end in self._ends}
        ip("link", "set", far, "netns", self.namespace)
        ip("addr", "add", NEAR, "peer", FAR, "dev", near)
        ip("link", "set", near, "up")
        ip("-n", self.namespace, "addr", "add", FAR, "peer", NEAR, "dev", far)
        ip("-n", self.namespace, "link", "set", far, "up")
        ip("-n", self.namespace, "link", "set", "lo", "up")
        self.start()

    def run(self):
        near, far = self._ends
        others = {near: far, far: near}
        while not self._is_closed:
            ready, _, _ = select.select(self._ends, [], [], self._wait())
            for end in ready:
                packet = os.read(end, 65536)
                if self._is_spared(packet):
                    self._put(others[end], packet)
                elif self.is_black_hole or self._chance.uniform(0, 100) < self.loss:
                    self.dropped += 1
                else:
                    self._waiting[others[end]].append((time.monotonic() + self.delay, packet))
            for end, waiting in self._waiting.items():
                while waiting and waiting[0][0] <= time.monotonic():
                    self._put(end, waiting.popleft()[1])

    def _is_spared(self, packet):
        if self.spared is None or packet[0] >> 4 != 4:
            return False
        start = (packet[0] & 15) * 4
        return self.spared in struct.unpack(">HH", packet[start : start + 4])

    def _wait(self):
        due = [waiting[0][0] for waiting in self._waiting.values() if waiting]
        return min([0.1] + [max(0.0, moment - time.monotonic()) for moment in due])

    def _put(self, end, packet):
        try:
            os.write(end, packet)
            self.passed += 1
        except OSError:
            self.dropped += 1

    def close(self):
        self._is_closed = True
        if self.ident is not None:
            self.join(2)
        subprocess.run(["ip", "netns", "del", self.namespace], stderr=subprocess.DEVNULL)
        for end in getattr(self, "_ends", []):
            os.close(end)
