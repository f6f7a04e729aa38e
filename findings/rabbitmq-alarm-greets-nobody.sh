#!/bin/bash
# RabbitMQ 3.10.8 (Debian 12), MQTT: with a memory alarm it accepts connections and does not answer CONNECT.
#
# The documentation says that an alarm blocks publishers. Over MQTT it blocks the greeting: the port accepts, the client
# sends CONNECT, and CONNACK does not come until the alarm has ended. A check that opens the port, as load balancers
# make it, finds the node in order; a client that is not connected yet sees a broker that says nothing, and has no
# reason to take another one. A disk alarm is the same kind of alarm.
#
# Seen: before -> CONNACK; watermark 1 MB -> the port accepts, nothing is answered within 5 s; alarm over -> CONNACK
# shellcheck source=rabbitmq.sh
. "$(dirname "$0")/rabbitmq.sh"
finding "with a memory alarm the port accepts connections, and CONNECT is answered when the alarm is over"

# greet: opens a connection as descriptor 3 and says CONNECT (3.1.1, clean, 60 s, client board, guest, guest).
greet() {
  exec 3<>"/dev/tcp/127.0.0.1/$port"
  printf '\x10\x1f\x00\x04MQTT\x04\xc2\x00\x3c\x00\x05board\x00\x05guest\x00\x05guest' >&3
}
# answer SECONDS: what comes on it within that time, in hexadecimal digits; 20020000 is CONNACK, accepted.
answer() { timeout "$1" head -c 4 <&3 | od -An -tx1 | tr -d ' \n'; }

greet
holds "before: answer to CONNECT" 20020000 "$(answer 20)"
control set_vm_memory_high_watermark absolute 1MB
holds "alarm: said so" 1 "$(grep -c 'memory resource limit alarm set on node' "$work/rabbitmq.log")"
accepted=no
greet && accepted=yes
holds "alarm: the port accepts" yes "$accepted"
holds "alarm: answer to CONNECT within 5 s" "" "$(answer 5)"
control set_vm_memory_high_watermark 0.9
greet
holds "alarm over: answer to CONNECT" 20020000 "$(answer 20)"
verdict
