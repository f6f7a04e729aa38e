#!/usr/bin/env python3
# takes: 10 s
# behaviour: How long a battery lasts
"""What docs/battery.md prints of `homeward energy` is what the program says, and each of its figures has a source."""
import json
import os
import re
import subprocess
import sys

sys.path.insert(1, sys.path[0] + "/../world")
from tracker import COMMAND_LINE, ROOT
from world import told

with open(os.path.join(ROOT, "docs", "battery.md"), encoding="utf-8") as file:
    PAGE = file.read()


def energy(*words):
    return subprocess.run([COMMAND_LINE, "energy", *words], capture_output=True, text=True)


def shown():
    """(words, output) of each that the page shows: the command, and below it what it prints."""
    blocks = re.findall(r"^    homeward energy (.*)\n\n((?:    .*\n|\n)+)", PAGE, re.M)
    return [(words.split(), re.sub(r"^    ", "", text, flags=re.M).rstrip("\n")) for words, text in blocks]


def page_shows_what_is_said():
    found = shown()
    assert len(found) == 3, "%d were found" % len(found)
    for words, text in found:
        done = energy(*words)
        assert done.returncode == 0 and not done.stderr, done.stderr
        assert done.stdout.rstrip("\n") == text, "%s: the program says\n%s" % (" ".join(words), done.stdout)


def hand_computation_is_right():
    """The numbers of the sentences "By hand", worked out here in another way than the program's."""
    for on, off, day, battery, days in ((120, 1, 39.87, 19.54, 286.5), (600, 320, 7717.3, 3783.0, 1.48),
                                        (600, 3, 151.6, 74.31, 75.4)):
        seconds = 4 * 120
        charge = (seconds * on + (86400 - seconds) * off) / 3600
        drawn = charge * 5 / (12 * 0.85)
        said = json.loads(energy("--on", str(on), "--off", str(off), "--check-ins", "4", "--battery", "7000",
                                 "--json").stdout)
        for mine, theirs, told in ((charge, said["mAh"], day), (drawn, said["batteryMAh"], battery),
                                   (5600 / drawn, said["days"], days)):
            assert abs(mine - theirs) < 1e-6 * mine, "%s and %s" % (mine, theirs)
            assert abs(mine - told) < 0.005 * told, "%s and %s" % (mine, told)
            assert "{:,}".format(told) in PAGE, "the page has no %s" % told


def readme_says_the_same():
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        said = " ".join(file.read().split())
    found = re.search(
        r"a Zero 2 W behind a HAT that draws (\d+) mA lasts (\d+) days on a battery of (\d+) V and (\d+) Ah, with four "
        r"check-ins a day of two minutes each", said)
    assert found, "README does not say what a battery lasts"
    draws, days, volts, hours = found.groups()
    done = json.loads(energy("--on", "120", "--off", draws, "--check-ins", "4", "--seconds", "120", "--volts", volts,
                             "--battery", str(1000 * int(hours)), "--json").stdout)
    assert int(done["days"]) == int(days), "README says %s days, and the program %s" % (days, done["days"])


def figures_have_sources():
    rows = [line for line in PAGE.partition("## Boards")[2].partition("Sources:")[0].splitlines()
            if re.match(r"\| (?!Board|HAT|-)", line)]
    assert len(rows) > 8, rows
    for row in rows:
        for cell in row.strip("|").split(" | ")[1:]:
            bare = re.sub(r"\[[a-z]\]", "", cell)
            if re.search(r"\d+(?:\.\d+)? ?(?:W|mA)\b|^ *[\d,]{2,}", bare):
                assert re.search(r"\[[a-z]\]", cell), "a figure without its source: %s" % cell
    named = set(re.findall(r"\[([a-z])\](?!\()", PAGE))
    listed = re.findall(r"^- ([a-z]): .*", PAGE, re.M)
    assert named == set(listed) and len(listed) == len(set(listed)), "named %s, listed %s" % (sorted(named), listed)
    for line in re.findall(r"^- [a-z]: (.*(?:\n  .*)*)", PAGE, re.M):
        assert "](https://" in line, "a source without an address: %s" % line


def bad_input_is_one_line():
    for words, said in ((("--on", "0", "--off", "1"), "--on: 0, expected 0.1 to 20000 mA\n"),
                        (("--on", "9", "--off", "1", "--check-ins", "800"),
                         "--check-ins: 800 of 120 s and 0 h of driving are 26.67 h, expected a day at most\n")):
        done = energy(*words)
        assert (done.returncode, done.stdout, done.stderr) == (2, "", said), done
    done = energy("--on", "0", "--off", "1", "--json")
    assert json.loads(done.stdout) == {"ok": False, "error": "--on: 0, expected 0.1 to 20000 mA"}, done.stdout


def main():
    claims = {"docs/battery.md shows what homeward energy says": page_shows_what_is_said,
              "what docs/battery.md works out by hand is right": hand_computation_is_right,
              "README says of a battery what the program says": readme_says_the_same,
              "every figure of docs/battery.md has a source with an address": figures_have_sources,
              "figures that cannot be are refused in one line": bad_input_is_one_line}
    return told("battery", claims)


if __name__ == "__main__":
    sys.exit(main())
