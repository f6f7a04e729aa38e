#!/usr/bin/env python3
"""The manual pages say what the programs do: every key, command and option, and none that is not there."""
import json
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(1, sys.path[0] + "/../world")
from tracker import COMMAND_LINE, DAEMON, ROOT

PAGES = os.path.join(ROOT, "board", "man")


def page(name):
    """The text as it is read: without what makes letters bold or italic."""
    with open(os.path.join(PAGES, name)) as file:
        source = file.read()
    return re.sub(r"\\f.|\"", "", source.replace("\\-", "-"))


def said(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def options(text):
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", text))


def commands(words=()):
    """(words of a command, its help) of every command that has none below it."""
    text = said(COMMAND_LINE, *words, "--help")
    below = re.findall(r"^  ([a-z]+)(?: \(default\))?(?:  |$)", text.partition("SUBCOMMANDS:")[2], re.M)
    if not below:
        return [(words, text)]
    return [found for word in below for found in commands((*words, word))]


def keys():
    """What the program says of its keys and what the page says: name -> (takes, default, who)."""
    real = {}
    for key in json.loads(said(COMMAND_LINE, "config", "keys", "--json")):
        default = {True: "yes", False: "no"}.get(key["default"]) if isinstance(key["default"], bool) else None
        real[key["key"]] = (key["takes"], default or as_text(key["default"]), "remote" if key["remote"] else "local")
    found = re.findall(r"^\.BR? (\w+)(?: +\((.*); (.*); (remote|local)\))?$", page("homeward.otrc.5"), re.M)
    entries = [entry for entry in found if entry[1]]
    return real, {name: (takes, default.strip(), who) for name, takes, default, who in entries}, len(entries)


def as_text(default):
    return "%g" % default if isinstance(default, float) else str(default)


def keys_are_told():
    real, told, count = keys()
    assert count == len(told), "a key is there twice"
    missing, invented = sorted(set(real) - set(told)), sorted(set(told) - set(real))
    assert not missing and not invented, "not told: %s; told and not there: %s" % (missing, invented)
    wrong = ["%s: the page says %s, the program %s" % (k, told[k], real[k]) for k in real if told[k] != real[k]]
    assert not wrong, "\n".join(wrong)


def commands_are_told():
    text, every = page("homeward.1"), set()
    for words, help in commands():
        name = " ".join(words)
        assert re.search(r"^\.\w+ %s\b" % re.escape(name), text, re.M), "no word about `homeward %s`" % name
        every |= options(help.partition("OPTIONS:")[2])
    missing, invented = every - options(text), options(text) - every
    assert not missing and not invented, "not told: %s; told and not there: %s" % (missing, invented)
    # Commands that are told and gone.
    told = re.findall(r"^\.TP\n\.(?:B|BI|BR) ([a-z]+(?: [a-z]+)?)\b", text, re.M)
    names = {" ".join(words) for words, _ in commands()}
    gone = [name for name in told if name not in names and name.split()[0] not in names]
    assert told and not gone, "told and not there: %s" % gone


def daemon_is_told():
    told, real = options(page("homewardd.8")), options(said(DAEMON, "--help")) | {"--help"}
    assert told == real, "told %s, there are %s" % (sorted(told), sorted(real))


def pages_are_well_formed():
    if not shutil.which("groff"):
        return "no groff here"
    for name in sorted(os.listdir(PAGES)):
        done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z", os.path.join(PAGES, name)],
                              capture_output=True, text=True)
        assert done.returncode == 0 and not done.stderr, done.stderr
    return None


def install_puts_them_there():
    with open(os.path.join(ROOT, "install.sh")) as file:
        script = file.read()
    for name in os.listdir(PAGES):
        assert name in script, "install.sh does not install %s" % name


def main():
    claims = {"every key of the configuration with what it takes, its default and who sets it": keys_are_told,
              "every command and option of homeward, and no other": commands_are_told,
              "every option of homewardd, and no other": daemon_is_told,
              "groff understands the pages": pages_are_well_formed,
              "install.sh installs the pages": install_puts_them_there}
    failed = 0
    for name, check in claims.items():
        try:
            why = check()
            print("skip %s: %s" % (name, why) if why else "ok %s" % name)
        except AssertionError as error:
            failed += 1
            print("not ok %s: %s" % (name, error))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
