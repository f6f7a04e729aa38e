#!/bin/bash
# gpsd 3.22 (Debian 12): the error of an NMEA receiver's speed is that of two places, and larger than the speed.
#
# RMC says how fast a receiver is, from the Doppler shift and good to some decimetres a second. gpsd's "eps" beside it is
# made of something else: the errors of the last two places, added and divided by the time between them. With eight
# satellites well spread and a fix a second that is 22 m/s, 80 km/h, standing or driving; the same receiver once a minute
# has an "error" of 0.4 m/s. Software that believes a speed only where it is larger than its error believes none of a
# plain receiver, and the less the faster it reports.
#
# Seen: one fix a second, at 5.144 m/s and standing -> eps 22.25 (twice the epx of 11.123); one a minute -> 0.37
# shellcheck source=gpsd.sh
. "$(dirname "$0")/gpsd.sh"
finding "eps of an NMEA receiver is the error of two places over the time between them, not that of its speed"

sky=(
  "GPGSV,2,1,08,04,60,083,46,05,17,308,41,09,27,344,39,12,22,228,45"
  "GPGSV,2,2,08,24,45,120,42,25,30,045,40,29,70,200,47,31,15,160,38"
)
# last NAME: of the last position.
last() { positions | tail -n 1 | member "$1"; }

play "$rmc" "$gga" "$gsa" "${sky[@]}"
holds "speed and eps, a fix a second" "5.144 22.25" "$(last speed) $(last eps)"
holds "epx, of each of the two places" 11.123 "$(last epx)"
play "${rmc/010.0/000.0}" "$gga" "$gsa" "${sky[@]}"
holds "speed and eps, standing" "0.000 22.25" "$(last speed) $(last eps)"
play "${rmc/1200%02d/12%02d00}" "${gga/1200%02d/12%02d00}" "$gsa" "${sky[@]}"
holds "speed and eps, a fix a minute" "5.144 0.37" "$(last speed) $(last eps)"
verdict
