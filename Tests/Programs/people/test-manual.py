#!/usr/bin/env python3
# takes: 20 s
# behaviour: The configuration file
"""The manual pages say what the programs do: every key, command and option, and none that is not there.

    Tests/Programs/people/test-manual.py --write

writes what each key of homeward.otrc.5 takes, its default and who sets it, as `homeward config keys` has them. What a
key is for is written by hand, below its `.BR KEY "..."`, and stays."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(1, sys.path[0] + "/../world")
from page import WEB
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
    """What the program says of its keys: name -> (takes, default, who)."""
    real = {}
    for key in json.loads(said(COMMAND_LINE, "config", "keys", "--json")):
        default = {True: "yes", False: "no"}.get(key["default"]) if isinstance(key["default"], bool) else None
        real[key["key"]] = (key["takes"], default or as_text(key["default"]), "remote" if key["remote"] else "local")
    return real


ENTRY = re.compile(r'^\.BR (\w+) "(?: \(.*\))?"$', re.M)


def with_facts(source, real):
    """The page of the keys with the facts of each in its line."""
    def line(found):
        facts = real.get(found[1])
        return '.BR %s " (%s)"' % (found[1], "; ".join(facts).replace("-", "\\-")) if facts else found[0]
    return ENTRY.sub(line, source)


def write():
    path = os.path.join(PAGES, "homeward.otrc.5")
    with open(path) as file:
        text = with_facts(file.read(), keys())
    with open(path, "w") as file:
        file.write(text)


def as_text(default):
    return "%g" % default if isinstance(default, float) else str(default)


def keys_are_told():
    with open(os.path.join(PAGES, "homeward.otrc.5")) as file:
        source = file.read()
    real, told = keys(), ENTRY.findall(source)
    assert len(told) == len(set(told)), "a key is there twice"
    missing, invented = sorted(set(real) - set(told)), sorted(set(told) - set(real))
    assert not missing and not invented, "not told: %s; told and not there: %s" % (missing, invented)
    pairs = zip(source.splitlines(), with_facts(source, real).splitlines())
    wrong = ["the page has %s instead of %s" % pair for pair in pairs if pair[0] != pair[1]]
    assert not wrong, "\n".join([*wrong, "test-manual.py --write writes them"])


def restarts_are_told():
    """Which keys a reload leaves as they are, at each of them."""
    with open(os.path.join(PAGES, "homeward.otrc.5")) as file:
        entries = {ENTRY.findall(entry)[0]: entry for entry in file.read().split("\n.TP\n") if ENTRY.search(entry)}
    told = {name for name, entry in entries.items() if "A change counts from the next start; a reload says so." in entry}
    real = {key["key"] for key in json.loads(said(COMMAND_LINE, "config", "keys", "--json")) if key["restarts"]}
    assert real and told == real, "told of %s, it is so of %s" % (sorted(told), sorted(real))


# Of a waypoint.
OTHER_NAMES = {"speedLimit"}


def names_are_real():
    """Keys that a sentence names: words in bold with a capital within, and those that `config set` is shown with."""
    with open(os.path.join(ROOT, "Sources", "Model", "Control", "Command.swift")) as file:
        actions = set(re.findall(r'^    case \.\w+: "(\w+)"$', file.read(), re.M))
    assert "acknowledgeSos" in actions, actions
    known, wrong, seen = set(keys()) | actions | OTHER_NAMES, [], 0
    for name in sorted(os.listdir(PAGES)):
        with open(os.path.join(PAGES, name)) as file:
            bold = re.findall(r"^\.(?:B|BR|RB|BI|IB) (.*)$", re.sub(r"\\\(dq.*?\\\(dq", "", file.read()), re.M)
        for word in (word for line in bold for word in re.findall(r"(?<![\\\w/.-])[a-z]+[A-Z]\w*", line)):
            seen += 1
            wrong += [] if word in known else ["%s: %s" % (name, word)]
    for folder, _, names in os.walk(os.path.join(ROOT, "docs")):
        for name in (name for name in names if name.endswith(".md")):
            with open(os.path.join(folder, name)) as file:
                told = re.findall(r"homeward config set ([a-z]\w+)", file.read())
            wrong += ["%s: %s" % (name, word) for word in told if word not in known]
    assert seen > 100 and not wrong, "no such key: %s" % wrong


def options_of_many_are_told():
    """Which commands take the options that are told for all of them together."""
    section = page("homeward.1").partition("\n.SH OPTIONS\n")[2].partition("\n.SH ")[0]
    entries = {entry.split()[1]: entry for entry in section.split(".TP\n")[1:]}
    taking = {option: {" ".join(words) for words, help in commands() if option in options(help.partition("OPTIONS:")[2])}
              for option in ("--file", "--json")}
    every = {" ".join(words) for words, _ in commands()}
    for option, right in (("--file", taking["--file"]), ("--json", every - taking["--json"])):
        text = " ".join(re.sub(r"^\.\w+ ?", "", line) for line in entries[option].splitlines()[1:])
        told = {name for name in every | {name.split()[0] for name in every} if re.search(r"\b%s\b" % name, text)}
        told -= {name.split()[0] for name in told if name not in every}
        assert told == right, "%s: told for %s, it is %s" % (option, sorted(told), sorted(right))


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


def page_server_is_told():
    told, real = options(page("homeward-web.8")), options(said(WEB, "--help")) | {"--help"}
    # Of other programs.
    told -= {"--now", "--look"}
    assert told == real, "told %s, there are %s" % (sorted(told), sorted(real))


def plain(name):
    """A page as one line of text, without macros."""
    return " ".join(re.sub(r"^\.\w+ ?", "", line) for line in page(name).splitlines()).replace("  ", " ")


def is_default(*words):
    """Whether the help of a command names this default."""
    return lambda value: "(default: %s)" % value in " ".join(said(COMMAND_LINE, *words, "--help").split())


def in_energy(*sentences):
    """Whether the help of `energy` has these sentences, each with its number."""
    def is_there(values):
        values = [values] if isinstance(values, str) else values
        text = " ".join(said(COMMAND_LINE, "energy", "--help").split())
        return all(sentence % value in text for sentence, value in zip(sentences, values))
    return is_there


def defaults():
    return {key["key"]: key["default"] for key in json.loads(said(COMMAND_LINE, "config", "keys", "--json"))}


def one_cell(_):
    pairs = [pair.split(":") for pair in defaults()["batteryVoltages"].split()]
    return 3 < float(pairs[0][0]) < 3.5 and 4 < float(pairs[-1][0]) < 4.3


def presets(values):
    """Of none and of the iOS app: metres and seconds of each."""
    for word, said_of_it in (("none", values[:2]), ("iosapp", values[2:])):
        with tempfile.NamedTemporaryFile("w", suffix=".otrc") as file:
            json.dump({"_type": "configuration", "preset": word}, file)
            file.flush()
            shown = json.loads(said(COMMAND_LINE, "config", "show", "--json", "--file", file.name))
        if [str(shown["locatorDisplacement"]), str(shown["locatorInterval"])] != list(said_of_it):
            return False
    return True


# What names a default, and who says whether it is true; None: it names none.
DEFAULTS = {
    r"How long to listen; (\d+) if it is not said": is_default("beacons", "learn"),
    r"How long it starts, with --starting ; (\d+) if it is not said": in_energy("(default: %s.0)"),
    r"Check-ins a day; (\d+) if it is not said": in_energy("parkedWake. (default: %s.0)"),
    r"its start included; (\d+) if it is not said": in_energy("its start included; without it %s."),
    r"on the battery alone; (\d+) if it is not said": in_energy("on the battery alone. (default: %s.0)"),
    r"passes on; (\d+), (\d+) and (\d+) if it is not said": in_energy(
        "The battery's voltage. (default: %s.0)", "may be used. (default: %s.0)", "passes on. (default: %s.0)"),
    r"The tracker's socket, if it is not (\S+) \.": is_default("status"),
    r"the configuration, if it is not (\S+) \.": is_default("doctor"),
    r"Off by default, see (\w+) in homeward.otrc": lambda key: defaults()[key] in (0, False, ""),
    r"The port that the page is served on, if it is not (\d+)": is_default("web", "open"),
    r"Where the (?:code is left for the server|server keeps them), if it is not (\S+) \.":
        lambda value: is_default("web", "open")(value) or is_default("web", "list")(value),
    r"if it is not said here: (\S+) \.": lambda value: "(default %s" % value in said(WEB, "--help"),
    r"The default is one lithium-ion cell": one_cell,
    r"Whose defaults .{0,120}? (\d+) metres and (\d+) seconds.{0,120}? (\d+) metres and (\d+) seconds": presets,
    r"\[ ?--default ?\]|--default Takes the key out|what it takes(,| and) its default|null is the key's default|[Dd]efault route": None,
}


def defaults_in_sentences_are_true():
    for name in sorted(os.listdir(PAGES)):
        text, known = plain(name), []
        for pattern, is_true in DEFAULTS.items():
            for found in re.finditer(pattern, text):
                known.append(found.span())
                value = found.group(1) if found.re.groups == 1 else found.groups()
                assert not is_true or is_true(value), "%s: not so: %s" % (name, found.group(0))
        for found in re.finditer(r"[Dd]efault|if it is not", text):
            assert any(start <= found.start() < end for start, end in known), "%s: nobody looks whether it is so: %s" % (
                name, text[max(0, found.start() - 60):found.end() + 60])
    with open(os.path.join(ROOT, "docs", "behaviour.md")) as file:
        text, real, seen = " ".join(file.read().split()), defaults(), 0
    # `key` (30 s), `key` (102,400).
    for key, value in re.findall(r"`(\w+)` \((-?[\d,]+(?:\.\d+)?)(?: [^)]*)?\)", text):
        if key in real:
            seen += 1
            assert float(value.replace(",", "")) == real[key], "behaviour.md: %s is %s, not %s" % (key, real[key], value)
    assert seen >= 15, "only %d defaults were found in behaviour.md" % seen


def nothing_is_promised():
    texts = {name: plain(name) for name in os.listdir(PAGES)}
    texts.update((" ".join(words), " ".join(help.split())) for words, help in commands())
    for name, text in texts.items():
        found = re.search(r".{0,40}\b(not yet|not implemented|in a later version)\b.{0,40}", text, re.I)
        assert not found, "%s: %s" % (name, found and found.group(0))


def experts_are_told():
    """Those that OwnTracks' own documents mark for experts, where there is such a key here."""
    text = plain("homeward.otrc.5")
    told = text.partition("These are for experts")[2].partition("SH WHO IT IS")[0].partition("WHO IT IS")[0]
    named = set(re.findall(r"[a-zA-Z]+", told)) & set(defaults())
    marked = {"clientId", "port", "tls", "auth", "subTopic", "subQos", "pubTopicBase", "pubQos", "pubRetain",
              "cleanSession", "keepalive"}
    assert marked <= named, "not told: %s" % sorted(marked - named)
    real = {key["key"] for key in json.loads(said(COMMAND_LINE, "config", "keys", "--json")) if key["expert"]}
    assert named == real, "the page and the program differ in %s" % sorted(named ^ real)
    assert not {"deviceId", "host", "username", "password", "locatorDisplacement", "locatorInterval"} & named, named


