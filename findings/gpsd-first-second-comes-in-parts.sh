#!/bin/bash
# gpsd 3.22 (Debian 12): the first second of an NMEA receiver is reported three times, the first time without accuracy.
#
# gpsd reports a position when the receiver's sentences of a second are complete. Which sentence is the last it has to
# learn, and until then it reports after each one: RMC gives a two-dimensional fix without altitude or accuracy, GGA
# adds those, GSA the vertical error. All three have the same time. Whoever takes the first TPV after a start publishes
# a place without accuracy, and whoever refuses a fix whose time is not newer keeps just that one.
#
# Seen, of four seconds: 12:00:00 three times (mode 2, eph absent; mode 3, eph 19.000; mode 3, eph 19.000), then each
# second once
# shellcheck source=gpsd.sh
. "$(dirname "$0")/gpsd.sh"
finding "the first second makes three TPVs of one time; the first has mode 2 and no eph"

play "$rmc" "$gga" "$gsa"
holds "seconds, and how often each" "00 3 01 1 02 1 03 1" \
  "$(positions | member time | cut -c 18-19 | uniq -c | awk '{print $2, $1}' | paste -sd ' ')"
holds "modes" "2 3 3 3 3 3" "$(positions | member mode | paste -sd ' ')"
holds "eph" "absent 19.000 19.000 19.000 19.000 19.000" "$(positions | member eph | paste -sd ' ')"
holds "altMSL" "absent 545.4000 545.4000 545.4000 545.4000 545.4000" "$(positions | member altMSL | paste -sd ' ')"
verdict
