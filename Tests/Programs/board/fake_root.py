"""A folder that stands in for a board's /, first-boot in it, and a power cut at any step of that."""
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import disk

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(HERE, "../../../board/first-boot/first-boot")
CARD, DATA = "boot/firmware/", "data/etc/"


class Board:
    """A folder that stands in for a board's /."""

    def __init__(self, folder, files, has_data=True):
        self.root = tempfile.mkdtemp(dir=folder)
        for path in (CARD, "run", "etc", "data") + ((DATA,) if has_data else ()):
            os.makedirs(os.path.join(self.root, path), exist_ok=True)
        for path, content in files.items():
            place = os.path.join(self.root, path)
            os.makedirs(os.path.dirname(place), exist_ok=True)
            with open(place, "wb") as file:
                file.write(content)

    def command(self):
        return [PROGRAM, "--root", self.root]

    def boot(self):
        """The program's words; it has to end well whatever is on the card."""
        ended = subprocess.run(self.command(), capture_output=True, env=environment(), check=False, timeout=300)
        words = (ended.stdout + ended.stderr).decode("utf-8", "replace")
        expect(ended.returncode == 0, "ended with %d: %s" % (ended.returncode, words))
        return words

    def read(self, path):
        try:
            with open(os.path.join(self.root, path), "rb") as file:
                return file.read()
        except OSError:
            return None

    def text(self, path):
        return (self.read(path) or b"").decode()

    def mode(self, path):
        return stat.S_IMODE(os.stat(os.path.join(self.root, path)).st_mode)

    def below(self, folder):
        """Every file below a folder, by its path from the root."""
        found = {}
        for base, _, names in os.walk(os.path.join(self.root, folder)):
            for name in names:
                path = os.path.relpath(os.path.join(base, name), self.root)
                found[path] = self.read(path)
        return found


def environment():
    folder = os.environ.get("HOMEWARD_BIN", os.path.join(HERE, "../../../.build/debug"))
    return {**os.environ, "HOMEWARD": os.path.join(os.path.abspath(folder), "homeward")}


def expect(truth, words):
    if not truth:
        raise AssertionError(words)


CLAIMS = []


def claim(words):
    return lambda test: CLAIMS.append((words, test)) or test


def error(board):
    return board.text(CARD + "homeward-error.txt")


def cuts(folder, files, check, told):
    """Boots once, then again from what a cut after each of its steps may leave; the number of states. `told` finds the
    files with secrets; None: none has to go."""
    board = Board(folder, files)
    real = os.path.realpath(board.root)
    before = {os.path.join(real, path): content for path, content in files.items()}
    folders = [os.path.join(real, CARD[:-1]), os.path.join(real, DATA[:-1])]
    steps = disk.record(board.command(), folders, environment())
    expect(len([s for s in steps if s[0] == "fsync"]) > 0, "strace saw nothing: %s" % steps)
    states = list(disk.leavings(before, steps))
    unsynced = [path for path in told(disk.promised(before, steps)) if CARD in path] if told else []
    expect(not unsynced, "a secret may come back: %s" % unsynced)

    def one(number, state):
        left = {os.path.relpath(path, real): content for path, content in state.items()}
        what = "%s of %s" % steps[number - 1][:2] if number else "none"
        after = "cut after step %d of %d (%s)" % (number, len(steps), what)
        try:
            check(left, Board(folder, left))
        except AssertionError as fault:
            raise AssertionError("%s left %s: %s" % (after, sorted(left), fault)) from None

    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(one, number, state) for number, state in states]:
            done.result()
    return "%d states after %d steps" % (len(states), len(steps))


def main():
    faults = 0
    for words, test in CLAIMS:
        if len(sys.argv) > 1 and sys.argv[1] not in test.__name__:
            continue
        if test.__name__.startswith("cut") and not shutil.which("strace"):
            print("skip    %s: no strace here" % words)
            continue
        folder = tempfile.mkdtemp()
        try:
            more = test(folder)
            print("ok      %s%s" % (words, ": %s" % more if more else ""))
        except AssertionError as fault:
            faults = 1
            print("not ok  %s: %s" % (words, fault))
        finally:
            shutil.rmtree(folder)
    sys.exit(faults)
