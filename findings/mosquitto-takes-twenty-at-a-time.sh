#!/bin/bash
# mosquitto 2.0.11 (Debian 12): max_inflight_messages, by its manual the limit of what the broker sends to a client, is
# also what it takes from one, of MQTT 5 alone: 20 unless it is set.
#
# Its manual speaks of outgoing messages. The answer to a CONNECT of MQTT 5 names the same number as Receive Maximum, so
# that a client may have 20 messages of QoS 1 without an answer; with MQTT 3.1.1 there is no such word, and the same
# broker takes and answers whatever comes. A board that catches up over a mobile network with a round trip of 300 ms sends
# 66 messages a second with the newer protocol, and as many as it likes with the older one.
#
# Seen: Receive Maximum 20; with max_inflight_messages 200: 200; 300 messages at once with MQTT 3.1.1: 300 answers
# shellcheck source=mosquitto.sh
. "$(dirname "$0")/mosquitto.sh"
finding "with MQTT 5 the broker takes 20 messages at a time, as many as it sends, and with MQTT 3.1.1 all there are"

# connack LEVEL: what the broker answers to a CONNECT of this protocol level, as hexadecimal digits. The connection stays
# open as descriptor 3.
connack() {
  local properties='' length
  if [ "$1" = 5 ]; then properties='\x00'; fi
  exec 3<>"/dev/tcp/127.0.0.1/$port"
  # shellcheck disable=SC2059  # the bytes are the format
  printf "\x10\x$([ "$1" = 5 ] && echo 10 || echo 0f)\x00\x04MQTT\x0$1\x02\x00\x3c$properties\x00\x03van" >&3
  length=$((16#$(bytes 2 | cut -c 3-4)))
  bytes "$length"
}
bytes() { timeout 10 dd bs=1 count="$1" <&3 2>/dev/null | od -An -v -tx1 | tr -d ' \n'; }

# The properties follow two bytes and their own length; 21 is the Receive Maximum, 22 the Topic Alias Maximum, which
# has as many bytes and may stand before it.
receive_maximum() { sed -E 's/^.{6}(22....)?//; s/^21(....).*/\1/' | { read -r digits; echo $((16#$digits)); }; }

broker "allow_anonymous true"
holds "Receive Maximum, nothing set" 20 "$(connack 5 | receive_maximum)"

connack 4 >/dev/null
for number in $(seq 300); do
  # shellcheck disable=SC2059
  printf "\x32\x07\x00\x01t\x$(printf %02x $((number / 256)))\x$(printf %02x $((number % 256)))on" >&3
done
answers=$(bytes 1200 | grep -o 4002 | wc -l)
holds "answers to 300 messages at once with MQTT 3.1.1" 300 "$answers"
exec 3>&-
kill "$broker_pid"
wait "$broker_pid" 2>/dev/null

port=$(free_port)
broker "allow_anonymous true" "max_inflight_messages 200"
holds "Receive Maximum with max_inflight_messages 200" 200 "$(connack 5 | receive_maximum)"
verdict
