#!/bin/bash
# NATS 2.9.10 (Debian 12), MQTT: PUBACK says nothing about the stream that is to keep the messages.
#
# A JetStream stream with the subjects owntracks.> keeps what boards publish over MQTT; one expects QoS 1 to mean that
# it is kept. The PUBACK is about NATS's own MQTT stream, $MQTT_msgs. A stream that is full and set to "discard new"
# refuses the message, a publisher over NATS itself is told so, and the MQTT publisher gets its PUBACK all the same.
# MQTT 5, which could say more, is not spoken.
#
# Seen, stream of 3 messages, discard new: 5 published over MQTT, 5 acknowledged, 3 kept; by JetStream's own publish:
# "maximum messages exceeded"
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
software nats-server "2.9.10-1+b3 (Debian 12), nats-py 2.16.0 (PyPI)"
finding "a full stream with discard new refuses messages that their MQTT publisher has acknowledged"
debian bookworm nats-server=2.9.10-1+b3 mosquitto-clients python3.11 python3-pip
pypi nats-py==2.16.0
port=$(free_port)
printf '%s\n' "listen: 127.0.0.1:$port" "server_name: one" "jetstream { store_dir: \"$work/jetstream\" }" \
  "mqtt { listen: \"127.0.0.1:$((port + 1))\" }" >"$work/nats.conf"
start nats.log nats-server -c "$work/nats.conf"
await_port "$((port + 1))"

cat >"$work/stream.py" <<'PYTHON'
import asyncio, sys
import nats
from nats.js.api import StreamConfig

async def main():
    client = await nats.connect("nats://127.0.0.1:" + sys.argv[1])
    streams = client.jetstream()
    if sys.argv[2] == "make":
        await streams.add_stream(StreamConfig(name="TRACKS", subjects=["owntracks.>"], max_msgs=3, discard="new"))
    elif sys.argv[2] == "count":
        print((await streams.stream_info("TRACKS")).state.messages)
    else:
        try:
            print(await streams.publish("owntracks.jane.van", b"6"))
        except nats.js.errors.APIError as error:
            print(error.description)
    await client.close()

asyncio.run(main())
PYTHON
python "$work/stream.py" "$port" make || give_up "the stream cannot be made"
acknowledged=$(seq 5 | in_tree mosquitto_pub -h 127.0.0.1 -p "$((port + 1))" -q 1 -t owntracks/jane/van -l -d |
  grep -c 'received PUBACK.*RC:0')
holds "acknowledged over MQTT" 5 "$acknowledged"
holds "kept in the stream" 3 "$(python "$work/stream.py" "$port" count)"
holds "answer to one more by JetStream's own publish" "maximum messages exceeded" \
  "$(python "$work/stream.py" "$port" publish)"
verdict
