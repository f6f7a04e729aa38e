#!/bin/bash
# gpsd 3.22 and its libgps (Debian 12): a good fix without corrections has the status "no fix".
#
# gpsd writes "status" into a TPV only where it is 2 (DGPS) or more. libgps, which turns the line into a structure for
# programs, leaves 0 where there is none, and 0 is called STATUS_NO_FIX. So a program that asks for
# status >= STATUS_FIX, as the names suggest, ignores every plain three-dimensional fix, and works on its author's desk,
# where the receiver sees an SBAS satellite. Only mode tells whether there is a fix.
#
# Seen: GGA quality 1 -> mode 3, status absent, libgps mode 3 status 0; quality 2 -> status 2, libgps mode 3 status 2
# shellcheck source=gpsd.sh
. "$(dirname "$0")/gpsd.sh" python3.11
finding "a plain fix has no status in TPV, and libgps makes STATUS_NO_FIX of it, with mode 3"

# The beginning of struct gps_data_t of libgps 28: set, online, descriptor; then the fix: time, mode, status.
cat >"$work/unpack.py" <<'PYTHON'
import ctypes, struct, sys
buffer = ctypes.create_string_buffer(1 << 20)
library = ctypes.CDLL("libgps.so.28")
line = sys.stdin.readline().strip().encode()
answer = library.gps_unpack(line, buffer)
mode, status = struct.unpack_from("ii", buffer.raw, 48)
print(answer, mode, status)
PYTHON
through_libgps() { positions | tail -n 1 | in_tree python3.11 "$work/unpack.py"; }

play "$rmc" "$gga" "$gsa"
holds "plain fix in JSON: mode" 3 "$(positions | tail -n 1 | member mode)"
holds "plain fix in JSON: status" absent "$(positions | member status | sort -u)"
holds "plain fix in libgps: answer, mode, status" "0 3 0" "$(through_libgps)"
play "${rmc%A}D" "${gga/E,1,/E,2,}" "$gsa"
holds "fix with corrections in JSON: status" 2 "$(positions | member status | sort -u)"
holds "fix with corrections in libgps: answer, mode, status" "0 3 2" "$(through_libgps)"
verdict
