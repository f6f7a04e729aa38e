"""A disk that remembers: one file, served by FUSE, whose every write and flush is recorded in order.

A loop device on `disk` passes each flush of the file system above on as an fsync of that file. What is written to
`marks`, the other file, goes into the same record: so a program can say at an exact place of it what it has begun
and what it takes for durable.

The kernel's own protocol is spoken (linux/fuse.h, 7.31): that needs no library, and of its calls a file system of two
files knows a dozen."""
import mmap
import os
import stat
import struct
import traceback

import mounts

WRITE, FLUSH, MARK = 1, 2, 3
# Kind, offset, length; the bytes follow.
ENTRY = struct.Struct("<BQI")

_ROOT, _DISK, _MARKS = 1, 2, 3
_NAMES = {b"disk": _DISK, b"marks": _MARKS}
_LOOKUP, _FORGET, _GETATTR, _SETATTR, _OPEN, _READ, _WRITE, _STATFS, _RELEASE = 1, 2, 3, 4, 14, 15, 16, 17, 18
_FSYNC, _FLUSH, _INIT, _DESTROY, _BATCH_FORGET = 20, 25, 26, 38, 42
_OPEN_DIRECTLY = 1
_MOST = 128 * 1024
_IN, _OUT = struct.Struct("<IIQQIIIHH"), struct.Struct("<IiQ")
_INIT_OUT, _ATTRIBUTES = struct.Struct("<IIIIHHIIHHII24x"), struct.Struct("<6Q10I")
_ENTRY_OUT, _TRANSFER = struct.Struct("<QQQQII"), struct.Struct("<QQIIQII")
_ENOENT, _ENOSYS, _ENODEV = 2, 38, 19
_DIE_WITH_PARENT = 1


class Disk:
    """Mounted at `folder` by a process of its own: whoever waits for the disk in the kernel cannot answer for it,
    and if this process is killed, the kernel fails what waits, and nothing hangs."""

    def __init__(self, folder, image, record):
        """`image`: the bytes that it begins with. `record`: the file that the record is written to."""
        channel = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
        self.folder, self.path, self.marks = folder, folder + "/disk", folder + "/marks"
        mounts.mount("homeward-cuts", folder, "fuse", mounts.NOSUID | mounts.NODEV,
                     "fd=%d,rootmode=40000,user_id=%d,group_id=%d" % (channel, os.getuid(), os.getgid()))
        self.process = os.fork()
        if self.process == 0:
            try:
                mounts.prctl(_DIE_WITH_PARENT, 9)
                _Server(channel, image, record).serve()
                os._exit(0)
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(1)
        # The server alone holds it: its end is the end of the file system.
        os.close(channel)

    def end(self):
        """Takes it away; afterwards the record is whole."""
        mounts.unmount(self.folder)
        _, status = os.waitpid(self.process, 0)
        if status != 0:
            raise RuntimeError("the recorded disk ended with status %d" % status)


class _Server:
    def __init__(self, channel, image, record):
        self.channel, self.image = channel, mmap.mmap(-1, len(image))
        self.image[:] = image
        self.record = open(record, "wb", buffering=1 << 20)

    def serve(self):
        """Until it is unmounted."""
        with self.record:
            while True:
                try:
                    request = os.read(self.channel, _MOST + 4096)
                except FileNotFoundError:  # somebody no longer wants the answer
                    continue
                except OSError as error:
                    if error.errno == _ENODEV:
                        return
                    raise
                head = _IN.unpack_from(request)
                answer = self.answer(head[1], head[3], memoryview(request)[_IN.size:])
                if answer is None:
                    continue
                error, body = (answer, b"") if isinstance(answer, int) else (0, answer)
                try:
                    os.write(self.channel, _OUT.pack(_OUT.size + len(body), -error, head[2]) + body)
                except FileNotFoundError:  # an interruption of what is answered already
                    pass

    def answer(self, call, node, body):
        """The bytes of an answer, the number of an error, or None where none is wanted."""
        if call == _WRITE:
            return self.write(node, body)
        if call == _READ:
            _, offset, size, *_ = _TRANSFER.unpack_from(body)
            return self.image[offset:offset + size] if node == _DISK else b""
        if call == _FSYNC:
            if node == _DISK:
                self.record.write(ENTRY.pack(FLUSH, 0, 0))
            return b""
        if call == _LOOKUP:
            found = _NAMES.get(bytes(body).rstrip(b"\0"))
            return _ENTRY_OUT.pack(found, 0, 1000, 1000, 0, 0) + self.attributes(found) if found else _ENOENT
        if call in (_GETATTR, _SETATTR):
            return struct.pack("<QII", 1000, 0, 0) + self.attributes(node)
        if call == _OPEN:
            return struct.pack("<QIi", 0, _OPEN_DIRECTLY, 0)
        if call == _INIT:
            return _INIT_OUT.pack(7, 31, 0, 0, 12, 9, _MOST, 1, 0, 0, 0, 0)
        if call in (_FORGET, _BATCH_FORGET):
            return None
        return b"" if call in (_RELEASE, _FLUSH, _DESTROY) else _ENOSYS

    def write(self, node, body):
        _, offset, size, *_ = _TRANSFER.unpack_from(body)
        data = body[_TRANSFER.size:_TRANSFER.size + size]
        if node == _DISK:
            self.image[offset:offset + size] = data
        self.record.write(ENTRY.pack(WRITE if node == _DISK else MARK, offset, size))
        self.record.write(data)
        return struct.pack("<II", size, 0)

    def attributes(self, node):
        size = len(self.image) if node == _DISK else 0
        mode = stat.S_IFDIR | 0o700 if node == _ROOT else stat.S_IFREG | 0o600
        return _ATTRIBUTES.pack(node, size, size // 512, 0, 0, 0, 0, 0, 0, mode, 1, os.getuid(), os.getgid(), 0,
                                512, 0)
