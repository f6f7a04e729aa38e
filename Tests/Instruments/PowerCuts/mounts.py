"""Mounts and loop devices by their system calls: a program started for each would take longer than what is tried."""
import ctypes
import fcntl
import os
import struct

NOSUID, NODEV, NOEXEC, NOATIME = 2, 4, 8, 1024
_PRIVATE, _RECURSIVE, _NEW_MOUNTS = 1 << 18, 1 << 14, 0x20000
# linux/loop.h, linux/fs.h
_CONFIGURE, _CLEAR, _FREE, _FORGET_CACHED = 0x4C0A, 0x4C01, 0x4C82, 0x1261
_AUTOCLEAR = 4
_BUSY = 16

_libc = ctypes.CDLL(None, use_errno=True)


def _call(what, result):
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, "%s: %s" % (what, os.strerror(number)))


def prctl(option, value):
    _call("prctl", _libc.prctl(option, value, 0, 0, 0))


def mount(source, folder, kind, flags=0, options=""):
    _call("mount %s" % kind, _libc.mount(source.encode(), folder.encode(), kind.encode(), ctypes.c_ulong(flags),
                                         options.encode()))


def unmount(folder):
    _call("unmount %s" % folder, _libc.umount2(folder.encode(), 0))


def own_namespace():
    """What is mounted from here on is there for this process and its children, and goes with them."""
    _call("unshare", _libc.unshare(_NEW_MOUNTS))
    mount("none", "/", "none", _PRIVATE | _RECURSIVE)


class Loop:
    """A block device on a file. It goes with the process: the kernel takes it down when nobody has it open."""

    def __init__(self, file):
        for _ in range(50):
            control = os.open("/dev/loop-control", os.O_RDWR | os.O_CLOEXEC)
            try:
                self.path = "/dev/loop%d" % fcntl.ioctl(control, _FREE)
            finally:
                os.close(control)
            self.device = os.open(self.path, os.O_RDWR | os.O_CLOEXEC)
            try:
                fcntl.ioctl(self.device, _CONFIGURE,
                            struct.pack("<II52xI176x64x", file, 0, _AUTOCLEAR))
                return
            except OSError as error:
                os.close(self.device)
                if error.errno != _BUSY:  # somebody else was given it meanwhile
                    raise
        raise OSError(_BUSY, "no free loop device")

    def forget_cached(self):
        """The file was changed underneath: the next reading asks it."""
        fcntl.ioctl(self.device, _FORGET_CACHED, 0)

    def close(self):
        fcntl.ioctl(self.device, _CLEAR)
        os.close(self.device)
