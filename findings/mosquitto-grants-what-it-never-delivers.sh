#!/bin/bash
# mosquitto 2.0.11 (Debian 12): with acl_file a forbidden subscription is granted, on either level.
#
# A publish that the access list forbids is acknowledged over 3.1.1, which has no way to refuse it, and refused over
# MQTT 5 (0x87). One expects a forbidden SUBSCRIBE to be refused as well: SUBACK can say so, 0x80 over 3.1.1 and 0x87
# over 5. mosquitto looks at acl_file when it delivers, not when somebody subscribes: the client is granted QoS 1 and
# nothing ever comes. And mosquitto_pub ends with 0 even where the broker has refused its message, so a script sees
# nothing.
#
# Seen, user van, who may read own/# only: SUBACK 1 for own/# and other/#, messages of own/# alone, on both levels;
# publish to other/x -> PUBACK 0 (3.1.1), 135 (5), mosquitto_pub exits with 0 both times
# shellcheck source=mosquitto.sh
. "$(dirname "$0")/mosquitto.sh"
finding "acl_file: a forbidden filter is granted and silent, over 5 too; mosquitto_pub exits with 0 when it is refused"
printf '%s\n' 'user van' 'topic read own/#' 'topic write own/#' 'user writer' 'topic write #' >"$work/acl"
chmod 600 "$work/acl"
: >"$work/passwords"
in_tree mosquitto_passwd -b "$work/passwords" van secret 2>/dev/null
in_tree mosquitto_passwd -b "$work/passwords" writer secret 2>/dev/null
broker "allow_anonymous false" "password_file $work/passwords" "acl_file $work/acl"

for level in 311 5; do
  subscriber "van$level" -V "$level" -u van -P secret -q 1 -t 'other/#' -t 'own/#' -F '%t'
  publish -V "$level" -u writer -P secret -q 1 -t other/x -m x
  publish -V "$level" -u writer -P secret -q 1 -t own/x -m x
  await_line "$work/van$level" own/x
  granted=$(subscribe -V "$level" -u van -P secret -q 1 -t 'other/#' -t 'own/#' -d -E |
    sed -n 's/^Subscribed (mid: 1): //p')
  holds "level $level: granted" "1, 1" "$granted"
  holds "level $level: delivered" own/x "$(paste -sd ' ' "$work/van$level")"
done
holds "level 311: PUBACK of a forbidden publish" 0 "$(puback -V 311 -u van -P secret -t other/x -m x)"
holds "level 5: PUBACK of a forbidden publish" 135 "$(puback -V 5 -u van -P secret -t other/x -m x)"
publish -V 5 -u van -P secret -q 1 -t other/x -m x 2>/dev/null
holds "level 5: mosquitto_pub ends with" 0 $?
verdict
