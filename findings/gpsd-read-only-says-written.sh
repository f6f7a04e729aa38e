#!/bin/bash
# gpsd 3.22 (Debian 12), started with -b: it answers an order to write to the receiver as if it had written.
#
# A client may have gpsd pass bytes on to the receiver: ?DEVICE with "hexdata", by which one polls it, configures it or
# puts it to sleep. The answer is the DEVICE object. With -b, which keeps gpsd from ever writing to a receiver, one
# expects an ERROR object there, as for a device that does not exist; the answer is the same DEVICE object, nothing is
# written, and only gpsd's own log says so. A client that wants to know has to hear it from the receiver.
#
# Seen: without -b -> DEVICE, 8 bytes at the receiver; with -b -> DEVICE, 0 bytes, "attempted to write to a read-only
# device" in the log; a path that gpsd does not have -> ERROR
# shellcheck source=gpsd.sh
. "$(dirname "$0")/gpsd.sh" python3.11
finding "with -b an order to write to the receiver is answered as if it had been carried out"

# A question after the version of a u-blox (UBX-MON-VER, empty).
order=b5620a0400000e34

# The receiver at the far end of a terminal: it says its name into $1, a sentence twice a second, and notes what it hears
# in $2.
cat >"$work/receiver.py" <<'END'
import os, pty, select, sys, tty
near, far = pty.openpty()
tty.setraw(far)
os.chmod(os.ttyname(far), 0o666)
with open(sys.argv[1], "w") as file:
    file.write(os.ttyname(far) + "\n")
with open(sys.argv[2], "wb", buffering=0) as heard, open(sys.argv[3], "rb") as said:
    words = said.read()
    while True:
        if select.select([near], [], [], 0.5)[0]:
            heard.write(os.read(near, 4096))
        else:
            os.write(near, words)
END
# shellcheck disable=SC2059  # the sentence is the form
nmea "$(printf "$rmc" 1)" "$(printf "$gga" 1)" >"$work/words"

# ask OPTION...: gpsd with these options, and a receiver; its answers go to $work/answers.
ask() {
  local port line path
  : >"$work/heard"
  rm -f "$work/path"
  PYTHONHOME=$tree/usr start receiver.log python3.11 "$work/receiver.py" "$work/path" "$work/heard" "$work/words"
  local receiver=$started_pid
  await_line "$work/path" /dev/
  path=$(cat "$work/path")
  port=$(free_port)
  start gpsd.log gpsd -N -D 4 -S "$port" "$@" "$path"
  local gpsd=$started_pid
  await_port "$port"
  exec 3<>"/dev/tcp/127.0.0.1/$port"
  printf '?WATCH={"enable":true,"json":true};\n' >&3
  while read -r -t 20 line <&3 && [[ $line != *'"class":"TPV"'* ]]; do :; done
  answer "$path" >"$work/answers"
  answer /dev/nowhere >"$work/error"
  if [ $# -gt 0 ]; then await_line "$work/gpsd.log" "read-only device"; else await_order; fi
  exec 3>&-
  stop TERM "$gpsd"
  stop KILL "$receiver"
}

# answer PATH: the class of what gpsd says to the order.
answer() {
  local line
  printf '?DEVICE={"path":"%s","hexdata":"%s"};\n' "$1" "$order" >&3
  while read -r -t 20 line <&3; do
    case $line in
    *'"class":"DEVICE"'*) echo DEVICE && return ;;
    *'"class":"ERROR"'*) echo ERROR && return ;;
    esac
  done
}

# written: how often the order has come to the receiver.
written() { od -An -v -tx1 "$work/heard" | tr -d ' \n' | grep -o "$order" | wc -l; }
await_order() {
  local n
  for n in $(seq 100); do
    if [ "$(written)" -gt 0 ]; then return; fi
    sleep 0.1
  done
}

ask
holds "answer, without -b" DEVICE "$(cat "$work/answers")"
holds "orders at the receiver" 1 "$(written)"
holds "answer for a device that gpsd does not have" ERROR "$(cat "$work/error")"
: >"$work/gpsd.log"
ask -b
holds "answer, with -b" DEVICE "$(cat "$work/answers")"
holds "orders at the receiver, with -b" 0 "$(written)"
holds "said in the log alone" "attempted to write to a read-only device" \
  "$(grep -o "attempted to write to a read-only device" "$work/gpsd.log" | sort -u)"
verdict
