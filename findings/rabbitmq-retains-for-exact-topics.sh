#!/bin/bash
# RabbitMQ 3.10.8 (Debian 12), MQTT: a retained message reaches those who name its topic, and nobody who uses a
# wildcard.
#
# A map subscribes to owntracks/+/+ and expects the last place of each vehicle at once; Home Assistant subscribes
# to homeassistant/# for its descriptions. RabbitMQ grants both, and delivers what is published from then on, but
# of what it retains only that of filters without wildcards. The page is empty until each vehicle moves.
#
# Seen: owntracks/jane/van -> "here", flagged as retained; owntracks/+/+ and owntracks/# -> nothing, and then what is
# published next
# shellcheck source=rabbitmq.sh
. "$(dirname "$0")/rabbitmq.sh"
finding "a subscription with a wildcard gets no retained message"

publish -q 1 -r -t owntracks/jane/van -m here
holds "owntracks/jane/van" "here retained 1" \
  "$(subscribe -t owntracks/jane/van -F '%p retained %r' -C 1 -W 6 2>/dev/null)"
holds "owntracks/+/+" "" "$(subscribe -t 'owntracks/+/+' -F '%p retained %r' -W 2 2>/dev/null)"
holds "owntracks/#" "" "$(subscribe -t 'owntracks/#' -F '%p retained %r' -W 2 2>/dev/null)"
(sleep 3; publish -q 1 -t owntracks/jane/van -m there) &
holds "owntracks/+/+, published meanwhile" "there retained 0" \
  "$(subscribe -t 'owntracks/+/+' -F '%p retained %r' -C 1 -W 10 2>/dev/null)"
verdict
