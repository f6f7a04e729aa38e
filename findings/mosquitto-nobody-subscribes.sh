#!/bin/bash
# mosquitto 2.0.11 (Debian 12): reason code 0x10 "No matching subscribers" tells neither that a message is lost nor, by
# its absence, that somebody gets it.
#
# Over MQTT 5 the PUBACK of a message that goes to nobody has reason code 0x10. It has it too where the message is
# retained, and so kept for everybody who comes later; and it has 0x00 where the only subscriber is a session of QoS 0
# that is away, for which nothing is kept. A sender that holds back what "nobody subscribes to" holds back
# its retained position for ever, and takes the other for delivered.
#
# Seen: nobody -> 16; nobody, retained -> 16, and a later subscriber gets it; QoS 0 session that is away -> 0, and it
# gets nothing at its return
# shellcheck source=mosquitto.sh
. "$(dirname "$0")/mosquitto.sh"
finding "PUBACK 0x10 for a retained message that is kept, 0x00 for one that its only subscriber never gets"
broker "allow_anonymous true"

holds "nobody subscribes" 16 "$(puback -V 5 -t event -m x)"
holds "nobody subscribes, retained" 16 "$(puback -V 5 -r -t place -m here)"
holds "what a later subscriber gets" here "$(subscribe -V 5 -t place -C 1 -W 5 2>/dev/null)"
subscribe -V 5 -i absent -c -x 3600 -q 0 -t gauge -E
holds "only a QoS 0 session that is away" 0 "$(puback -V 5 -t gauge -m x)"
holds "what it gets at its return" "" "$(subscribe -V 5 -i absent -c -x 3600 -q 0 -t gauge -W 2 2>/dev/null)"
subscribe -V 5 -i absent1 -c -x 3600 -q 1 -t fuel -E
holds "only a QoS 1 session that is away" 0 "$(puback -V 5 -t fuel -m full)"
holds "what that gets at its return" full "$(subscribe -V 5 -i absent1 -c -x 3600 -q 1 -t fuel -C 1 -W 5 2>/dev/null)"
verdict
