"""What a fix costs the processor, in instructions: what else the machine does meanwhile changes nothing."""
import os
import re
import signal
import subprocess
import tempfile
import time

import links
import measure
from positions import EACH, Expander
from servers import in_the_end
from tracker import effort

# What becomes of each fix, and the settings under which it does.
FATES = {
    "published at once, over TLS": (links.TLS_5, EACH),
    "published in a batch of 60, over TLS": (links.TLS_5, {**EACH, "batchSeconds": 6}),
    "kept in the history, hardly any published (significant)": (
        links.TLS_5, {"monitoring": 1, "locatorDisplacement": None, "locatorInterval": None}),
    "looked at (quiet)": (links.TLS_5, {"monitoring": -1}),
}


class Valgrind:
    """Counts in a program of this machine."""
    machine = "amd64" if os.uname().machine == "x86_64" else "arm64"

    def __init__(self, program):
        self.program = program

    def command(self, record):
        return "valgrind --tool=callgrind --callgrind-out-file=%s %s" % (record, self.program)

    def read(self, text):
        return int(re.search(r"^(?:totals|summary): (\d+)", text, re.M)[1])


class Emulated:
    """Counts in the arm64 program of a Debian for arm64 that lies in a folder; a plugin of qemu-aarch64 counts."""
    machine = "arm64"

    def __init__(self, root, folder):
        self.root, self.plugin = root, os.path.join(folder, "count.so")
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "count.c")
        subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-o", self.plugin, source], check=True)

    def command(self, record):
        return "qemu-aarch64 -L %s -plugin %s -d plugin -D %s %s/usr/sbin/homewardd" % (
            self.root, self.plugin, record, self.root)

    def read(self, text):
        return int(re.search(r"^instructions: (\d+)$", text, re.M)[1])


def of_a_fix(counter, fate, few, many):
    """What `many` fixes take more than `few`, with the libraries, for each."""
    return (_counted(counter, fate, many) - _counted(counter, fate, few)) / (many - few)


def _counted(counter, fate, fixes):
    wanted, settings = FATES[fate]
    with tempfile.NamedTemporaryFile() as record:
        command = counter.command(record.name) + " --config {config}"
        with measure.Costs(command, seconds=fixes + 300, **settings) as world:
            links.link(world, wanted)
            expander = Expander(world) if "batchSeconds" in settings else None
            try:
                world.tracker.start()
                # The daemon itself is not asked: each answer would be counted, too.
                in_the_end(lambda: " as ute-board " in world.broker.log(), seconds=300)
                _rests(world)
                world.settle()
                _rests(world)
                world.feed(world.drive(fixes), 10)
                _rests(world)
                # It says what it has counted when the program ends, in order.
                world.tracker.process.send_signal(signal.SIGTERM)
                world.tracker.process.wait(300)
            finally:
                if expander:
                    expander.stop()
        with open(record.name, errors="replace") as file:
            return counter.read(file.read())


def _rests(world):
    """Waits until it does nothing for some seconds: longer than a batch waits."""
    def is_idle():
        before, _ = effort(world.tracker.pid)
        time.sleep(8)
        return effort(world.tracker.pid)[0] - before < 0.05

    if not in_the_end(is_idle, seconds=900):
        raise RuntimeError("it does not come to rest: %s" % world.tracker.log()[-2000:])
