#!/bin/bash
# mosquitto 2.0.11 (Debian 12): two filters of one client that overlap. Over MQTT 3.1.1 the weaker one wins.
#
# A client subscribes to owntracks/# with QoS 1, to lose nothing, and besides to one topic below with QoS 0. MQTT 3.1.1
# lets a broker deliver one copy or one per filter, and wants the one copy to have the higher QoS [MQTT-3.3.5-1].
# mosquitto sends one copy with the lower one, QoS 0, which no session keeps. Over MQTT 5 it sends two copies, one per
# filter. The same code on either level thus loses messages or counts them twice.
#
# Seen: level 3.1.1 -> one copy, QoS 0 (with the wide filter alone: QoS 1); level 5 -> two copies, QoS 0 and 1
# shellcheck source=mosquitto.sh
. "$(dirname "$0")/mosquitto.sh"
finding "filters of QoS 1 and QoS 0 that overlap: one copy of QoS 0 over 3.1.1, two copies over 5"
broker "allow_anonymous true"

# copies LEVEL CLIENT FILTERS: the QoS of each copy that a client gets whose session has the wide filter, or both.
copies() {
  local stay=(-c)
  if [ "$1" = 5 ]; then stay+=(-x 60); fi
  subscribe -V "$1" -i "$2" "${stay[@]}" -q 1 -t 'owntracks/#' -E
  if [ "$3" = both ]; then subscribe -V "$1" -i "$2" "${stay[@]}" -q 0 -t owntracks/jane/van -E; fi
  subscriber "$2" -V "$1" "${stay[@]}" -q 1 -t other -F '%t %q'
  publish -V "$1" -q 1 -t owntracks/jane/van -m here
  publish -V "$1" -q 1 -t other -m end
  await_line "$work/$2" other
  sed -n 's/^owntracks.jane.van //p' "$work/$2" | sort | paste -sd ' '
  stop TERM "$started_pid"
}
holds "level 3.1.1, wide filter alone: QoS of the copies" 1 "$(copies 311 alone4 wide)"
holds "level 3.1.1, both filters: QoS of the copies" 0 "$(copies 311 both4 both)"
holds "level 5, wide filter alone: QoS of the copies" 1 "$(copies 5 alone5 wide)"
holds "level 5, both filters: QoS of the copies" "0 1" "$(copies 5 both5 both)"
verdict
