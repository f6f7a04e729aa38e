#!/bin/bash
# gpsd 3.22 (Debian 12): the accuracy of an NMEA receiver is a constant times its HDOP.
#
# An NMEA receiver reports how the satellites stand (HDOP), not how wrong its position may be. gpsd fills the gap: "eph"
# is HDOP x 19 m, and a quarter of that with differential corrections (GGA quality 2), whatever the receiver is. A good
# receiver in an open field, HDOP 0.8, is said to be off by 15.2 m, and without corrections hardly any is ever below 10.
# Software that takes it for a measurement, and waits for "better than 10 m", waits in vain.
#
# Seen: HDOP 0.8 -> eph 15.200, HDOP 1.0 -> 19.000, HDOP 2.0 -> 38.000; HDOP 1.0 with corrections -> 4.750
# shellcheck source=gpsd.sh
. "$(dirname "$0")/gpsd.sh"
finding "eph of an NMEA receiver is 19 m x HDOP, a quarter of that with corrections; it is not measured"

# eph QUALITY HDOP MODE: what gpsd says of a receiver with these.
eph() {
  play "${rmc%A}$3" "GPGGA,1200%02d.00,4807.0380,N,01131.0000,E,$1,08,$2,545.4,M,46.9,M,," "${gsa%1.0,1.5}$2,1.5"
  positions | tail -n 1 | member eph
}
holds "eph at HDOP 0.8" 15.200 "$(eph 1 0.8 A)"
holds "eph at HDOP 1.0" 19.000 "$(eph 1 1.0 A)"
holds "eph at HDOP 2.0" 38.000 "$(eph 1 2.0 A)"
holds "eph at HDOP 1.0 with corrections" 4.750 "$(eph 2 1.0 D)"
verdict
