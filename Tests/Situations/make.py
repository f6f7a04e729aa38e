#!/usr/bin/env python3
"""Turns a situation (SUBJECT/name.case) into what `homeward replay` reads and what it must answer.

    make.py FILE.case...            print the timelines
    make.py --to DIR FILE.case...   write SUBJECT-name.jsonl, SUBJECT-name.expect and SUBJECT-name.args to DIR

A situation is written in metres around 48 N, 11 E, and in seconds after 1700000000:

    # Entering a region is news in manual mode                 the claim
    # behaviour: Crossing a circle                             the section of docs/behaviour.md that it holds
    set monitoring=0                                           a setting on top of the set-up below
    each MODE 0 1 2                                            the situation once for each value of $MODE
    region Home r=100 at 0,0 tst=1700000100 inside=false       what was stored before
    region Yard r=1 at 0,0 polygon=[[0,0],[9,0],[0,9]]         an area, its corners as east, north
    state mode=1 downgraded=true                               likewise
    no clock                                                   the clock is not trusted (else it is, at 0)
    @0 fix(500,0)                                              e, n; acc=5 speed=0 alt=500 unless given
    @10..600/5 fix(10*i,0, v=25)                               one every 5 s, i counts from 0; sin and cos of radians
    @10..100/1 advert 5/6 rssi=-65 keep=i%2                    a beacon, of the UUID that names call U
    @70 ctl publish --poi "my cafe"                            a command line
    @80 {"broker":"down"}                                      any other line of a timeline
    @900 end
    > @70 loc(u) poi="my cafe" tag=absent                      a publish with these values, or without
    > @8 loc(-) place=500,0 alt=["any",512,513]                where it is said to be; one of several values
    > @60 trn(enter Home,c)    > @20 wp(Home)                  on /event, on /waypoint
    > @10 beacon(Main) prox=2                                  on /beacon
    > @90 trip(start)      > @99 alarm(overspeed) event=end    on /trip, on /alarm
    > @70 answer ok=true regions.0.rad=50
    > @70.05 delivered 1
    > @20 status linux.mode=1  > @20 reply id=7 ok=true      on /status and its like, on /cmd/answer
    > @30 withheld commandRefused because=retained
    > @10 notice "JP enters home"
    > state mode=1 queue=0

Silence counts: whatever is published and not written down is a failure. `delivered` and `answer` lines
are compared only in situations that write down at least one of their kind, `withheld` ones only those of
the reasons that are written down.
"""
import json
import math
import os
import re
import shlex
import sys
import time

T0 = 1700000000
ORIGIN = (48.0, 11.0)
METRE = 111195.0
# In names of regions and in commands `:U` and `=U` stand for it.
BEACON = "CA271EAE-5FA8-4E80-8F08-2A302A95A959"

SETUP = {
    "username": "u", "deviceId": "d", "host": "localhost", "monitoring": "1", "ping": "0",
    "locatorDisplacement": "100", "locatorInterval": "300", "significantDisplacement": "500",
    "significantInterval": "300", "regionConfirm": "1", "physicsGate": "false", "reentryGuard": "0",
    "holdDown": "3", "beaconLossTimeout": "30", "pubQos": "1", "extendedData": "true",
}


# What commands are answered with, and the end of its topic.
ANSWERS = {"dump": "dump", "status": "status", "steps": "step", "waypoints": "waypoints"}


class BadCase(Exception):
    pass


def place(east, north):
    """Degrees of a point this many metres from the origin."""
    latitude = ORIGIN[0] + north / METRE
    longitude = ORIGIN[1] + east / (METRE * math.cos(math.radians(ORIGIN[0])))
    return round(latitude, 9), round(longitude, 9)


def stamp(at):
    seconds = T0 + at
    whole = math.floor(seconds)
    text = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(whole))
    return "%s.%03dZ" % (text, round((seconds - whole) * 1000))


def tpv(east, north, at, **given):
    """A report as gpsd prints it; `None` leaves a key out."""
    latitude, longitude = place(east, north)
    report = {"class": "TPV", "device": "/dev/ttyS0", "mode": 3, "time": stamp(given.pop("t", at)),
              "lat": latitude, "lon": longitude, "altMSL": 500.0, "eph": 5.0, "speed": 0.0}
    names = {"acc": "eph", "v": "speed", "alt": "altMSL"}
    for name, value in given.items():
        report[names.get(name, name)] = value
    return {key: value for key, value in report.items() if value is not None}


