#!/bin/bash
# gpxpy 1.6.2 (PyPI): an hour at exactly the same place is neither moving nor stopped time.
#
# get_moving_data() divides a track's time into moving and stopped, at 1 km/h. A pair of points that are not a hair
# apart is left out altogether: its seconds are in neither sum. A raw receiver is never quite still, so nobody notices;
# a tracker that holds a parked vehicle still, or rounds to six decimals, has exactly such pairs, and its stopped time
# is 0. One millionth of a degree more, and the same hour counts.
#
# Seen, of 10 s of driving and 3,600 s parked: duration 3610, moving 10, stopped 0; with 0.000001 degrees more between
# the parked points: stopped 3600
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
software gpxpy "1.6.2 (PyPI), Python 3.11 of Debian 12"
finding "get_moving_data: time between two points at the same place is neither moving nor stopped"
debian bookworm python3.11 python3-pip
pypi gpxpy==1.6.2

cat >"$work/read.py" <<'PYTHON'
import gpxpy, sys
points = [("48.000000", "12:00:00"), ("48.001000", "12:00:10"), (sys.argv[1], "13:00:10")]
track = gpxpy.parse(
    '<gpx version="1.1" creator="finding" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>'
    + "".join(f'<trkpt lat="{lat}" lon="11.000000"><time>2026-11-27T{time}Z</time></trkpt>' for lat, time in points)
    + "</trkseg></trk></gpx>")
data = track.get_moving_data()
print(f"duration {track.get_duration():.0f} moving {data.moving_time:.0f} stopped {data.stopped_time:.0f}")
PYTHON
holds "parked at exactly the same place" "duration 3610 moving 10 stopped 0" "$(python "$work/read.py" 48.001000)"
holds "parked 0.000001 degrees further" "duration 3610 moving 10 stopped 3600" "$(python "$work/read.py" 48.001001)"
verdict
