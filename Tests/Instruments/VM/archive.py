"""The archives that a kernel unpacks into its memory at the start: cpio in the "newc" form."""
import os
import stat

# Never wanted in a guest, and large.
LEFT_OUT = {".git", ".build", "__pycache__"}


class Archive:
    """Writes to `file`; several archives in one file are unpacked one after the other."""

    def __init__(self, file):
        self.file, self._count, self._folders = file, 0, set()

    def add(self, name, mode, content=b""):
        """`name`: the place from the root, without a slash before it."""
        self._folders_of(name)
        self._entry(name, mode, content)

    def add_tree(self, source, name):
        """A file, or a folder with all that is in it, at `name` ("" for the root)."""
        status = os.lstat(source)
        if stat.S_ISDIR(status.st_mode):
            if name and name not in self._folders:
                self._folders.add(name)
                self.add(name, status.st_mode)
            for entry in sorted(set(os.listdir(source)) - LEFT_OUT):
                self.add_tree(os.path.join(source, entry), name + "/" + entry if name else entry)
        elif stat.S_ISLNK(status.st_mode):
            self.add(name, status.st_mode, os.readlink(source).encode())
        elif stat.S_ISREG(status.st_mode):
            with open(source, "rb") as file:
                self.add(name, status.st_mode, file.read())

    def close(self):
        self._entry("TRAILER!!!", 0, b"")

    def _folders_of(self, name):
        for end in [place for place, letter in enumerate(name) if letter == "/"]:
            if name[:end] not in self._folders:
                self._folders.add(name[:end])
                self._entry(name[:end], stat.S_IFDIR | 0o755, b"")

    def _entry(self, name, mode, content):
        self._count += 1
        path = name.encode() + b"\0"
        # Number, mode, owner, group, links, time, size, devices (4), length of the name, checksum.
        fields = (self._count, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(path), 0)
        header = b"070701" + b"".join(b"%08X" % field for field in fields)
        self.file.write(header + path + _padding(len(header) + len(path)))
        self.file.write(content + _padding(len(content)))


def _padding(length):
    return b"\0" * (-length % 4)
