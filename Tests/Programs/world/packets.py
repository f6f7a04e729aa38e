"""MQTT packets as bytes, of 3.1.1 (level 4) and 5: made, and read from a stream."""
import struct

CONNECT, CONNACK, PUBLISH, PUBACK, PUBREC, PUBREL, PUBCOMP = 1, 2, 3, 4, 5, 6, 7
SUBSCRIBE, SUBACK, UNSUBSCRIBE, UNSUBACK, PINGREQ, PINGRESP, DISCONNECT = 8, 9, 10, 11, 12, 13, 14


def text(value):
    data = value.encode()
    return struct.pack(">H", len(data)) + data


def packet(first, body):
    """`first` is the whole first byte: kind and flags."""
    size, rest = bytearray(), len(body)
    while True:
        rest, low = rest >> 7, rest & 127
        size.append(low | (0x80 if rest else 0))
        if not rest:
            return bytes([first]) + bytes(size) + body


def connect(name, level=4, is_clean=True):
    """With a keepalive of 0: nobody waits for pings."""
    properties = b"\0" if level == 5 else b""
    return packet(0x10, text("MQTT") + struct.pack(">BBH", level, 2 if is_clean else 0, 0) + properties + text(name))


def publish(topic, payload, qos=0, number=1, is_retained=False, level=4):
    body = text(topic) + (struct.pack(">H", number) if qos else b"") + (b"\0" if level == 5 else b"")
    return packet(0x30 | qos << 1 | is_retained, body + payload)


def subscribe(topics, qos=1, number=1, level=4):
    properties = b"\0" if level == 5 else b""
    wanted = b"".join(text(topic) + bytes([qos]) for topic in topics)
    return packet(0x82, struct.pack(">H", number) + properties + wanted)


def acknowledge(kind, number):
    """PUBACK, PUBREC, PUBREL or PUBCOMP without a reason: the same bytes at both levels."""
    return packet(kind << 4 | (2 if kind == PUBREL else 0), struct.pack(">H", number))


def filters(body, level=4):
    """What a SUBSCRIBE asks for."""
    at, found = 2, []
    if level == 5:
        length, at = _varied(body, at)
        at += length
    while at < len(body):
        size = struct.unpack(">H", body[at : at + 2])[0]
        found.append(body[at + 2 : at + 2 + size].decode())
        at += 2 + size + 1
    return found


def published(flags, body, level=4):
    """Topic, payload, quality of service and number (None at QoS 0) of a PUBLISH."""
    length = struct.unpack(">H", body[:2])[0]
    topic, at, qos, number = body[2 : 2 + length].decode(), 2 + length, flags >> 1 & 3, None
    if qos:
        number, at = struct.unpack(">H", body[at : at + 2])[0], at + 2
    if level == 5:
        size, at = _varied(body, at)
        at += size
    return topic, body[at:], qos, number


def read(reader):
    """Kind, flags and body of the next packet of a file; EOFError at the end."""
    first, length, shift = _exactly(reader, 1)[0], 0, 0
    while True:
        byte = _exactly(reader, 1)[0]
        length |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return first >> 4, first & 15, _exactly(reader, length)


def end(data, start):
    """Where the packet that begins at `start` ends in these bytes, and where its body begins; None while it
    is not all there."""
    if len(data) <= start:
        return None
    try:
        length, at = _varied(data, start + 1)
    except IndexError:
        return None
    return (at + length, at) if len(data) >= at + length else None


def _varied(data, at):
    """A number of one to four bytes and what comes after it."""
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        shift, at = shift + 7, at + 1
        if byte < 128:
            return value, at


def _exactly(reader, count):
    data = reader.read(count)
    if len(data) < count:
        raise EOFError
    return data
