#!/bin/bash
# mosquitto 2.0.11 (Debian 12): its orderly stop publishes the will of every client that is connected, delayed or not.
#
# "systemctl restart mosquitto" takes a second, and a Will Delay of minutes is there so that such a gap is not told to
# anybody. But on SIGTERM mosquitto publishes all wills at once, those with a delay too, and puts them into the sessions
# that it keeps: after each upgrade of the broker all subscribers learn that every board has died.
#
# Seen, from the kept session after the restart: "plain gone" and "delayed gone", the latter with Will Delay 600
# shellcheck source=mosquitto.sh
. "$(dirname "$0")/mosquitto.sh"
finding "SIGTERM of the broker publishes all wills, those with a Will Delay of 600 s too, into kept sessions"
broker "allow_anonymous true" "persistence true" "persistence_location $work/"

subscribe -V 5 -i watcher -c -x 3600 -q 1 -t 'will/#' -E
subscriber plain -V 311 -t none --will-topic will/plain --will-payload gone --will-qos 1
plain=$started_pid
subscriber delayed -V 5 -x 3600 -t none --will-topic will/delayed --will-payload gone --will-qos 1 \
  -D will will-delay-interval 600
delayed=$started_pid
read_session() {
  subscribe -V 5 -i watcher -c -x 3600 -q 1 -t 'will/#' -F '%t %p' -C 2 -W 4 2>/dev/null | sort | paste -sd ' '
}
holds "before the stop" "" "$(read_session)"
stop TERM "$broker_pid"
stop KILL "$plain"
stop KILL "$delayed"
broker "allow_anonymous true" "persistence true" "persistence_location $work/"
holds "after the restart" "will/delayed gone will/plain gone" "$(read_session)"
verdict
