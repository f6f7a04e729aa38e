"""Which row of which table a message of a board is."""
import collections
import datetime
import json

Row = collections.namedtuple("Row", "table values")

# The last levels of topics that are a board's, and not another board.
SUFFIXES = ("/cmd/answer", "/event", "/waypoint", "/waypoints", "/beacon", "/trip", "/alarm", "/status", "/info",
            "/dump", "/step")
EVENTS = {"transition": ("event", "rid", "desc"), "alarm": ("alarm", "event"), "beacon": ("uuid", "major", "minor"),
          "lwt": ()}
LATEST = {"status": None, "card": None, "waypoints": None, "dump": None, "steps": None, "waypoint": "rid",
          "answer": "id"}
# The first and the last second that a message may be of.
FIRST, LAST = 1, 253_402_300_799
EPOCH = datetime.datetime.fromtimestamp(0, datetime.timezone.utc)


class Refused(Exception):
    """Why a message is not recorded."""


def topic_of(routing_key):
    """As the board said it; a name with a dot in it cannot be told apart. What is no UTF-8 comes as bytes."""
    if isinstance(routing_key, bytes):
        routing_key = routing_key.decode(errors="replace")
    return routing_key.replace(".", "/")


def board_of(topic):
    for suffix in SUFFIXES:
        if topic.endswith(suffix):
            return topic[:-len(suffix)]
    return topic


def rows_of(topic, body):
    """The rows, without any for what only repeats what is known; Refused where nobody can tell."""
    if not body:  # takes back what was retained, or is of a check: nothing is said
        return []
    message = parsed(body)
    kind = message.get("_type")
    if not isinstance(kind, str):
        raise no_kind(kind)
    rows = []
    if kind == "location":
        if "_demo" in message:  # said once more for a broker that may have forgotten it
            return [heard(topic)]
        rows.append(Row("location", {
            "topic": topic, "tst": second(message), "place": place(message), "acc": number(message, "acc"),
            "vel": number(message, "vel"), "cog": number(message, "cog"), "t": word(message, "t"),
            "message": text(message)}))
    elif kind == "trip":
        rows.append(Row("trip", {
            "topic": topic, "tst": second(message), "event": str(message.get("event")), "place": place_if_any(message),
            "message": text(message)}))
    elif kind in EVENTS:
        what = [str(message[key]) for key in EVENTS[kind] if key in message]
        rows.append(Row("event", {
            "topic": topic, "tst": second(message), "what": " ".join([kind] + what), "type": kind,
            "place": place_if_any(message), "message": text(message)}))
    elif kind in LATEST:
        key = LATEST[kind]
        rows.append(Row("latest", {
            "topic": topic, "what": str(message.get(key, "")) if key else "", "type": kind,
            "tst": second(message) if "tst" in message else EPOCH, "message": text(message)}))
    elif kind == "encrypted":
        raise Refused("encrypted, expected a board without encryptionKey")
    else:
        raise no_kind(kind)
    return rows if is_of_the_broker(kind, message) else rows + [heard(topic)]


def no_kind(kind):
    return Refused("_type is %s, expected one of a board's" % json.dumps(kind)[:60])


def is_of_the_broker(kind, message):
    """Whether it is a will: nothing that a board has said now."""
    linux = message.get("linux")
    return kind == "lwt" or kind == "status" and isinstance(linux, dict) and linux.get("online") is False


def heard(topic):
    return Row("heard", {"topic": board_of(topic)})


def parsed(body):
    def constant(name):
        raise ValueError("%s is no number of JSON" % name)

    try:
        message = json.loads(body.decode(), parse_constant=constant)
    except (ValueError, RecursionError) as error:
        raise Refused("no JSON: %s" % error) from None
    if not isinstance(message, dict):
        raise Refused("a JSON %s, expected an object" % type(message).__name__)
    return message


def text(message):
    result = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
    try:
        result.encode()
    except UnicodeEncodeError:
        raise Refused("half of a character, expected UTF-8") from None
    return result


def second(message):
    value = message.get("tst")
    if not isinstance(value, int) or isinstance(value, bool) or not FIRST <= value <= LAST:
        raise Refused("tst is %s, expected a Unix time in whole seconds" % json.dumps(value)[:60])
    return datetime.datetime.fromtimestamp(value, datetime.timezone.utc)


def number(message, key):
    value = message.get(key)
    if value is None or isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e30:
        return value
    raise Refused("%s is %s, expected a number" % (key, json.dumps(value)[:60]))


def word(message, key):
    value = message.get(key)
    if value is None or isinstance(value, str):
        return value
    raise Refused("%s is %s, expected a text" % (key, json.dumps(value)[:60]))


def place(message):
    """Well-known text, longitude first."""
    latitude, longitude = number(message, "lat"), number(message, "lon")
    if latitude is None or longitude is None or abs(latitude) > 90 or abs(longitude) > 180:
        raise Refused("lat and lon are %s and %s, expected degrees" % (
            json.dumps(latitude)[:60], json.dumps(longitude)[:60]))
    return "SRID=4326;POINT(%r %r)" % (longitude, latitude)


def place_if_any(message):
    return place(message) if "lat" in message or "lon" in message else None
