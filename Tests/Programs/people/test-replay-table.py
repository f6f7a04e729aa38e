#!/usr/bin/env python3
# takes: 10 s
# behaviour: replay
"""Who reads a replay: a person gets a table and a summary, a program JSON, one object a line."""
import json
import os
import pty
import subprocess
import sys

sys.path.insert(1, sys.path[0] + "/../world")
from tracker import COMMAND_LINE, ROOT
from world import told

TIMELINE = "".join(
    json.dumps(line) + "\n" for line in [{"at": 0, "clock": 1700000000}] + [
        {"at": at, "tpv": {"mode": 3, "time": 1700000000 + at, "lat": 48 + at * 0.0003, "lon": 11, "eph": 5}}
        for at in range(1, 61)])
WORDS = ["replay", "--set", "monitoring=2", "--set", "locatorDisplacement=200", "-"]


def piped(*words):
    done = subprocess.run([COMMAND_LINE, *WORDS, *words], input=TIMELINE, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def on_a_terminal(*words):
    master, slave = pty.openpty()
    with subprocess.Popen([COMMAND_LINE, *WORDS, *words], stdin=subprocess.PIPE, stdout=slave) as child:
        os.close(slave)
        child.stdin.write(TIMELINE.encode())
        child.stdin.close()
        said = b""
        while True:
            try:
                piece = os.read(master, 65536)
            except OSError:
                break
            if not piece:
                break
            said += piece
        assert child.wait(30) == 0
    os.close(master)
    return said.decode().replace("\r\n", "\n")


def lines_of(text):
    return [json.loads(line) for line in text.splitlines()]


def a_program_reads_json():
    lines = lines_of(piped("--set", "username=u"))
    locations = [line for line in lines if line.get("publish", {}).get("payload", {}).get("_type") == "location"]
    assert len(locations) > 5 and "state" in lines[-1], lines
    assert lines_of(on_a_terminal("--set", "username=u", "--json")) == lines, "--json is something else on a terminal"


def a_person_reads_a_table():
    text = on_a_terminal()
    rows = [row for row in text.splitlines() if "  location  " in row]
    assert len(rows) > 5 and "%d of 60 positions published, 0 crossings, " % len(rows) in text.splitlines()[-1], text
    assert piped("--table") == text, "--table is something else for a program"


def settings_are_compared():
    replays = json.loads(piped("--compare", "locatorDisplacement=400"))["replays"]
    first, second = [replay["figures"]["locations"] for replay in replays]
    assert first > second > 1, replays
    assert [replay["settings"] for replay in replays] == [
        {"locatorDisplacement": "200"}, {"locatorDisplacement": "400"}], replays
    rows = [row.split() for row in on_a_terminal("--compare", "locatorDisplacement=400").splitlines()]
    assert rows[0] == ["locatorDisplacement=200", "locatorDisplacement=400"], rows
    assert ["Published", str(first), str(second)] in rows, rows


def wrong_words_are_refused():
    for words, said in ((("--compare", "speed"), "expected KEY=VALUE"), (("--compare", "speed=1"), "speed"),
                        (("--table", "--json"), "either --table or --json")):
        done = subprocess.run([COMMAND_LINE, *WORDS, *words], input=TIMELINE, capture_output=True, text=True)
        assert done.returncode == 2 and said in done.stderr and not done.stdout, (words, done)


def main():
    return told("replay", {
        "a program reads JSON": a_program_reads_json, "a person reads a table": a_person_reads_a_table,
        "settings are compared": settings_are_compared, "wrong words are refused": wrong_words_are_refused})


if __name__ == "__main__":
    sys.exit(main())
