#!/bin/bash
# mosquitto 2.0.11 (Debian 12): with "persistence true" an acknowledged message is on the disk after half an hour.
#
# Debian's configuration switches persistence on. But the store is written every autosave_interval, 1,800 s by default,
# and at an orderly stop; PUBACK comes from memory. When the broker's own power fails, all since then is gone:
# QoS 1 messages that wait for a consumer, retained positions, and the consumer's session itself, so that it is not even
# told of the gap in any way but by "session present" being 0.
#
# Seen: kill -9 -> acknowledged 0 0, afterwards no session, no message, no retained one; SIGTERM -> all three there
# shellcheck source=mosquitto.sh
. "$(dirname "$0")/mosquitto.sh"
finding "persistence true: what was acknowledged in the last 30 minutes is lost with the broker's power, sessions too"

# after SIGNAL: what two PUBACKs said, and what is left once the broker has ended by this signal and was started again.
after() {
  local folder=$work/$1
  mkdir "$folder"
  broker "allow_anonymous true" "persistence true" "persistence_location $folder/"
  subscribe -V 5 -i consumer -c -x 3600 -q 1 -t 'event/#' -E
  echo "acknowledged $(puback -V 5 -t event/1 -m one) $(puback -V 5 -r -t retained -m here)"
  stop "$1" "$broker_pid"
  broker "allow_anonymous true" "persistence true" "persistence_location $folder/"
  echo "queued $(subscribe -V 5 -i consumer -c -x 3600 -q 1 -t 'event/#' -F '%p' -C 1 -W 4 2>/dev/null)"
  echo "retained $(subscribe -V 5 -t retained -F '%p' -C 1 -W 4 2>/dev/null)"
  stop TERM "$broker_pid"
}
# The retained message is acknowledged with 16 where nobody subscribes to it, the other one with 0.
holds "broker stopped by SIGTERM" "acknowledged 0 16,queued one,retained here" "$(after TERM | paste -sd ,)"
holds "broker stopped by kill -9" "acknowledged 0 16,queued ,retained " "$(after KILL | paste -sd ,)"
verdict
