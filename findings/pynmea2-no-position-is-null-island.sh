#!/bin/bash
# pynmea2 1.19.0 (PyPI): a sentence without a position has the latitude 0.0 and the longitude 0.0.
#
# A receiver without a fix leaves latitude and longitude empty; the sentence is valid, and says so (RMC status V, GGA
# quality 0). pynmea2 keeps the empty fields as they are in "lat" and "lon", but the properties that everybody uses,
# "latitude" and "longitude", are 0.0: a place in the Gulf of Guinea, which no test for None or for an exception
# catches. Other empty numbers of the same sentences are None.
#
# Seen: RMC,V -> latitude 0.0, longitude 0.0, lat '', speed None; GGA quality 0 -> 0.0, 0.0, altitude None
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
software pynmea2 "1.19.0 (PyPI), Python 3.11 of Debian 12"
finding "sentences of a receiver without a fix have latitude 0.0 and longitude 0.0, where other empty numbers are None"
debian bookworm python3.11 python3-pip
pypi pynmea2==1.19.0

cat >"$work/read.py" <<'PYTHON'
import pynmea2, sys
for line in sys.stdin:
    sentence = pynmea2.parse(line.strip(), check=True)
    other = sentence.altitude if sentence.sentence_type == "GGA" else sentence.spd_over_grnd
    print(sentence.sentence_type, sentence.latitude, sentence.longitude, repr(sentence.lat), other)
PYTHON
nmea GPRMC,123519.00,V,,,,,,,271126,,,N GPGGA,123519.00,,,,,0,00,99.99,,M,,M,, \
  GPRMC,123519.00,A,4807.0380,N,01131.0000,E,010.0,084.4,271126,,,A | python "$work/read.py" >"$work/read"
holds "RMC without a fix: latitude, longitude, lat, speed" "RMC 0.0 0.0 '' None" "$(sed -n 1p "$work/read")"
holds "GGA without a fix: latitude, longitude, lat, altitude" "GGA 0.0 0.0 '' None" "$(sed -n 2p "$work/read")"
holds "RMC with a fix" "RMC 48.1173 11.516666666666667 '4807.0380' 10.0" "$(sed -n 3p "$work/read")"
verdict