class Case:
    def __init__(self, name, text, values):
        self.name = name
        self.claim = ""
        self.settings = dict(SETUP)
        self.clock = T0
        self.state = {}
        self.regions = []
        self.lines = []
        self.expected = []
        for number, line in enumerate(text.splitlines(), 1):
            for key, value in values.items():
                line = line.replace("$" + key, value)
            try:
                self.read(line.strip())
            except (ValueError, SyntaxError, NameError, TypeError, BadCase) as error:
                raise BadCase("%s.case:%d: %s" % (name.split("[")[0], number, error)) from error

    def read(self, line):
        line = re.sub(r'(?<=[:= "])U(?![\w-])', BEACON, line)
        word, _, rest = line.partition(" ")
        if word.startswith("#"):
            self.claim = self.claim or rest
        elif word == "set":
            key, _, value = rest.partition("=")
            self.settings[key] = value
        elif word == "state":
            self.state.update(pairs(shlex.split(rest, posix=False)))
        elif word == "region":
            self.regions.append(region(rest))
        elif line == "no clock":
            self.clock = None
        elif word == ">":
            self.expected.append(expectation(rest))
        elif word.startswith("@"):
            self.happen(word[1:], rest)
        elif word and word != "each":
            raise BadCase("unknown word %r" % word)

    def happen(self, when, what):
        ranged = re.fullmatch(r"([\d.]+)\.\.([\d.]+)/([\d.]+)", when)
        if not ranged:
            self.lines.append(event(number(when), 0, what))
            return
        first, last, step = map(float, ranged.groups())
        for i in range(int(math.floor((last - first) / step + 1e-9)) + 1):
            line = event(number(repr(round(first + i * step, 6))), i, what)
            if line:
                self.lines.append(line)

    def timeline(self):
        lines = [{"at": 0, "clock": self.clock}] if self.clock is not None else []
        if self.state or self.regions:
            lines.append({"at": 0, "state": {**self.state, "regions": self.regions}})
        lines += sorted(self.lines, key=lambda line: line["at"])
        return "".join(json.dumps(line) + "\n" for line in lines)

    def arguments(self):
        return [word for key, value in self.settings.items() for word in ("--set", "%s=%s" % (key, value))]


def number(text):
    value = float(text)
    return int(value) if value == int(value) else value


def event(at, i, what):
    if what.startswith("{"):
        return {"at": at, **json.loads(what)}
    if what == "end":
        return {"at": at, "end": True}
    if what.startswith("ctl "):
        return {"at": at, "control": shlex.split(what)[1:]}
    if what.startswith("advert "):
        made = advert(what.split()[1:], i, at)
        return {"at": at, "advert": made} if made.pop("keep", True) else None
    call = re.fullmatch(r"fix\((.*)\)", what)
    if not call:
        raise BadCase("neither fix(e,n), ctl WORDS, end nor a JSON object: %r" % what)
    # The situations are our own files: arithmetic in them is a convenience, not a door.
    east, north, given = eval("(lambda e, n, **k: (e, n, k))(%s)" % call.group(1), {"i": i, "at": at, "sin": math.sin, "cos": math.cos})
    return {"at": at, "tpv": tpv(east, north, at, **given)}


def advert(words, i, at):
    """`5/6 rssi=-65`: values may be arithmetic in i and at, as in fix()."""
    major, _, minor = words[0].partition("/")
    made = {"uuid": BEACON, "major": int(major), "minor": int(minor), "power": -59, "rssi": -65}
    for key, value in (word.split("=", 1) for word in words[1:]):
        made[key] = value if key in ("uuid", "address") else eval(value, {"i": i, "at": at})
    return made


def region(text):
    found = re.fullmatch(r"(\S+) r=(\S+) at ([^,]+),(\S+)(.*)", text)
    if not found:
        raise BadCase("expected: region NAME r=METRES at E,N [key=value]...")
    name, radius, east, north, rest = found.groups()
    latitude, longitude = place(float(east), float(north))
    made = {"desc": name, "lat": latitude, "lon": longitude, "rad": number(radius), "tst": T0,
            "inside": False}
    made.update(pairs(rest.split()))
    if made.get("polygon"):
        made["polygon"] = [list(reversed(place(*corner))) for corner in made["polygon"]]
    return {key: value for key, value in made.items() if value is not None}


