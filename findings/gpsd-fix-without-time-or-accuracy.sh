#!/bin/bash
# gpsd 3.22 (Debian 12): a fix may lack its time or its accuracy for good, depending on the sentences that are switched
# on.
#
# GGA has the time of day and no date. From a receiver set to GGA and GSA alone gpsd makes three-dimensional fixes with
# an accuracy and never a "time". RMC has the date and no dilution: from a receiver set to RMC alone gpsd makes
# two-dimensional fixes with a time and never an accuracy ("eph", "epx" and "epy" are absent). Both move on the map; a
# tracker that needs time and accuracy gets neither from them, however long it waits.
#
# Seen: GGA and GSA -> mode 3, time absent, eph 19.000; RMC -> mode 2, time 2026-11-27T12:00:03.000Z, eph and epx
# absent; all three -> mode 3, both there
# shellcheck source=gpsd.sh
. "$(dirname "$0")/gpsd.sh"
finding "GGA without RMC makes fixes that never have a time, RMC without GGA fixes that never have an accuracy"

last() { for name; do positions | tail -n 1 | member "$name"; done | paste -sd ' '; }
play "$gga" "$gsa"
holds "GGA and GSA: mode, time, eph" "3 absent 19.000" "$(last mode time eph)"
holds "GGA and GSA: reports with a time" 0 "$(positions | member time | grep -cv absent)"
play "$rmc"
holds "RMC: mode, time, eph, epx, epy" "2 2026-11-27T12:00:03.000Z absent absent absent" "$(last mode time eph epx epy)"
holds "RMC: reports with an eph" 0 "$(positions | member eph | grep -cv absent)"
play "$rmc" "$gga" "$gsa"
holds "all: mode, time, eph" "3 2026-11-27T12:00:03.000Z 19.000" "$(last mode time eph)"
verdict
