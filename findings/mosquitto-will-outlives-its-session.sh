#!/bin/bash
# mosquitto 2.0.11 (Debian 12): with Session Expiry 0, the default, a Will Delay holds for its full length.
#
# MQTT 5 wants a delayed will to be published when its delay is over or the session ends, whichever is first
# (3.1.3.2.2). A session with Session Expiry Interval 0 ends with its connection, so its will has no delay. mosquitto
# waits for the whole delay. With an expiry of 1 s or more it does end the wait with the session. An acceptance test
# written against the text of the standard fails here, and a presence that seems prompt in one broker is late in
# another.
#
# Seen, will after a cut: no delay -> below 1 s; expiry 0, delay 4 -> after 4 s; expiry 1, delay 8 -> after some 2 s
# shellcheck source=mosquitto.sh
. "$(dirname "$0")/mosquitto.sh"
finding "a will with Will Delay 4 comes 4 s after the end of a session with Session Expiry 0, not at once"
broker "allow_anonymous true"

subscriber watcher -V 5 -t 'will/#' -F '%t %U'
# board NAME ARGUMENT...: a client with a will, which is then cut off.
boards=()
board() {
  local name=$1
  shift
  subscriber "$name" -V 5 -t none --will-topic "will/$name" --will-payload gone "$@"
  boards+=("$started_pid")
}
board undelayed
board short -x 1 -D will will-delay-interval 8
board zero -D will will-delay-interval 4
cut=$(date +%s)
for pid in "${boards[@]}"; do stop KILL "$pid"; done
await_line "$work/watcher" will/zero

# late NAME FROM TO: whether its will came FROM to TO seconds after the cut. A busy machine may be slow, never early.
late() {
  awk -v topic="will/$1" -v cut="$cut" -v from="$2" -v to="$3" '
    $1 == topic {late = $2 - cut; said = late >= from && late <= to ? "yes" : late " s"}
    END {print said == "" ? "no will" : said}' "$work/watcher"
}
holds "no delay: within 3.5 s" yes "$(late undelayed 0 3.5)"
holds "Session Expiry 1, delay 8: after 1 to 7 s" yes "$(late short 1 7)"
holds "Session Expiry 0, delay 4: after 4 s or more" yes "$(late zero 4 60)"
verdict
