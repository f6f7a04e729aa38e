"""Guests with a real kernel's Bluetooth stack, which run the claims beside this.

HOMEWARD_VM names the guest's release: bookworm (kernel 6.1, BlueZ 5.66) or trixie (6.12, 5.82); without it the
one that is most like this machine, because programs do not run on an older system than they were built on.
HOMEWARD_NOT_YET=1 also tries what is known not to hold yet.
"""
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading

sys.path.insert(1, sys.path[0] + "/../world")
from tracker import BINARIES, ROOT

VM = os.path.join(ROOT, "Tests/Instruments/VM")
sys.path.insert(0, VM)

from image import RELEASES, CannotBuild, image  # noqa: E402
from machine import FAILED, TIMED_OUT, Machine  # noqa: E402

# Of real time: a busy machine takes several times what an idle one does.
SECONDS = 1200
HERE = "/share/homeward/Tests/Programs"


def main(all_groups):
    """Runs the files of each group in a guest of its own; or those, FILE or FILE:CLAIM, that the command line names."""
    release = os.environ.get("HOMEWARD_VM") or own_release()
    if release not in RELEASES:
        print("not ok bluetooth: no release %s, only %s" % (release, " and ".join(RELEASES)))
        return 1
    with tempfile.TemporaryDirectory(prefix="hw-controller-") as folder:
        try:
            wrong = compile_controller(folder)
            if wrong:
                print("not ok bluetooth: the controller does not compile: %s" % wrong)
                return 1
            strip_programs(folder)
            image(release)
        except CannotBuild as why:
            print("skip bluetooth: no guest on this machine: %s" % why)
            return 0
        guests = [Guest(release, folder, files) for files in groups(sys.argv[1:], all_groups)]
        for guest in guests:
            guest.join()
        return 1 if any(guest.has_failed for guest in guests) else 0


def own_release():
    with open("/etc/os-release") as file:
        text = file.read()
    return next((name for name in RELEASES if "VERSION_CODENAME=" + name in text), RELEASES[0])


def groups(wanted, all_groups):
    """Lists of (file, claim) for each guest."""
    if wanted:
        return [[split(name) for name in wanted]]
    return [[split(name) for name in files] for files in all_groups]


def split(name):
    """File and claim; no claim: all of them."""
    return tuple((name + ":").split(":")[:2])


def compile_controller(folder):
    """What the compiler complains of; CannotBuild where there is none."""
    if not shutil.which("gcc"):
        raise CannotBuild("gcc is missing")
    sources = os.path.join(VM, "controller")
    files = [os.path.join(sources, name) for name in sorted(os.listdir(sources)) if name.endswith(".c")]
    done = subprocess.run(["gcc", "-O2", "-static", "-o", folder + "/controller", *files], capture_output=True,
                          text=True)
    said = done.stderr.strip().splitlines()
    return next((line for line in said if "error" in line), "status %d" % done.returncode) if done.returncode else None


def strip_programs(folder):
    """What a debugger wants is ten times what runs, and the guest has it all in memory."""
    for name in ("homewardd", "homeward"):
        subprocess.run(["strip", "-o", os.path.join(folder, name), os.path.join(BINARIES, name)], check=True)


class Guest(threading.Thread):
    """One guest with its claims; lines come out as they are, never mixed within a line."""

    output = threading.Lock()

    def __init__(self, release, programs, files):
        super().__init__(daemon=True)
        self.release, self.files = release, files
        # Until it has come to its end: an exception ends a thread and nothing else.
        self.has_failed = True
        shares = [(os.path.join(ROOT, name), "/share/homeward/" + name) for name in ("Tests/Programs", "board")]
        shares.append((programs, "/share/bin"))
        self.machine = Machine(release, shares, SECONDS)
        self.start()

    def run(self):
        words = ["python3 -B %s/radio/%s.py '%s'" % (HERE, name, claim) for name, claim in self.files]
        passed_on = {name: os.environ.get(name, "") for name in ("HOMEWARD_TRACKER", "HOMEWARD_NOT_YET")}
        variables = dict(passed_on, PYTHONPATH=HERE + "/world", HOMEWARD_BIN="/share/bin")
        exports = " ".join("%s=%s" % (name, shlex.quote(value)) for name, value in variables.items())
        script = "export %s; bad=0; %s; exit $bad" % (exports, "; ".join(word + " || bad=1" for word in words))
        status = self.machine.run(["sh", "-c", script], self.say)
        self.has_failed = status != 0
        names = ", ".join(name for name, _ in self.files)
        if status == TIMED_OUT:
            self.say(b"not ok bluetooth %s: the guest was not done within %d s\n" % (names.encode(), SECONDS))
        elif status == FAILED:
            self.say(b"not ok bluetooth %s: the guest ended early\n" % names.encode())

    def say(self, line):
        with self.output:
            sys.stdout.buffer.write(line)
            sys.stdout.flush()
