#!/bin/bash
# RabbitMQ 3.10.8 (Debian 12), MQTT: a dot in a level of a topic arrives as a slash.
#
# In MQTT a dot means nothing, and one expects the topic to arrive as it was published. RabbitMQ keeps topics as AMQP's
# routing keys, with dots for slashes, and does not tell the two apart on the way back: what is published to
# owntracks/jane/van.2 has four levels when it arrives. A filter of three levels does not get it, one of another topic
# does, and rights for the one topic are rights for the other.
#
# Seen: published to owntracks/jane/van.2; owntracks/+/+ -> nothing; owntracks/jane/van/2 -> it, as that topic;
# owntracks/jane/van.2 -> it, as owntracks/jane/van/2
# shellcheck source=rabbitmq.sh
. "$(dirname "$0")/rabbitmq.sh"
finding "what is published to a topic with a dot arrives on one with a slash in its place"

# heard FILTER: what a subscriber of that filter gets within 6 s.
heard() {
  (sleep 3; publish -q 1 -t owntracks/jane/van.2 -m here) &
  subscribe -t "$1" -F '%t %p' -W 6 2>/dev/null
}
holds "owntracks/+/+" "" "$(heard owntracks/+/+)"
holds "owntracks/jane/van/2" "owntracks/jane/van/2 here" "$(heard owntracks/jane/van/2)"
holds "owntracks/jane/van.2" "owntracks/jane/van/2 here" "$(heard owntracks/jane/van.2)"
verdict
