#!/bin/bash
# gpsd 3.22 (Debian 12): what a receiver recorded before 2017 is dated 1,024 weeks later.
#
# gpsd takes a date from before the leap second of 1 January 2017 as one that rolled over, since it believes that there
# have been 18 leap seconds, and adds 1,024 weeks: right for an old receiver that lives today. It does the same when a
# drive recorded by a good receiver in 2015 is played to it, which is then dated 2035. No report says so; gpsd's own
# log does, from -D 2 on ("WKRO bug: leap second 18 inconsistent"). A recording from 2017 keeps its date.
#
# Seen: RMC of 15 June 2015 -> time 2035-01-29, of 31 December 2016 -> 2036-08-16, of 2 January 2017 -> 2017-01-02
# shellcheck source=gpsd.sh
. "$(dirname "$0")/gpsd.sh"
finding "a date before 2017 is taken for a roll-over and moved 1,024 weeks ahead, in recordings too"

# day DDMMYY: the day in gpsd's reports of a receiver that says this one.
day() {
  play "${rmc/271126/$1}" "$gga" "$gsa"
  positions | member time | cut -c 1-10 | sort -u
}
holds "15 June 2015" 2035-01-29 "$(day 150615)"
holds "31 December 2016" 2036-08-16 "$(day 311216)"
holds "2 January 2017" 2017-01-02 "$(day 020117)"
verdict
