#!/usr/bin/env python3
# takes: 10 s
# behaviour: replay
"""A drive that some other program has recorded is replayed as it was meant, or the first thing that was not understood
is named with its line."""
import json
import os
import subprocess
import sys
import tempfile
import time

sys.path.insert(1, sys.path[0] + "/../world")
from nmea import burst
from tracker import COMMAND_LINE
from world import told

# 40 points, 5 s apart, at 12 m/s: one location each 100 m.
START, COUNT, STEP = 1_782_892_800, 40, 5
WORDS = ["--set", "username=ann", "--set", "deviceId=van", "--set", "monitoring=2"]


def clock(index, form="%Y-%m-%dT%H:%M:%SZ", east=0):
    return time.strftime(form, time.gmtime(START + STEP * index + east))


def gpx(when, lat="43.500000", sign="", rest=""):
    """A track whose times `when` writes."""
    points = "\n".join('<trkpt lat="%s" lon="%s%.6f"><time>%s</time>%s</trkpt>' % (
        lat, sign, 16 + index * 0.000744, when(index), rest) for index in range(COUNT))
    return '<?xml version="1.0"?>\n<gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>\n' \
        + points + "\n</trkseg></trk></gpx>\n"


def reports(before=""):
    return [before.format(clock(index, "%Y-%m-%d %H:%M:%S")) + json.dumps(
        {"class": "TPV", "device": "/dev/ttyUSB0", "mode": 3, "time": clock(index), "lat": 43.5,
         "lon": 16 + index * 0.000744, "eph": 4.0, "speed": 12.0, "track": 90.0}) for index in range(COUNT)]


def nmea(start):
    """Half a minute at 15 m/s from this second on."""
    return b"".join(burst(start + second, 43.5, 16 + second * 0.000186, 15.0, 90.0) for second in range(30))


def replay(text, ending, *words):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "drive" + ending)
        with open(path, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        done = subprocess.run([COMMAND_LINE, "replay", *WORDS, *words, path], capture_output=True, text=True,
                              timeout=120)
    done.stderr = done.stderr.replace(folder + "/", "")
    return done


def locations(text, ending):
    """What is told, where nothing is wrong."""
    done = replay(text, ending, "--json")
    assert done.returncode == 0 and not done.stderr, done.stderr
    said = [json.loads(line).get("publish", {}).get("payload", {}) for line in done.stdout.splitlines()]
    told = [one for one in said if one.get("_type") == "location"]
    assert len(told) in (19, 20), "%d locations" % len(told)
    assert told[0]["tst"] == START, told[0]
    return told


def refusal(text, ending):
    done = replay(text, ending)
    assert done.returncode == 2 and not done.stdout, done
    return done.stderr.strip()


def times_of_all_kinds():
    locations(gpx(lambda index: clock(index, "%Y-%m-%dT%H:%M:%S")), ".gpx")
    locations(gpx(lambda index: clock(index, "%Y-%m-%dT%H:%M:%S+0200", 7200)), ".gpx")
    locations(gpx(clock), ".gpx")


def decimals_of_all_kinds():
    assert locations(gpx(clock, lat=" +43.500000", sign="+"), ".gpx")[0]["lat"] == 43.5


def a_points_own_values():
    other = '<extensions><o:data xmlns:o="urn:x"><o:speed>43.2</o:speed><o:ele>9999</o:ele></o:data></extensions>'
    told = locations(gpx(clock, rest="<ele>12</ele><speed>12.0</speed>" + other), ".gpx")[-1]
    assert told["vel"] == 43 and told["alt"] == 12, told


def reports_of_gpspipe():
    locations("\n".join(reports()), ".json")
    for before in ("{}: ", "{}.123456: "):
        locations("\n".join(reports(before)), ".json")
    locations("[" + ",\n".join(reports()) + "]", ".json")


def what_is_wrong():
    wrong = gpx(lambda index: clock(index, "%Y-02-31T%H:%M:%SZ"))
    assert refusal(wrong, ".gpx").endswith(
        "drive.gpx:3: not one position that can be used, the first: the time 2026-02-31T08:00:00Z is impossible: there "
        "is no such day or hour"), refusal(wrong, ".gpx")
    assert "drive.gpx:3: " in refusal(gpx(clock, lat="143.5"), ".gpx")
    said = refusal("hello\n", ".json")
    assert "drive.json:1: not one position that can be used, the first: not a JSON object" in said, said
    half = gpx(lambda index: clock(index) if index < COUNT // 2 else "soon")
    done = replay(half, ".gpx", "--table")
    assert done.returncode == 0 and "of 20 positions published" in done.stdout, done
    assert "20 lines skipped, the first: line 23: the time \"soon\" is not understood" in done.stderr, done.stderr


def old_dates_of_a_receiver():
    """gpsd takes them for those of a receiver whose week number has rolled over."""
    done = replay(nmea(1_435_651_200), ".nmea", "--json")
    assert done.returncode == 0, done.stderr
    assert "gpsd has moved its dates by 1024 weeks: what the receiver dates 2015-06-30 is played" in done.stderr, done
    assert not replay(nmea(START), ".nmea", "--json").stderr


def dates_that_no_clock_explains():
    """Without a clock a replay refuses what the tracker would."""
    for start in (315_964_800, 935_280_000):
        lines = [json.dumps({"at": second, "tpv": {"mode": 3, "time": start + second, "lat": 48 + second * 0.0003,
                                                   "lon": 11, "eph": 5}}) for second in range(60)]
        done = replay("\n".join(lines), ".jsonl", "--json", "--why")
        assert done.returncode == 0 and "dateRefused" in done.stdout, done
        assert '"_type":"location"' not in done.stdout, done.stdout


def main():
    return told("forms", {
        "times with any zone or none": times_of_all_kinds, "numbers with signs and blanks": decimals_of_all_kinds,
        "what a point says itself counts first": a_points_own_values,
        "reports with times before them, and in an array": reports_of_gpspipe,
        "what cannot be used is named": what_is_wrong, "dates that gpsd has moved are named": old_dates_of_a_receiver,
        "dates that cannot be are refused": dates_that_no_clock_explains})


if __name__ == "__main__":
    sys.exit(main())
