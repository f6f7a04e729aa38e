"""What moves a terminal's cursor, rings, recolours or turns text round, in every word that comes from outside."""
import json
import subprocess
import time

from flood import OWN
from gpsd import PretendedGpsd
from judge import published
from tracker import COMMAND_LINE
from waiting import in_the_end
from world import expect

WORLD = {"has_gpsd": False, "friends": True, "cmd": True, "remoteConfiguration": True}
# A title, a colour, a bell, a hyperlink; C1 as one character each; marks that turn the rest of a line round.
EVIL = "\x1b]0;owned\x07\x1b[31m\x9b2J\x85\x90q\x9c\u202egnp\u2066x\u2069\u200f\u061c\x7f\rz"
# What the JSON of gpsd's own library lets through.
BARE = "\x1b]0;owned\x07\x1b[31m"
FRIEND = "owntracks/eve/phone"
COMMANDS = (
    ["status"], ["friends"], ["friends", "--all"], ["friend", "show", FRIEND], ["why"], ["region", "list"],
    ["config", "remote"], ["queue"], ["history"], ["share"], ["mode"], ["tag"], ["beacons"],
)
# These look at the configuration file too.
WITH_FILE = (["doctor"], ["health"], ["config", "show"])


# As texts and JSON have the mark that turns a line round, and in how many outputs at least.
QUOTED = (b"u{202e}", b"\\u202e")
LEAST_QUOTED = 8


def is_evil(character):
    code = ord(character)
    return (code < 0x20 and character not in "\n\t" or 0x7F <= code < 0xA0
            or code in (0x061C, 0x200E, 0x200F, 0x2028, 0x2029)
            or 0x202A <= code <= 0x202E or 0x2066 <= code <= 0x2069)


def evil_in(data):
    """The characters in these bytes that a terminal would obey; bytes that are no UTF-8 count as well."""
    return sorted({"%04x" % ord(character) for character in data.decode("utf-8", "surrogateescape")
                   if is_evil(character) or 0xDC80 <= ord(character) <= 0xDCFF})


def _tell(world, topic, **message):
    world.watcher.publish(topic, json.dumps(message).encode())


def _attack(world):
    """The same words wherever somebody outside can put them."""
    _tell(world, FRIEND, _type="location", tst=1700000000, lat=48.1, lon=16.3, tid=EVIL, poi=EVIL, t=EVIL[:1])
    _tell(world, FRIEND + "/info", _type="card", name=EVIL)
    # A broker lets no control characters into a topic, but marks of direction.
    _tell(world, "owntracks/\u202eeve\u2066/phone", _type="location", tst=1700000000, lat=1, lon=1, tid="e")
    for event in ("enter", "leave", EVIL):
        _tell(world, FRIEND + "/event", _type="transition", tst=1700000000, lat=48.1, lon=16.3, tid=EVIL,
              event=event, desc=EVIL, t="c", wtst=1)
    _tell(world, FRIEND, _type=EVIL)
    _tell(world, FRIEND, _type="location", tst=EVIL, lat=EVIL, lon=1)
    _tell(world, OWN, _type="cmd", action=EVIL)
    for number in range(3):
        _tell(world, OWN, _type="cmd", action="setWaypoints", waypoints={"_type": "waypoints", "waypoints": [
            {"_type": "waypoint", "desc": EVIL + str(number), "lat": 48.2082, "lon": 16.3738, "rad": 200,
             "tst": 1700000000 + number},
            {"_type": "waypoint", "desc": EVIL, "lat": EVIL, "lon": 1, "rad": 1, "tst": 1}]})
    _tell(world, OWN, _type="cmd", action="setConfiguration", configuration={
        "_type": "configuration", "tag": EVIL, "tid": EVIL, EVIL: EVIL, "monitoring": EVIL})
    _tell(world, OWN, _type="cmd", action="reportLocation")


def _outputs(world):
    """(words, status, bytes) of each command, as text and as JSON; no status where it did not end."""
    for words in (*COMMANDS, *WITH_FILE):
        more = ["--file", world.tracker.configuration] if words in WITH_FILE else []
        sockets = [] if words == ["config", "show"] else ["--socket", world.tracker.socket]
        for json_too in ([], ["--json"]):
            try:
                done = subprocess.run([COMMAND_LINE, *words, *json_too, *more, *sockets], capture_output=True,
                                      timeout=60)
            except subprocess.TimeoutExpired as error:
                yield " ".join(words + json_too), None, (error.stdout or b"") + (error.stderr or b"")
                continue
            yield " ".join(words + json_too), done.returncode, done.stdout + done.stderr


def everywhere(world):
    PretendedGpsd(world, 5.0, device="/dev/" + BARE)
    world.tracker.start()
    expect(in_the_end(lambda: published(world)), "nothing came through before the attack")
    _attack(world)
    # A tracker may refuse such words; but it has to have met them.
    met = lambda: (world.tracker.status() or {}).get("messages", {}).get("received", 0)
    expect(in_the_end(lambda: met() >= 8, every=0.3), "only %d of the messages came to the tracker" % met())
    time.sleep(1)
    told, problems, quoted, statuses = {}, [], 0, {}
    for words, status, data in _outputs(world):
        if evil_in(data):
            told[words] = evil_in(data)
        statuses[words] = status
        quoted += any(form in data for form in QUOTED)
    with open(world.tracker.log_path, "rb") as file:
        journal = evil_in(file.read())
    hung = [words for words, status in statuses.items() if status is None]
    if hung:
        problems.append("no end of %s" % ", ".join(hung))
    # Who is gone, or has met nothing, tells nothing evil.
    if not world.tracker.is_alive() or world.tracker.ask("status").status != 0 or statuses["status"] != 0:
        problems.append("the tracker no longer answers")
    if quoted < LEAST_QUOTED:
        problems.append("only %d outputs quote it at all" % quoted)
    if told:
        problems.append("control characters in the output of %s: %s" % (
            ", ".join(told), " ".join(sorted(set(sum(told.values(), []))))))
    if journal:
        problems.append("control characters in the journal: %s" % " ".join(journal))
    return dict(kind="escape sequences from outside", commands=len(told), quoted=quoted, journal=len(journal), problems=problems)
