#!/usr/bin/env python3
# takes: 10 s
# behaviour: The configuration file
"""`homeward setup --file` writes that file, and leaves the folder that it is in, and the service, as they are. Where the
usual file is made: Tests/Programs/board/test-package."""
import json
import os
import pty
import stat
import subprocess
import sys

sys.path.insert(1, sys.path[0] + "/../world")
from tracker import BINARIES, ROOT
from world import Skip, claim, expect, main

ALONE = {"has_broker": False, "has_gpsd": False}
PROGRAM = os.path.join(ROOT, "board", "homeward-setup")
ANSWERS = "b.example\nno\n\nvan\n\nsprinter\nyes\n"
GROUP = 4711
# In mounts of its own: a group, and a systemd that is only asked. $1 is the folder of both.
INSIDE = """
mount --make-rprivate /
mount --bind "$1/group" /etc/group
mount -t tmpfs tmpfs /run
mkdir -p /run/systemd/system
shift
exec "$@"
"""


class Board:
    """Where the program is run, by root at a terminal."""

    def __init__(self, world):
        if os.geteuid() != 0 or subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode != 0:
            raise Skip("needs root, and mounts of its own")
        self.folder = os.path.join(world.folder, "board")
        os.mkdir(self.folder)
        os.chmod(self.folder, 0o755)
        with open("/etc/group") as file:
            lines = [line for line in file if not line.startswith("homeward:")]
        self.write("group", "".join(lines) + "homeward:x:%d:\n" % GROUP)
        self.write("bin/systemctl", "#!/bin/sh\necho \"$@\" >>%s/asked\n" % self.folder, 0o755)

    def write(self, name, text, mode=0o644):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)
        os.chmod(path, mode)

    def setup(self, *words):
        """What it says; to be run in the board's folder."""
        terminal, inside = pty.openpty()
        os.write(terminal, ANSWERS.encode())
        path = "%s/bin:%s:%s" % (self.folder, os.path.abspath(BINARIES), os.environ["PATH"])
        with subprocess.Popen(["unshare", "-m", "sh", "-c", INSIDE, "sh", self.folder, PROGRAM, *words], cwd=self.folder,
                              env=dict(os.environ, PATH=path), stdin=inside, stdout=inside, stderr=inside) as child:
            os.close(inside)
            said = b""
            while piece := read(terminal):
                said += piece
        os.close(terminal)
        expect(child.returncode == 0, said.decode())
        return said.decode()

    def look(self, path):
        found = os.stat(os.path.join(self.folder, path))
        return "%o %d:%d" % (stat.S_IMODE(found.st_mode), found.st_uid, found.st_gid)

    def has(self, path):
        with open(os.path.join(self.folder, path)) as file:
            return json.load(file).get("host") == "b.example" and self.look(path) == "640 0:%d" % GROUP

    def asked(self):
        return os.path.exists(os.path.join(self.folder, "asked"))


def read(terminal):
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""


@claim("a folder that is there stays whose it is, and the service stays as it is", **ALONE)
def there(world):
    board = Board(world)
    os.mkdir(os.path.join(board.folder, "home"))
    os.chown(os.path.join(board.folder, "home"), 1234, 1234)
    before = board.look("home")
    path = os.path.join(board.folder, "home", "van.otrc")
    said = board.setup(path)
    expect(board.has("home/van.otrc") and board.look("home") == before, "%s %s" % (said, board.look("home")))
    expect("wrote " + path in said and "homewardd --config " + path in said and not board.asked(), said)


@claim("a path without a folder is a file where it was asked for", **ALONE)
def bare(world):
    board = Board(world)
    before = board.look(".")
    said = board.setup("van.otrc")
    expect(board.has("van.otrc") and board.look(".") == before and not board.asked(), said)


@claim("a folder that is missing is made for root and the tracker alone", **ALONE)
def missing(world):
    board = Board(world)
    said = board.setup("new/van.otrc")
    expect(board.has("new/van.otrc") and board.look("new") == "750 0:%d" % GROUP and not board.asked(), said)


if __name__ == "__main__":
    main()
