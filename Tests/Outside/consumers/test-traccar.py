#!/usr/bin/env python3
# takes: 20 s
# behaviour: Words for vehicles
"""Traccar's own decoder reads what vehicles tell: each letter is the alarm that it should be, and each key the attribute.

Skipped where HOMEWARD_TRACCAR names no source of Traccar, or where there is no javac."""
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(HERE, "../../Programs/world"))
sys.path.insert(1, os.path.join(HERE, "../../Situations"))
import make  # noqa: E402
from traccar import Decoder  # noqa: E402
from tracker import COMMAND_LINE  # noqa: E402
from world import expect, told  # noqa: E402

SETTINGS = """
set monitoring=0
set alarmMessages=false
"""
# Settings and a timeline; the letter of a location, and what Traccar makes of it.
DRIVES = {
    "hard braking": ("""
set harshDriving=true
@0..5/0.2 fix(4*i,0, v=20, track=90)
@5.2..9/0.2 fix(100+4*(i+1)-0.098*(i+1)**2,0, v=20-0.98*(i+1), track=90)
""", "h", {"alarm": "hardBraking", "event": "h"}),
    "hard acceleration": ("""
set harshDriving=true
@0..5/0.2 fix(i,0, v=5, track=90)
@5.2..9/0.2 fix(25+(i+1)+0.098*(i+1)**2,0, v=5+0.98*(i+1), track=90)
""", "h", {"alarm": "hardAcceleration"}),
    "hard cornering": ("""
set harshDriving=true
@0..5/0.2 fix(-75+3*i,0, v=15, track=90)
@5.2..8/0.2 fix(46*sin(3*(i+1)/46),46*(1-cos(3*(i+1)/46)), v=15, track=90-57.3*3*(i+1)/46)
""", "h", {"alarm": "hardCornering"}),
    "too fast": ("""
set overspeed=50
@0..20/1 fix(20*i,0, v=20, track=90)
""", "s", {"alarm": "overspeed"}),
    "a low battery": ("""
set downgrade=20
@0 fix(0,0)
@1 {"battery": {"level": 40, "state": "unplugged"}}
@10 {"battery": {"level": 19, "state": "unplugged"}}
@21 fix(0,0)
""", "9", {"alarm": "lowBattery", "batteryLevel": "19"}),
    # It knows no letter for that: a computed attribute makes the event an alarm.
    "a call for help": ("""
@0 fix(0,0)
@2 ctl sos
@3 fix(1,0)
""", "GTSOS", {"event": "GTSOS", "alarm": None}),
    "ignition and hours of the engine": ("""
set monitoring=1
@0 fix(0,0)
@2 {"ignition": true}
@3 {"vehicleVolts": 12.4}
@7201 fix(0,0)
@7202 {"ignition": false}
@7210 fix(0,0)
""", "I", {"ignition": "false", "power": "12.4", "hours": "2.0"}),
}


def locations(text):
    case = make.Case("traccar", SETTINGS + text, {})
    done = subprocess.run(
        [COMMAND_LINE, "replay", "-", *case.arguments()], input=case.timeline(), capture_output=True, text=True)
    expect(done.returncode == 0, "the replay fails: %s" % done.stderr)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    found = [line["publish"]["payload"] for line in lines if "publish" in line]
    return [payload for payload in found if payload.get("_type") == "location"]


def check(decoder, text, letter, wanted):
    sent = [payload for payload in locations(text) if payload.get("t") == letter]
    expect(len(sent) == 1, "%d locations with t %s" % (len(sent), letter))
    read = decoder.read([json.dumps(sent[0], separators=(",", ":"))])[0]
    wrong = {key: read.get(key) for key, value in wanted.items() if read.get(key) != value}
    expect(not wrong, "read as %s of %s" % (read, sent[0]))


def main():
    decoder = Decoder()
    if decoder.missing:
        print("skip Traccar: %s" % decoder.missing)
        return 0
    try:
        return told("Traccar", {
            name: lambda case=case: check(decoder, *case) for name, case in DRIVES.items()})
    finally:
        decoder.close()


if __name__ == "__main__":
    sys.exit(main())
