#!/usr/bin/env python3
# takes: 20 s
"""README and the pages in docs name commands, options, keys, defaults and files that are there."""
import glob
import json
import os
import re
import subprocess
import sys

sys.path.insert(1, sys.path[0] + "/../world")
from tracker import COMMAND_LINE, ROOT
from world import told

PAGES = [os.path.join(ROOT, "README.md"), os.path.join(ROOT, "board/README.md"), os.path.join(ROOT, "SECURITY.md"),
         *sorted(glob.glob(os.path.join(ROOT, "docs/*.md")))]
# For people who change it.
INNER = [os.path.join(ROOT, name) for name in ("ARCHITECTURE.md", "CONTRIBUTING.md", "Tests/README.md",
                                               "Tests/Instruments/README.md", "findings/README.md")]


def texts(pages=None):
    for path in pages or PAGES:
        with open(path, encoding="utf-8") as file:
            yield os.path.relpath(path, ROOT), file.read()


def help_of(words):
    """Nil where there is no such command."""
    done = subprocess.run([COMMAND_LINE, *words, "--help"], capture_output=True, text=True)
    usage = re.search(r"^USAGE: homeward ?(.*)$", done.stdout, re.M)
    # For a word that is none the help of what stands before it comes.
    return done.stdout if usage and usage[1].startswith(" ".join(words)) else None


def commands_of(text):
    """All that is to be typed: code of its own lines, and code within a sentence."""
    blocks = re.findall(r"^    (?:sudo )?(homeward .*)$", text, re.M)
    blocks += re.findall(r"^(?:sudo )?(homeward .*)$", "\n".join(re.findall(r"^```\w*\n(.*?)^```", text, re.M | re.S)), re.M)
    return blocks + re.findall(r"`(?:sudo )?(homeward [a-z][^`]*)`", text.replace("\n", " "))


def commands_exist():
    count, faults = 0, []
    for path, text in texts():
        for command in commands_of(text):
            words = re.sub(r"\s{2,}.*| #.*", "", command).split()[1:]
            # Behind two dashes stand another program's.
            words = words[:words.index("--")] if "--" in words else words
            names = [word for word in words if re.fullmatch(r"[a-z]+", word)][:2]
            options = {word for word in words if word.startswith("--")}
            if len(names) == 2 and help_of(names) is None and "SUBCOMMANDS:" not in (help_of(names[:1]) or ""):
                names.pop()  # what stands behind is a value
            count += 1
            if not names or help_of(names) is None:
                faults.append("%s: `%s`: there is no such command" % (path, command))
                continue
            gone = {option for option in options if option.split("=")[0] not in help_of(names)}
            if gone:
                faults.append("%s: `%s`: it has no %s" % (path, command, ", ".join(sorted(gone))))
    assert count > 40, "only %d commands were found" % count
    assert not faults, "; ".join(faults)


def keys_exist():
    """First cells of tables whose head is `Key`; in docs/behaviour.md those are of messages."""
    known = {key["key"]: key["default"] for key in json.loads(
        subprocess.run([COMMAND_LINE, "config", "keys", "--json"], capture_output=True, text=True, check=True).stdout)}
    known["waypoints"] = None  # of the file, and no setting
    count, faults = 0, []
    for path, text in texts():
        if path == "docs/behaviour.md":
            continue
        for table in re.findall(r"^\| Key \|.*\n\|[-|]+\|\n((?:\|.*\n)+)", text, re.M):
            for cells in (line.strip("|\n").split(" | ") for line in table.splitlines()):
                for key in re.findall(r"`(\w+)`(?! of a region)", cells[0]):
                    count += 1
                    if key not in known:
                        faults.append("%s: there is no key %s" % (path, key))
                    elif path == "README.md" and re.fullmatch(r"-?\d+|true|false", cells[1].strip()):
                        if json.loads(cells[1]) != known[key]:
                            faults.append("%s: %s is %s by default" % (path, key, json.dumps(known[key])))
    assert count > 20, "only %d keys were found" % count
    assert not faults, "; ".join(faults)


def links_lead_somewhere():
    count, faults = 0, []
    for path, text in texts(PAGES + INNER):
        anchors = {re.sub(r"[^\w -]", "", head.lower()).strip().replace(" ", "-")
                   for head in re.findall(r"^#+ (.*)$", text, re.M)}
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if target.startswith("http"):
                continue
            count += 1
            if target.startswith("#"):
                if target[1:] not in anchors:
                    faults.append("%s: there is no section %s" % (path, target))
            elif not os.path.exists(os.path.join(ROOT, os.path.dirname(path), target.split("#")[0])):
                faults.append("%s: there is no %s" % (path, target))
    assert count > 20, "only %d links were found" % count
    assert not faults, "; ".join(faults)


def readme_is_short():
    with open(PAGES[0], encoding="utf-8") as file:
        words = len(file.read().split())
    assert words < 2200, "%d words: what only some need belongs in docs" % words


def main():
    claims = {"commands and options of README and docs are there": commands_exist,
              "keys of README and docs are there, with README's defaults": keys_exist,
              "links within the repository lead somewhere": links_lead_somewhere,
              "README is a page that one reads": readme_is_short}
    return told("pages", claims)


if __name__ == "__main__":
    sys.exit(main())
