#!/bin/bash
# mosquitto 2.0.11 (Debian 12): with max_qos 1 or retain_available false, a client of MQTT 3.1.1 whose will asks for more
# gets no CONNACK at all.
#
# The manual says of max_qos that clients that publish with more are disconnected. A will is not published when one
# connects, and MQTT 3.1.1 has return codes for a connection that is not accepted; but the broker closes it without one,
# as a port does that speaks no MQTT or expects TLS. What the client is told is "connection lost", on each attempt.
# With MQTT 5 it is told the reason, 0x9b or 0x9a.
#
# Seen: 3.1.1, will of QoS 2: no CONNACK; will of QoS 1: greeted; retained will: no CONNACK; MQTT 5: CONNACK 155, 154
# shellcheck source=mosquitto.sh
. "$(dirname "$0")/mosquitto.sh"
finding "no CONNACK for a 3.1.1 client whose will has a QoS, or a retain flag, that the broker does not take"
broker "allow_anonymous true" "max_qos 1" "retain_available false"

# The codes of the CONNACKs that a client with this will gets; nothing: it gets none.
greetings() {
  local before
  before=$(grep -c "Sending CONNACK" "$work/mosquitto.log")
  subscribe -t a -W 3 -E --will-topic gone --will-payload x "$@" >/dev/null 2>&1
  grep "Sending CONNACK" "$work/mosquitto.log" | tail -n "+$((before + 1))" | sed 's/.*(0, \([0-9]*\)).*/\1/'
}
closed() { grep -c "disconnected due to QoS too high or retain not supported" "$work/mosquitto.log"; }

holds "3.1.1, will of QoS 1" 0 "$(greetings -V 311 --will-qos 1)"
holds "3.1.1, will of QoS 2" "" "$(greetings -V 311 --will-qos 2)"
holds "what the broker's log has of it" some "$([ "$(closed)" -gt 0 ] && echo some)"
holds "3.1.1, retained will" "" "$(greetings -V 311 --will-qos 1 --will-retain)"
holds "5, will of QoS 2" 155 "$(greetings -V 5 --will-qos 2)"
holds "5, retained will" 154 "$(greetings -V 5 --will-qos 1 --will-retain)"
verdict
