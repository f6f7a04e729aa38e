"""Invented people and places."""
import base64
import json
import struct
import time
import zlib

from nmea import degrees

TOPIC = "owntracks/jane/phone"


def waypoint(desc, east, north, radius, tst, **more):
    latitude, longitude = degrees((east, north))
    return dict({"_type": "waypoint", "desc": desc, "lat": latitude, "lon": longitude, "rad": radius, "tst": tst}, **more)


def picture():
    """A PNG of one colour."""
    rows = b"".join(b"\0" + bytes((200, 90, 60)) * 64 for _ in range(64))
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    head = struct.pack(">IIBBBBB", 64, 64, 8, 2, 0, 0, 0)
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")).decode()


def tell(world, topic, **message):
    world.watcher.publish(topic, json.dumps(message).encode(), True)


def befriend(world, topic, tid, east, north, name=None, face=None, **more):
    latitude, longitude = degrees((east, north))
    tell(world, topic, **dict({"_type": "location", "tst": int(time.time()) - 60, "lat": latitude, "lon": longitude, "tid": tid, "acc": 10}, **more))
    if name:
        tell(world, topic + "/info", **dict({"_type": "card", "name": name}, **({"face": face} if face else {})))
