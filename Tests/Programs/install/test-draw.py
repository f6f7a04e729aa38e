#!/usr/bin/env python3
"""A draw of breaks is red where fewer are noticed than is known of the tests, and only then."""
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))
CORE = {"folder": "Core/Outbox", "looked": 1000, "noticed": 980}
STORAGE = {"folder": "Storage", "looked": 28, "noticed": 28}


def draw(known, **found):
    """Status and last line; found: how many were noticed and lived, by target."""
    with tempfile.TemporaryDirectory() as folder:
        files = {"known": known, "found": [
            {"folder": target + "/Any", "noticed": "a test" if index < noticed else None}
            for target, (noticed, lived) in found.items() for index in range(noticed + lived)]}
        for name, rows in files.items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.writelines(json.dumps(row) + "\n" for row in rows)
        program = os.path.join(ROOT, "Tests/Instruments/Mutants/draw")
        done = subprocess.run([program, "--known", os.path.join(folder, "known"), "--judge", os.path.join(folder, "found")],
                              capture_output=True, text=True, check=False)
        return done.returncode, (done.stdout + done.stderr).strip().splitlines()[-1]


CLAIMS = {
    "as many as are known to be noticed":
        (draw([CORE], Core=(98, 2)), (0, "98 of 100 breaks were noticed; 97.9 were to be expected, and at least 95")),
    "as few as the draw may have": (draw([CORE], Core=(95, 5)), (0, None)),
    "fewer than the draw may have": (draw([CORE], Core=(94, 6)), (1, None)),
    "the less is known, the fewer may be noticed": (draw([STORAGE], Storage=(85, 15)), (1, None)),
    "after 28 of 28 the next ones may live": (draw([STORAGE], Storage=(93, 7)), (0, None)),
    "folders of a target count together, targets by themselves":
        (draw([CORE, {**CORE, "folder": "Core", "noticed": 0}, STORAGE], Core=(50, 50), Storage=(28, 0)), (0, None)),
    "nothing was looked at": (draw([CORE]), (2, "nothing was looked at")),
    "a target that nothing is known of": (draw([CORE], Uplink=(1, 0)), (2, "Uplink: nothing is known of its breaks")),
}


def main():
    failed = 0
    for name, ((status, line), (wanted, words)) in CLAIMS.items():
        holds = status == wanted and words in (None, line)
        failed += not holds
        print("%s %s%s" % ("ok" if holds else "not ok", name, "" if holds else ": %d, %s" % (status, line)))
    return failed


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
