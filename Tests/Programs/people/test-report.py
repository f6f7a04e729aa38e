#!/usr/bin/env python3
"""The page that Tests/Simulator/report makes says what the runs have come to, failures too."""
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))


def report(*arguments):
    return subprocess.run([sys.executable, os.path.join(ROOT, "Tests", "Simulator", "report"), *arguments],
                          capture_output=True, text=True)


def version():
    return subprocess.run(["git", "-C", ROOT, "rev-parse", "HEAD"], capture_output=True, text=True).stdout.strip()


def page(sums, faults=None, *nights):
    with tempfile.TemporaryDirectory(prefix="hw-report-") as folder:
        command = ["--out", os.path.join(folder, "page"), "--figures", folder]
        for index, line in enumerate(sums):
            path = os.path.join(folder, "sums%d" % index)
            with open(path, "w") as file:
                file.write(line + "\n")
            command += ["--sums", path]
        if faults:
            with open(os.path.join(folder, "real.json"), "w") as file:
                json.dump(faults, file)
            command += ["--faults", folder]
        done = report(*command)
        for night in nights:
            with open(os.path.join(folder, "night"), "w") as file:
                file.write(night)
            done = done if done.returncode else report(*command[:4], "--night", file.name)
        if done.returncode != 0:
            return done.stderr
        again = report("--out", os.path.join(folder, "page"), "--figures", folder, "--check")
        with open(os.path.join(folder, "page")) as file:
            return again.stderr or file.read()


def edited():
    with tempfile.TemporaryDirectory(prefix="hw-report-") as folder:
        with open(os.path.join(ROOT, "RELIABILITY.md")) as page, open(os.path.join(folder, "page"), "w") as copy:
            copy.write(page.read() + "By hand.\n")
        return report("--out", os.path.join(folder, "page"), "--check").stderr


HEAD = version()
LINE = "sums runs=%d failed=%d hours=%d crossings=5 delivered=7 killed=1 lostInWindow=0 overflowed=0 repeats=0 " \
    "boots=1 blindStarts=0 seeds=%s commit=" + HEAD
ONE = LINE % (1, 0, 3, "1..1")
FAULT = {"kind": "kill -9", "times": 9, "problems": ["one lost"], "owed": 5, "lost": 1, "version": HEAD}
CROWD = {**FAULT, "kind": "crowd", "sessions": 9, "note": "A session is no program."}
SHORT = HEAD[:8]
NIGHT = "5a0c consumers: 7 2 passed and skipped, 1210 s, %s\n5a0c page: 1 0 passed and skipped, 20 s, %s\n" % (SHORT, SHORT)


def not_passed(night):
    return page([ONE], None, night).count("\n- Part of a night, not passed yet: ")


CLAIMS = {
    "what a night came to is in the page, and what of it has not passed":
        (lambda: page([ONE], None, NIGHT),
         ["at " + HEAD, "consumers (20 min)", "page (1 min)", "**8 passed",
          "Part of a night, not passed yet: everything, the first time."]),
    "a night goes on on another machine: parts that had passed stay, in the order of nights":
        (lambda: page([ONE], None, NIGHT, f"5a0c differential: 2 0 passed and skipped, 60 s, {SHORT}\n"
                      f"5a0c page: 4 0 passed and skipped, 20 s, {SHORT}\n"),
         ["differential (1 min), consumers (20 min), page (1 min)", "**13 passed"]),
    "a part that nights no longer have is not told":
        (lambda: page([ONE], None, NIGHT + f"5a0c moon: 50 0 passed and skipped, 20 s, {SHORT}\n"), ["**8 passed"]),
    "what passed is not among what has not":
        (lambda: str(not_passed(NIGHT.splitlines()[0]) - not_passed(NIGHT)), ["1"]),
    "a night of a tree with changes is refused":
        (lambda: page([ONE], None, NIGHT.replace(SHORT, SHORT + "-dirty")), ["-dirty is of a tree with changes"]),
    "what is no night is refused": (lambda: page([ONE], None, NIGHT + "and more\n"), ["not a part of a night: and more"]),
    "runs of several files are added up, and seeds that follow each other are one range":
        (lambda: page([LINE % (2000, 1, 6000, "1..2000"), LINE % (500, 2, 1500, "2001..2500")]),
         ["Seeds 1..2500 at " + HEAD, "7,500 simulated hours", "3 of 2,500 runs"]),
    "what real faults have come to is in the page":
        (lambda: page([ONE], [FAULT]), ["| kill -9 | 9 | 5 | 1 |  |  | 1 |"]),
    "sessions do not count as shipped programs, and a note is told":
        (lambda: page([ONE], [FAULT, CROWD]),
         ["Of 5 messages that the shipped", "| crowd | 9 | 5 | 1 |  |  | 1 |", "\nA session is no program.\n"]),
    "an attack that was not held off is told":
        (lambda: page([ONE], [{**FAULT, "kind": "flood", "attack": True}]), ["| flood | 0 of 1; one lost |"]),
    "what was not run is not proven":
        (lambda: page([ONE], [{**FAULT, "kind": "flood", "attack": True, "skipped": "no broker"}]),
         ["- Not run: flood (no broker)."]),
    "sums of nothing make no page": (lambda: page(["nothing"]), ["no line of sums"]),
    "a tree with changes is refused": (lambda: page([ONE + "-dirty"]), ["-dirty is of a tree with changes"]),
    "a version that nobody can check out is refused": (lambda: page([ONE[:-8] + "00000000"]), ["not in the history"]),
    "figures without a version are refused":
        (lambda: page([ONE], [{**FAULT, "version": None}]), ["figures without a version: not in the history"]),
    "a page that was edited by hand is noticed": (edited, ["page is not what the figures make"]),
    "RELIABILITY.md is what the figures make": (lambda: report("--check").stderr or "it is", ["it is"]),
}


def main():
    if not HEAD:
        print("skip RELIABILITY.md: no history here to look its versions up in")
        return 0
    failed = 0
    for name, (make, wanted) in CLAIMS.items():
        text = make()
        missing = [words for words in wanted if words not in text]
        print("not ok %s: no %r in %s" % (name, missing[0], text[:600]) if missing else "ok %s" % name)
        failed += bool(missing)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