def pairs(words):
    """key=JSON; `absent` is None, and a value that is no JSON is text."""
    result = {}
    for word in words:
        key, _, value = word.partition("=")
        try:
            result[key] = None if value == "absent" else json.loads(value)
        except ValueError:
            result[key] = value
    return result


def expectation(text):
    words = re.findall(r'(?:[^\s"\[({]|"(?:[^"\\]|\\.)*"|\[[^\]]*\]|\([^)]*\))+', text)
    if words[0] == "state":
        return {"kind": "state", "values": pairs(words[1:])}
    at = number(words[0].lstrip("@"))
    if words[1] in ("delivered", "withheld"):
        return {"kind": words[1], "at": at, "values": pairs(["%s=%s" % (words[1], words[2]), *words[3:]])}
    if words[1] == "notice":
        return {"kind": "notice", "at": at, "values": {"notice": json.loads(words[2])}}
    if words[1] == "reply":
        topic = {"topic": "/cmd/answer", "_type": "answer", "retain": False}
        return {"kind": "publish", "at": at, "values": {**topic, **pairs(words[2:])}}
    if words[1] in ANSWERS:
        topic = {"topic": "/" + ANSWERS[words[1]], "_type": words[1], "retain": False}
        return {"kind": "publish", "at": at, "values": {**topic, **pairs(words[2:])}}
    if words[1] == "answer":
        return {"kind": "answer", "at": at, "values": pairs(words[2:])}
    call = re.fullmatch(r"(loc|trn|wp|beacon|trip|alarm)\((.*)\)", words[1])
    if not call:
        raise BadCase("expected loc(t), trn(event name,t), wp(name), beacon(name), trip(event), alarm(kind), answer, reply, dump, status, steps, waypoints, delivered, withheld or state")
    values = {**published(*call.groups()), **pairs(words[2:])}
    if "place" in values:
        latitude, longitude = place(*map(float, values.pop("place").split(",")))
        values.update(lat=round(latitude, 6), lon=round(longitude, 6))
    return {"kind": "publish", "at": at, "values": values}


def published(kind, inside):
    if kind == "loc":
        return {"_type": "location", "t": None if inside == "-" else inside, "topic": ""}
    if kind == "wp":
        return {"_type": "waypoint", "desc": inside, "topic": "/waypoint", "retain": False}
    if kind == "beacon":
        return {"_type": "beacon", "desc": inside or None, "topic": "/beacon", "retain": False}
    if kind == "trip":
        return {"_type": "trip", "event": inside, "topic": "/trip", "retain": False}
    if kind == "alarm":
        return {"_type": "alarm", "alarm": inside, "topic": "/alarm", "retain": False}
    word, name, letter = re.fullmatch(r"(enter|leave) ?(.*),(.)", inside).groups()
    return {"_type": "transition", "event": word, "desc": name or None, "t": letter, "topic": "/event",
            "retain": False}


def load(path):
    """The situations of one file: one, or one for each value of its `each` line."""
    subject = os.path.basename(os.path.dirname(os.path.abspath(path)))
    name = "%s-%s" % (subject, os.path.basename(path)[: -len(".case")])
    with open(path, encoding="utf-8") as file:
        text = file.read()
    each = re.search(r"^each (\S+) (.+)$", text, re.MULTILINE)
    if not each:
        return [Case(name, text, {})]
    return [Case("%s[%s=%s]" % (name, each.group(1), value), text, {each.group(1): value})
            for value in each.group(2).split()]


def main(arguments):
    folder = None
    if arguments[:1] == ["--to"]:
        folder, arguments = arguments[1], arguments[2:]
    for path in arguments:
        for case in load(path):
            if folder is None:
                sys.stdout.write(case.timeline())
                continue
            for ending, text in ((".jsonl", case.timeline()),
                                 (".expect", "".join(json.dumps(one) + "\n" for one in case.expected)),
                                 (".args", shlex.join(case.arguments()) + "\n")):
                with open(os.path.join(folder, case.name + ending), "w", encoding="utf-8") as file:
                    file.write(text)


if __name__ == "__main__":
    main(sys.argv[1:])
