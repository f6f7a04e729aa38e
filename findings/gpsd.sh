# shellcheck shell=bash
# For the findings about gpsd: gpsd of Debian 12, and a made-up receiver that speaks to it. To be sourced, with the
# names of further packages that the finding needs.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
software gpsd "3.22-4.1+deb12u1 (Debian 12)"
debian bookworm gpsd=3.22-4.1+deb12u1 "$@"

# A receiver that reports a three-dimensional fix by a usual set of sentences; %02d is the second. For play.
# shellcheck disable=SC2034  # of the scripts
rmc=GPRMC,1200%02d.00,A,4807.0380,N,01131.0000,E,010.0,084.4,271126,,,A
# shellcheck disable=SC2034
gga=GPGGA,1200%02d.00,4807.0380,N,01131.0000,E,1,08,1.0,545.4,M,46.9,M,,
# shellcheck disable=SC2034
gsa=GPGSA,A,3,04,05,09,12,24,25,29,31,,,,,1.8,1.0,1.5

# Apart from the gpsd of this machine and from what sets its clock: no shared memory and no bus in common.
export GPSD_SHM_KEY=$((0x46490000 + RANDOM)) DBUS_SYSTEM_BUS_ADDRESS=unix:path=/nonexistent
if unshare --ipc true 2>/dev/null; then
  # shellcheck disable=SC2034  # of lib.sh
  wrapper=(unshare --ipc)
fi

# play SENTENCE... [-- SENTENCE...]: a receiver that says these sentences in each of four seconds (%02d is the second),
# the ones behind -- in the last two of them, to a gpsd of its own; what a client of gpsd reads goes to $work/reports.
# The receiver is on the far side of UDP, one datagram a second.
play() {
  local port second sentence line early=() late=()
  while [ $# -gt 0 ] && [ "$1" != -- ]; do early+=("$1"); shift; done
  if [ $# -gt 0 ]; then shift; late=("$@"); else late=("${early[@]}"); fi
  port=$(free_port)
  start gpsd.log gpsd -N -n -D 1 -S "$port" "udp://127.0.0.1:$((port + 1))"
  local gpsd=$started_pid
  await_port "$port"
  exec 3<>"/dev/tcp/127.0.0.1/$port"
  # shellcheck disable=SC2016
  printf '?WATCH={"enable":true,"json":true};\n' >&3
  while read -r -t 10 line <&3 && [[ $line != *'"class":"WATCH"'* ]]; do :; done
  for second in 0 1 2 3; do
    if [ "$second" -lt 2 ]; then set -- "${early[@]}"; else set -- "${late[@]}"; fi
    for sentence; do
      # shellcheck disable=SC2059  # the sentence is the form
      nmea "$(printf "$sentence" "$second")"
    done >"$work/datagram"
    cat "$work/datagram" >"/dev/udp/127.0.0.1/$((port + 1))"
    sleep 0.4
  done
  stop TERM "$gpsd"
  tr -d '\r' <&3 >"$work/reports"
  exec 3>&-
}

positions() { grep '"class":"TPV"' "$work/reports"; }

# member NAME: its value in each line, "absent" where it is not there.
member() { sed -E "/\"$1\":/!s/.*/absent/; s/.*\"$1\":\"?([^\",}]*).*/\\1/"; }
