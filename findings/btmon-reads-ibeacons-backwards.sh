#!/bin/bash
# btmon 5.66 of BlueZ (Debian 12): shows an iBeacon's UUID backwards, and its major and minor as a "Version", bytes
# swapped.
#
# An iBeacon's payload is big-endian: 16 bytes of UUID as it is written, major, minor, power at one metre. btmon knows
# the type by name ("Type: iBeacon (2)"), and then prints the UUID in the byte order of Bluetooth's own UUIDs, that is
# reversed, and the two numbers as "Version: MAJOR.MINOR" read little-endian. Whoever copies them from there into a
# configuration waits for a beacon that does not exist: 1 and 2 become 256 and 512.
#
# Seen, for CA271EAE-5FA8-4E80-8F08-2A302A95A959, major 1, minor 2: "UUID: 59a9952a-302a-088f-804e-a85fae1e27ca",
# "Version: 256.512"
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
software bluez "5.66-1+deb12u2 (Debian 12)"
finding "btmon shows an iBeacon's UUID reversed and major 1, minor 2 as \"Version: 256.512\""
debian bookworm bluez=5.66-1+deb12u2

# A capture (btsnoop, format 2001: of the monitor) with one LE advertising report in it.
hex() { local byte; for byte; do printf '%b' "\\x$byte"; done; }
uuid=(ca 27 1e ae 5f a8 4e 80 8f 08 2a 30 2a 95 a9 59)
major=(00 01) minor=(00 02) power=c5
advertisement=(02 01 06 1a ff 4c 00 02 15 "${uuid[@]}" "${major[@]}" "${minor[@]}" "$power")
report=(3e 2a 02 01 00 00 66 55 44 33 22 11 1e "${advertisement[@]}" c4)
length=$(printf '%02x' "${#report[@]}")
{
  printf 'btsnoop\0'
  hex 00 00 00 01 00 00 07 d1
  # Length twice, controller 0 and kind 3 (an event), nothing dropped, a moment in 2026.
  hex 00 00 00 "$length" 00 00 00 "$length" 00 00 00 03 00 00 00 00 00 e3 2c d5 80 0a a0 00
  hex "${report[@]}"
} >"$work/capture"
in_tree btmon -r "$work/capture" >"$work/text" 2>&1
field() { sed -n "s/^ *$1: //p" "$work/text" | head -n 1; }
holds "Company" "Apple, Inc. (76)" "$(field Company)"
holds "Type" "iBeacon (2)" "$(field Type)"
holds "UUID" 59a9952a-302a-088f-804e-a85fae1e27ca "$(field UUID)"
holds "Version" 256.512 "$(field Version)"
holds "TX power" "-59 dB" "$(field "TX power")"
verdict