SCENE = [
    {"at": 0, "clock": 1700000000}, {"at": 0, "battery": {"level": 50, "status": "Discharging"}},
    {"at": 0, "network": {"kind": "wifi", "ssid": "n", "bssid": "aa:bb:cc:dd:ee:ff"}}, {"at": 0, "barometer": 100.1},
    {"at": 0, "state": {"regions": [{"desc": "Home", "lat": 48, "lon": 11, "rad": 500, "tst": 1, "inside": True}]}},
    {"at": 1, "tpv": {"mode": 3, "time": 1700000001, "lat": 48, "lon": 11, "eph": 5, "altMSL": 500, "epv": 9,
                      "speed": 10, "track": 90}}]


def location(extended):
    """The keys of a location."""
    words = ["replay", "--set", "username=u", "--set", "monitoring=2", "--set", "extendedData=" + extended, "-"]
    done = subprocess.run([COMMAND_LINE, *words], input="\n".join(map(json.dumps, SCENE)), capture_output=True, text=True)
    return set(next(json.loads(line)["publish"]["payload"] for line in done.stdout.splitlines() if "publish" in line))


def extended_data_is_told():
    entry = plain("homeward.otrc.5").partition("extendedData (")[2].partition("downgrade (")[0]
    added, _, always = entry.partition("the vehicle's lines say")
    words = {"altitude": "alt", "its error": "vac", "course": "cog", "speed": "vel", "mode": "m", "connected": "conn",
             "WiFi network": "SSID", "pressure": "p"}
    assert all(word in added for word in words), added
    assert location("true") - location("false") == set(words.values()) | {"BSSID"}, location("true") - location("false")
    for key in ("batt", "bs", "inregions", "inrids"):
        assert key in location("false") and key in always, key


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
              "which keys count from the next start": restarts_are_told,
              "no key that is not there": names_are_real,
              "every command and option of homeward, and no other": commands_are_told,
              "which commands take the options of many": options_of_many_are_told,
              "every option of homewardd, and no other": daemon_is_told,
              "every option of homeward-web, and no other": page_server_is_told,
              "every default that a sentence names": defaults_in_sentences_are_true,
              "what extended data are": extended_data_is_told,
              "nothing that is still to come": nothing_is_promised,
              "which keys are for experts": experts_are_told,
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
    sys.exit(write() if sys.argv[1:] == ["--write"] else main())
