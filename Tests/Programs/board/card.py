"""An image as a card: its partitions, and the files of the first one, without mounting anything."""
import hashlib
import os
import shutil
import subprocess

MIB = 1 << 20


class Card:
    """A copy of the image on a larger card."""

    def __init__(self, image, path, size=3 << 30):
        self.path = path
        if image.endswith(".xz"):
            with open(path, "wb") as out:
                subprocess.run(["xz", "-dc", image], stdout=out, check=True)
        else:
            subprocess.run(["cp", "--sparse=always", image, path], check=True)
        self.image_size = os.path.getsize(path)
        os.truncate(path, size)

    def partitions(self):
        """[(first byte, size, type)] by the table."""
        with open(self.path, "rb") as file:
            table = file.read(512)
        assert table[510:] == b"\x55\xaa", "no partition table"
        entries = [table[446 + 16 * i : 462 + 16 * i] for i in range(4)]
        number = lambda entry, place: int.from_bytes(entry[place : place + 4], "little") * 512
        return [(number(e, 8), number(e, 12), e[4]) for e in entries if e[4]]

    def _mtools(self, *words, **more):
        environment = {**os.environ, "MTOOLS_SKIP_CHECK": "1"}
        image = "%s@@%d" % (self.path, self.partitions()[0][0])
        return subprocess.run([words[0], "-i", image, *words[1:]], env=environment, capture_output=True, **more)

    def put(self, name, content):
        done = self._mtools("mcopy", "-o", "-", "::" + name, input=content)
        assert done.returncode == 0, done.stderr.decode()

    def get(self, name):
        """The content, None where there is no such file."""
        done = self._mtools("mcopy", "::" + name, "-")
        return done.stdout if done.returncode == 0 else None

    def names(self):
        return self._mtools("mdir", "-b").stdout.decode().split("\n")

    def digest(self, number):
        """Of everything in a partition."""
        digest, (start, size, _) = hashlib.sha256(), self.partitions()[number]
        with open(self.path, "rb") as file:
            file.seek(start)
            while size > 0:
                part = file.read(min(size, 4 * MIB))
                digest.update(part)
                size -= len(part)
        return digest.hexdigest()

    def holds(self, number, text):
        """Whether those bytes are anywhere in a partition, also where nothing is."""
        start, size, _ = self.partitions()[number]
        with open(self.path, "rb") as file:
            file.seek(start)
            before = b""
            while size > 0:
                part = file.read(min(size, 4 * MIB))
                if text in before + part:
                    return True
                before, size = part[-len(text):], size - len(part)
        return False

    def has_file(self, number, path):
        """Whether that file is in an ext4 partition."""
        place = "%s?offset=%d" % (self.path, self.partitions()[number][0])
        tool = shutil.which("debugfs") or "/sbin/debugfs"
        done = subprocess.run([tool, "-R", "stat " + path, place], capture_output=True, check=False)
        return b"Inode:" in done.stdout


def missing():
    """The programs that a boot needs and this machine lacks."""
    wanted = ("qemu-system-aarch64", "mcopy", "mosquitto", "ssh", "ssh-keygen", "xz")
    return [name for name in wanted if not (shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin"))]
