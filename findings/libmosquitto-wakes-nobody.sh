#!/bin/bash
# libmosquitto 2.0.11 (Debian 12): a program with an event loop of its own keeps a byte in the kernel for each packet.
#
# mosquitto_loop_read, _write and _misc are there for programs that wait for the socket themselves. With each packet that
# goes out the library also writes a byte to a socket pair of its own, which wakes the thread of mosquitto_loop_start, or
# mosquitto_loop; with the three functions nobody reads it. The kernel keeps 768 bytes for each of them, until the pair is
# full; no description says so, and no figure of the process shows it.
#
# Seen: 100 messages of QoS 0 by the three functions -> 101 bytes lie in the pair; by mosquitto_loop -> at most one
# shellcheck source=mosquitto.sh
. "$(dirname "$0")/mosquitto.sh" python3.11
finding "with mosquitto_loop_read and its like, each packet leaves a byte in a socket pair that nobody reads"
broker "allow_anonymous true"

cat >"$work/publish.py" <<'PYTHON'
import array, ctypes, fcntl, os, select, socket, sys, termios
library = ctypes.CDLL("libmosquitto.so.1")
library.mosquitto_lib_init()
library.mosquitto_new.restype = ctypes.c_void_p

def turn(client, own):
    if own:
        return library.mosquitto_loop(client, 10, 1)
    select.select([library.mosquitto_socket(client)], [], [], 0.01)
    library.mosquitto_loop_read(client, 1)
    library.mosquitto_loop_write(client, 1)
    library.mosquitto_loop_misc(client)

def unread():
    """In each local stream of this process."""
    most = 0
    for name in os.listdir("/proc/self/fd"):
        try:
            with socket.socket(fileno=os.dup(int(name))) as end:
                if end.family == socket.AF_UNIX and end.type == socket.SOCK_STREAM:
                    count = array.array("i", [0])
                    fcntl.ioctl(end, termios.FIONREAD, count)
                    most = max(most, count[0])
        except OSError:
            pass
    return most

client = ctypes.c_void_p(library.mosquitto_new(b"board", True, None))
library.mosquitto_connect(client, b"127.0.0.1", int(sys.argv[1]), 60)
for _ in range(20):
    turn(client, sys.argv[2] == "loop")
for _ in range(100):
    library.mosquitto_publish(client, None, b"event", 1, b"x", 0, False)
    turn(client, sys.argv[2] == "loop")
for _ in range(20):
    turn(client, sys.argv[2] == "loop")
print(unread())
PYTHON
left() { in_tree python3.11 "$work/publish.py" "$port" "$1"; }
holds "bytes left by loop_read, loop_write and loop_misc" 101 "$(left parts)"
holds "bytes left by mosquitto_loop, at most one" yes "$([ "$(left loop)" -le 1 ] && echo yes)"
verdict
