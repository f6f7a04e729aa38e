#!/bin/bash
# mosquitto 2.0.11 (Debian 12): of a message of QoS 2 it never says that nobody subscribes to it.
#
# Over MQTT 5 both PUBACK and PUBREC may have reason code 0x10, "no matching subscribers". mosquitto has it in its PUBACK,
# for QoS 1. For QoS 2 its PUBREC and its PUBCOMP say 0x00, and so does the publish callback of libmosquitto. A
# sender that raises the QoS to be surer knows less of what became of a message.
#
# Seen, with no subscriber: PUBACK RC 16, PUBREC RC 0; callback: QoS 1 -> 16, QoS 2 -> 0; with one: 0 and 0
# shellcheck source=mosquitto.sh
. "$(dirname "$0")/mosquitto.sh" python3.11
finding "0x10 'no matching subscribers' is said of QoS 1, and never of QoS 2"
broker "allow_anonymous true"

cat >"$work/publish.py" <<'PYTHON'
import ctypes, sys
library = ctypes.CDLL("libmosquitto.so.1")
library.mosquitto_lib_init()
library.mosquitto_new.restype = ctypes.c_void_p
client = ctypes.c_void_p(library.mosquitto_new(b"board", True, None))
library.mosquitto_int_option(client, 1, 5)  # MOSQ_OPT_PROTOCOL_VERSION
answers, made = {}, []

@ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_int, ctypes.c_void_p)
def published(_client, _user, number, reason, _properties):
    answers[number] = reason

library.mosquitto_publish_v5_callback_set(client, published)
assert library.mosquitto_connect(client, b"127.0.0.1", int(sys.argv[1]), 60) == 0
for _ in range(5):
    library.mosquitto_loop(client, 100, 1)
for qos in 1, 2:
    number = ctypes.c_int(0)
    assert library.mosquitto_publish_v5(
        client, ctypes.byref(number), b"event", 1, b"x", qos, False, None) == 0
    made.append(number.value)
for _ in range(100):
    if len(answers) == 2:
        break
    library.mosquitto_loop(client, 100, 1)
print(" ".join(str(answers.get(number)) for number in made))
library.mosquitto_disconnect(client)
PYTHON
answers=$(in_tree python3.11 "$work/publish.py" "$port")
holds "the broker's PUBACK and PUBREC" "RC16 RC0" \
  "$(sed -n 's/.*Sending PUB\(ACK\|REC\) to board (m[0-9]*, rc\([0-9]*\)).*/RC\2/p' "$work/mosquitto.log" | paste -sd ' ')"
holds "the callback's reasons, QoS 1 and 2" "16 0" "$answers"
subscriber watcher -q 2 -t event
holds "the callback's reasons with a subscriber" "0 0" "$(in_tree python3.11 "$work/publish.py" "$port")"
verdict
