#!/bin/bash
# libmosquitto 2.0.11 (Debian 12): a message of QoS 1 is acknowledged before the program hears of it.
#
# QoS 1 is read as "the receiver has it". The library writes its PUBACK first, and only then calls the message callback:
# for a program that ends in it (power, kill, a full disk) the broker forgets what nobody has handled, though the session is
# a lasting one. There is no call to acknowledge by hand. A program that says that it has threads of its own
# (mosquitto_threaded_set) and runs none gets one all the same: then nothing is written until it calls
# mosquitto_loop_write, and a message that it has not finished comes again.
#
# Seen, for a subscriber of a lasting session that ends in its callback: PUBACK first, and the message does not come again;
# with the write held back: no PUBACK, and it comes again
# shellcheck source=mosquitto.sh
. "$(dirname "$0")/mosquitto.sh" python3.11
finding "PUBACK goes out before the message callback is called"
broker "allow_anonymous true"

cat >"$work/read.py" <<'PYTHON'
import ctypes, os, select, sys
port, name, is_held, ends = int(sys.argv[1]), sys.argv[2].encode(), sys.argv[3] == "held", sys.argv[4] == "ends"
library = ctypes.CDLL("libmosquitto.so.1")
library.mosquitto_lib_init()
library.mosquitto_new.restype = ctypes.c_void_p
client = ctypes.c_void_p(library.mosquitto_new(name, False, None))
heard, granted = [], []

@ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
def received(_client, _user, _message):
    heard.append(1)
    if ends:
        print("heard", flush=True)
        os._exit(0)

@ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_int, ctypes.c_void_p)
def subscribed(_client, _user, _number, _count, _qos):
    granted.append(1)
    print("subscribed", flush=True)

library.mosquitto_message_callback_set(client, received)
library.mosquitto_subscribe_callback_set(client, subscribed)
if is_held:
    library.mosquitto_threaded_set(client, True)
assert library.mosquitto_connect(client, b"127.0.0.1", port, 60) == 0
library.mosquitto_loop_write(client, 1)
library.mosquitto_subscribe(client, None, b"news/" + name, 1)
library.mosquitto_loop_write(client, 1)
for _ in range(100 if ends else 30):
    if select.select([library.mosquitto_socket(client)], [], [], 0.1)[0]:
        library.mosquitto_loop_read(client, 1)
print("heard" if heard else "nothing", flush=True)
PYTHON
read_as() { in_tree python3.11 "$work/read.py" "$port" "$@"; }
acknowledged() { grep -c "Received PUBACK from $1 " "$work/mosquitto.log"; }

for name in plain held; do
  start "$name.first" python3.11 "$work/read.py" "$port" "$name" "$name" ends
  for n in $(seq 100); do
    if grep -qs subscribed "$work/$name.first"; then break; fi
    sleep 0.1
  done
  publish -q 1 -t "news/$name" -m today
  for n in $(seq 100); do
    if grep -qs heard "$work/$name.first"; then break; fi
    sleep 0.1
  done
  holds "$name: the callback was called, and the program ended in it" heard "$(tail -1 "$work/$name.first")"
done
sleep 1
holds "plain: PUBACKs" 1 "$(acknowledged plain)"
holds "held: PUBACKs" 0 "$(acknowledged held)"
holds "plain: on the next connection" nothing "$(read_as plain plain stays | tail -1)"
holds "held: on the next connection" heard "$(read_as held held stays | tail -1)"
verdict
