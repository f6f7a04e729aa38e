#!/usr/bin/env python3
"""docs/cost.md says what the figures say, and nothing else."""
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))
COST = os.path.join(ROOT, "Tests", "Instruments", "Bench", "cost")


def cost(*arguments):
    return subprocess.run([sys.executable, COST, *arguments], capture_output=True, text=True)


def git(*words):
    return subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True).stdout.strip()


HEAD = git("rev-parse", "--short", "HEAD")
OF = {"version": HEAD, "date": "2026-11-29"}
DAY = {"part": "day", "seconds": 900.0, "bytes": 3000, "pings": 15, "published": 0, "wakeups": 100, "private": 1900, "rss": 11000, **OF}
ROWS = [
    {"part": "position", "name": "MQTT 5, TLS", "bytes": 384.25, "connection": 2973, "positions": 240, **OF},
    {**DAY, "name": "keepalive, MQTT 5, TLS"},
    {**DAY, "name": "significant, stands", "written": 1_000_000},
    {**DAY, "name": "move, drives", "wakeups": 900, "written": 1_800_000},
    {"part": "instructions", "name": "looked at", "machine": "amd64", "instructions": 28251.5, **OF},
    {"part": "instructions", "name": "looked at", "machine": "arm64", "instructions": 51464.5, **OF},
]


def page(rows):
    with tempfile.TemporaryDirectory(prefix="hw-cost-") as folder:
        paths = ["--figures", os.path.join(folder, "figures"), "--out", os.path.join(folder, "page")]
        with open(paths[1], "w") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)
        done = cost("--page", *paths)
        if done.returncode:
            return done.stderr
        done = cost("--check", *paths)
        with open(paths[3]) as file:
            return done.stderr or file.read()


def edited():
    with tempfile.TemporaryDirectory(prefix="hw-cost-") as folder:
        with open(os.path.join(ROOT, "docs", "cost.md")) as page, open(os.path.join(folder, "page"), "w") as copy:
            copy.write(page.read() + "By hand.\n")
        return cost("--check", "--out", os.path.join(folder, "page")).stderr


CLAIMS = {
    "what was counted in minutes is scaled to a day and to a month":
        (lambda: page(ROWS), ["| MQTT 5, TLS, `ping` 0 | 288,000 | 8.6 MB | 15 min, 15 pings of 200 bytes |"]),
    "what is computed says so":
        (lambda: page(ROWS), ["| MQTT 5, TLS, `keepAliveParked` 900, `ping` 0 | 19,200 | 0.6 MB | computed: 96 pings |"]),
    "a parked board that was watched has a row of its own":
        (lambda: page([*ROWS, {**DAY, "name": "keepAliveParked 900", "seconds": 3600.0, "bytes": 1000, "pings": 1, "published": 4}]),
         ["| MQTT 5, TLS, `keepAliveParked` 900 | 24,000 | 0.7 MB | 60 min, 1 ping, 4 positions |"]),
    "wake-ups are of an hour, and what was not measured is left empty":
        (lambda: page(ROWS), ["| significant |  | 400 |  |", "| move |  |  | 3,600 |"]),
    "each machine has its instructions": (lambda: page(ROWS), ["| looked at | 28,300 | 51,500 |"]),
    "what a fix writes is told of those that drive":
        (lambda: page(ROWS), ["| significant, stands | 96,000,000 |  | 15 min |", "| move, drives | 173,000,000 | 2,000 | 15 min |"]),
    "each table names the version of its figures": (lambda: page(ROWS), ["Version %s (2026-11-29)." % HEAD]),
    "a version that nobody can check out is refused": (lambda: page([{**ROWS[0], "version": "00000000"}]), ["is not in the history"]),
    "a page that was edited by hand is noticed": (edited, ["page is not what the figures make"]),
    "docs/cost.md is what the figures make": (lambda: cost("--check").stderr or "it is", ["it is"]),
}


def main():
    if not HEAD or git("rev-parse", "--is-shallow-repository") != "false":
        print("skip docs/cost.md: no history here to look its versions up in")
        return 0
    failed = 0
    for name, (make, wanted) in CLAIMS.items():
        text = make()
        missing = [words for words in wanted if words not in text]
        print("not ok %s: no %r in %s" % (name, missing[0], text) if missing else "ok %s" % name)
        failed += bool(missing)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
