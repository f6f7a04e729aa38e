#!/bin/bash
# mosquitto 2.0.11 (Debian 12): a full session queue drops the newest messages, and each is acknowledged as delivered.
#
# A consumer that is away (session kept, QoS 1) has room for max_queued_messages, 1,000 by default. What comes after
# that is dropped, and its sender still gets PUBACK with reason code 0x00 "Success", although MQTT 5 has 0x97 "Quota
# exceeded". So a consumer that was off for an hour, of 20 boards that report every 20 s, gets the first 17 minutes and
# never the rest, and no board knows.
#
# Seen: 1,100 published, 1,100 acknowledged with 0, 1,000 delivered: numbers 1 to 1000
# shellcheck source=mosquitto.sh
. "$(dirname "$0")/mosquitto.sh"
finding "of 1,100 QoS 1 messages for an absent session the last 100 are dropped, all are acknowledged with 0x00"
broker "allow_anonymous true"

subscribe -V 5 -i consumer -c -x 3600 -q 1 -t 'owntracks/#' -E
acknowledged=$(seq 1100 | puback -V 5 -t owntracks/jane/van -l | sort | uniq -c | awk '{print $1 " x RC " $2}')
subscribe -V 5 -i consumer -c -x 3600 -q 1 -t 'owntracks/#' -W 6 >"$work/delivered" 2>/dev/null
holds "acknowledged" "1100 x RC 0" "$acknowledged"
holds "delivered" 1000 "$(wc -l <"$work/delivered")"
holds "first and last delivered" "1 1000" "$(sed -n '1p; $p' "$work/delivered" | paste -sd ' ')"
verdict
