#!/usr/bin/env python3
# behaviour: Fleets
# takes: 10 s
"""The page of a fleet reckons as `homeward fleet status` does, and its folder is whole. What people see of it is looked at by
Tests/Outside/browsers/test-fleet-page.py."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(1, sys.path[0] + "/../world")
from tracker import COMMAND_LINE, ROOT
from world import Skip, claim, expect, main

PAGE = os.path.join(ROOT, "fleet", "page")
EXAMPLES = os.path.join(ROOT, "Tests", "Unit", "Homeward", "Fleet", "standing.jsonl")
NOTHING = {"has_broker": False, "has_gpsd": False}
# A file of cases on standard input: what becomes of each, a line of JSON.
READS = """
import { answer, boardsOf, LineFault, read } from %s;
let text = "";
for await (const piece of process.stdin) text += piece;
for (const each of text.trim().split("\\n").map(line => JSON.parse(line))) {
  let found = {};
  try {
    const word = read(each.line)?.word;
    found.answer = word ? answer(boardsOf({ words: new Map([[word.topic, word]]), places: new Map() }, each.now)[0]) : null;
  } catch (error) {
    if (!(error instanceof LineFault)) throw error;
    found.fault = error.message.split(" (")[0];
  }
  console.log(JSON.stringify(found));
}
"""


def run(script, given):
    node = shutil.which("node")
    if not node:
        raise Skip("node is not installed")
    with tempfile.TemporaryDirectory() as folder:
        # Without a package.json node takes the page's files for scripts of another kind.
        subprocess.run(["cp", "-rL", PAGE, folder + "/page"], check=True)
        with open(folder + "/package.json", "w") as file:
            file.write('{"type":"module"}')
        with open(folder + "/run.js", "w") as file:
            file.write(script % json.dumps("./page/standing.js"))
        done = subprocess.run([node, folder + "/run.js"], input=given, capture_output=True, text=True)
    expect(done.returncode == 0, done.stderr)
    return [json.loads(line) for line in done.stdout.splitlines()]


@claim("each case comes out as the command has it", **NOTHING)
def cases(_):
    with open(EXAMPLES, encoding="utf-8") as file:
        text = file.read()
    wanted = [json.loads(line) for line in text.splitlines()]
    for case, found in zip(wanted, run(READS, text), strict=True):
        known = {key: case[key] for key in ("answer", "fault") if key in case}
        expect(found == known, "%s: %s, not %s" % (case["line"], found, known))


@claim("what the command itself says of these lines is the same", **NOTHING)
def command(world):
    with open(EXAMPLES, encoding="utf-8") as file:
        wanted = [json.loads(line) for line in file]
    # The clock of the command is not ours: those that hang on the time are the unit test's.
    for case in (case for case in wanted if case.get("answer") and not {"interval", "nextCheckIn"} & case["answer"].keys()):
        done = subprocess.run([COMMAND_LINE, "fleet", "status", "--json", "--from", "-"], input=case["line"], capture_output=True, text=True)
        expect(json.loads(done.stdout)["boards"] == [case["answer"]], "%s: %s" % (case["line"], done.stdout))


@claim("every file that the page names is in its folder, but for Leaflet", **NOTHING)
def whole(_):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["cp", "-rL", PAGE, folder + "/page"], check=True)
        files = {os.path.relpath(os.path.join(place, name), folder + "/page") for place, _, names in os.walk(folder + "/page") for name in names}
        asked = set()
        for path in files:
            with open(os.path.join(folder, "page", path), encoding="utf-8") as file:
                text = file.read()
            if path.endswith(".js"):
                found = re.findall(r'(?:from|import\()\s*"(\.[^"]+)"', text)
            else:
                found = re.findall(r'(?:href|src)="([^"#:]+)"', text) if path.endswith(".html") else []
            asked |= {os.path.normpath(os.path.join(os.path.dirname(path), name)) for name in found}
    expect(asked - files == {"leaflet.js"}, "named and not there: %s" % sorted(asked - files))
    expect(files - asked == {"index.html"}, "there and named by nobody: %s" % sorted(files - asked))


if __name__ == "__main__":
    main()
