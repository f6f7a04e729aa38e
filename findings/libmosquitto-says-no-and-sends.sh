#!/bin/bash
# libmosquitto 2.0.11 (Debian 12): mosquitto_publish without a connection returns an error and sends the message later.
#
# Its description: "MOSQ_ERR_NO_CONN - if the client isn't connected to a broker". So a caller keeps the message and
# publishes it again once there is a connection. For QoS 1 and 2 that makes two of it: the library has queued it all the
# same, and sends it with the next CONNECT. For QoS 0 the error is true, and there is nothing to tell the two apart: a
# message id is given in all three cases.
#
# Seen: QoS 0, 1, 2 -> error 4, ids 1, 2, 3; after connecting, with nothing published again, the broker gets those of
# QoS 1 and 2
# shellcheck source=mosquitto.sh
. "$(dirname "$0")/mosquitto.sh" python3.11
finding "mosquitto_publish without a connection: MOSQ_ERR_NO_CONN, yet QoS 1 and 2 are queued and sent"
broker "allow_anonymous true"

cat >"$work/publish.py" <<'PYTHON'
import ctypes, sys
library = ctypes.CDLL("libmosquitto.so.1")
library.mosquitto_lib_init()
library.mosquitto_new.restype = ctypes.c_void_p
client = ctypes.c_void_p(library.mosquitto_new(b"board", True, None))
number = ctypes.c_int(0)
for qos in 0, 1, 2:
    error = library.mosquitto_publish(client, ctypes.byref(number), b"event/%d" % qos, 1, b"x", qos, False)
    print(f"{qos}: error {error}, id {number.value}")
library.mosquitto_connect(client, b"127.0.0.1", int(sys.argv[1]), 60)
for _ in range(20):
    library.mosquitto_loop(client, 100, 1)
PYTHON
subscriber watcher -q 2 -t 'event/#' -F '%t'
answers=$(in_tree python3.11 "$work/publish.py" "$port" | paste -sd ';')
holds "QoS, answer" "0: error 4, id 1;1: error 4, id 2;2: error 4, id 3" "$answers"
holds "delivered" "event/1 event/2" "$(sort "$work/watcher" | paste -sd ' ')"
verdict
