#!/bin/bash
# gpsd 3.22 (Debian 12): a place that the receiver calls void is reported as a three-dimensional fix.
#
# Many receivers that have lost the sky, in a tunnel or a garage, go on with their last place under a running time and
# say so: quality 0 in GGA, fix type 1 in GSA, status V and mode N in RMC. Each of the three says "no fix". gpsd reports
# mode 3 with the new time for such a second, at the old place; all that is missing is the speed. A client that goes by
# "mode" takes the vehicle for parked at the mouth of the tunnel, every second anew.
#
# Seen: two seconds with a fix, two void ones: mode 3 in all four, the same place; the speed is there in the first two
# alone
# shellcheck source=gpsd.sh
. "$(dirname "$0")/gpsd.sh"
finding "a repeated place with GGA quality 0, GSA 1 and RMC V is a report of mode 3 with a new time, without speed"

void_rmc=GPRMC,1200%02d.00,V,4807.0380,N,01131.0000,E,,,271126,,,N
void_gga=GPGGA,1200%02d.00,4807.0380,N,01131.0000,E,0,04,1.0,545.4,M,46.9,M,,
void_gsa=GPGSA,A,1,04,05,09,12,,,,,,,,,1.8,1.0,1.5
# mode, latitude and whether there is a speed, of the last report of the second.
at() {
  local report
  report=$(positions | grep "12:00:0$1.000Z" | tail -n 1)
  echo "$(member mode <<<"$report") $(member lat <<<"$report") $(member speed <<<"$report" | sed 's/^[0-9.]*$/speed/')"
}
play "$gga" "$gsa" "$rmc" -- "$void_gga" "$void_gsa" "$void_rmc"
holds "with a fix: mode, latitude, speed" "3 48.117300000 speed" "$(at 1)"
holds "void: mode, latitude, speed" "3 48.117300000 absent" "$(at 3)"
verdict
