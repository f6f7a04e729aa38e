"""What a position costs the card: bytes that a block device was told to write, which is what wears it out.

The state lies on an ext4 of its own in a file, mounted as the image mounts it. Root only.
"""
import contextlib
import os
import subprocess
import tempfile
import threading
import time

from measure import Costs


class Card:
    """An ext4 with the blocks of a card's on a loop device, mounted at `place`. Its journal counts, too: each commit of
    it is 12 kB, and there is one wherever something was written since the last one."""

    def __init__(self, place, options="noatime,commit=60"):
        self.place = place
        self.image = tempfile.NamedTemporaryFile(prefix="hw-card-")
        self.image.truncate(1 << 30)
        subprocess.run(["mkfs.ext4", "-q", "-F", "-b", "4096", "-E", "lazy_itable_init=0,lazy_journal_init=0", self.image.name], check=True)
        find = ["losetup", "--find", "--show", self.image.name]
        self.device = subprocess.run(find, check=True, capture_output=True, text=True).stdout.strip()
        subprocess.run(["mount", "-o", options, self.device, place], check=True)

    def written(self):
        """Bytes since it was made; what the kernel still holds back is written first."""
        descriptor = os.open(self.place, os.O_RDONLY)
        os.fsync(descriptor)
        os.close(descriptor)
        subprocess.run(["sync", "-f", self.place], check=True)
        with open("/sys/block/%s/stat" % os.path.basename(self.device)) as file:
            return int(file.read().split()[6]) * 512

    def close(self):
        subprocess.run(["umount", self.place], check=False)
        subprocess.run(["losetup", "--detach", self.device], check=False)
        self.image.close()


def a_position(programs, fixes):
    """Bytes a position at one a second, with the broker there and with the broker away: row -> program -> [value].
    All programs beside each other."""
    rows, problems = {}, []

    def run(name, command, is_online):
        try:
            row = "written to the card a position, %s, bytes" % ("online" if is_online else "offline")
            rows.setdefault(row, {})[name] = [_written(command, fixes, is_online)]
        except Exception as error:
            problems.append(error)

    threads = [threading.Thread(target=run, args=(name, command, is_online))
               for name, command in programs.items() for is_online in (True, False)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if problems:
        raise problems[0]
    return rows


def _written(command, fixes, is_online):
    with contextlib.ExitStack() as stack:
        world = stack.enter_context(Costs(command, seconds=fixes + 300))
        card = Card(world.tracker.state)
        stack.callback(card.close)
        stack.callback(world.tracker.kill)
        world.start()
        if not is_online:
            world.broker.stop()
        time.sleep(5)
        before = card.written()
        feeder = world.feeding(world.drive(fixes), hz=1)
        feeder.join()
        time.sleep(5)
        return (card.written() - before) / fixes
