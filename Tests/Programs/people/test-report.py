#!/usr/bin/env python3
"""The page that Tests/Simulator/report makes says what the runs have come to, failures too."""
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))


def page(sums, faults=None):
    with tempfile.TemporaryDirectory(prefix="hw-report-") as folder:
        command = [os.path.join(ROOT, "Tests", "Simulator", "report"), "--out", os.path.join(folder, "page")]
        for index, line in enumerate(sums):
            path = os.path.join(folder, "sums%d" % index)
            with open(path, "w") as file:
                file.write(line + "\n")
            command += ["--sums", path]
        if faults:
            with open(os.path.join(folder, "real.json"), "w") as file:
                json.dump(faults, file)
            command += ["--faults", folder]
        done = subprocess.run([sys.executable, *command], capture_output=True, text=True)
        if done.returncode != 0:
            return done.stderr
        with open(os.path.join(folder, "page")) as file:
            return file.read()


LINE = "sums runs=%d failed=%d hours=%d crossings=5 delivered=7 killed=1 lostInWindow=0 overflowed=0 repeats=0 " \
    "boots=1 blindStarts=0 seeds=%s commit=abc"
CLAIMS = {
    "runs of several files are added up, and seeds that follow each other are one range":
        (lambda: page([LINE % (2000, 1, 6000, "1..2000"), LINE % (500, 2, 1500, "2001..2500")]),
         ["Seeds 1..2500 at abc: 2,500 runs, 7,500 simulated hours", "**3 of 2,500 runs failed a judge.**"]),
    "what real faults have come to is in the page":
        (lambda: page([LINE % (1, 0, 3, "1..1")], [{"kind": "kill -9", "times": 9, "problems": ["one lost"]}]),
         ["| kill -9 | 9 |  |  | 1 |"]),
    "sums of nothing make no page": (lambda: page(["nothing"]), ["no line of sums"]),
}


def main():
    failed = 0
    for name, (make, wanted) in CLAIMS.items():
        text = make()
        missing = [words for words in wanted if words not in text]
        print("not ok %s: no %r in %s" % (name, missing[0], text[:600]) if missing else "ok %s" % name)
        failed += bool(missing)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
