"""docs/cost.md, from figures that Tests/Instruments/Bench/cost has kept."""
DAY = 86400
HEAD = """\
# What a board costs

`Tests/Instruments/Bench/cost` makes this page from `Tests/Instruments/Bench/figures.jsonl`, which it measures; do not edit
it by hand. Figures are of the version under their table, with a real mosquitto and a real gpsd on one machine.
"""
WIRE = """\
Bytes of IPv4 in both directions, with the headers of TCP and IP and all acknowledgements, as a packet socket sees them. A
connection is the handshakes and what is said and subscribed to once; over MQTT 5 topics have aliases. Positions are made
ten a second, with half a metre of noise; how some travel together is in [batch.md](batch.md)."""
REST = """\
The receiver says once a second that the vehicle stands. Counted in the minutes of the last column and scaled to a day; a
computed row is a number of pings or positions times the bytes of one. `keepalive` is 60 s, and `ping` publishes the place
every 15 minutes, unless the row says otherwise."""
WAKING = """\
How often the daemon went to sleep by itself in an hour; significant is the default mode. Silent is a gpsd whose receiver
says nothing; the other two have one fix a second, connected over TLS with a keepalive of 60 s. On a busy machine several
messages of gpsd are read at once, so an idle one may count more."""
PROCESSOR = """\
Instructions for one fix, with all libraries: the difference between a run with many fixes and one with few. amd64 is what
`install.sh` builds, counted by valgrind; arm64 is the package for boards, built by Debian 13's Swift and counted by a plugin
of qemu. Other work of the machine changes neither."""
MEMORY = """\
kB after the minutes of rest or driving above, over TLS. Private is what would be free without the daemon."""
CARD = """\
Bytes that the block device below an ext4 was told to write (`noatime,commit=60`, as on the image), with its journal."""


def number(value):
    if value is None:
        return ""
    if abs(value) < 1000:
        return ("%.1f" % value).removesuffix(".0") if abs(value) < 100 else "%.0f" % value
    return f"{round(value):,}"


def rounded(value):
    """To three digits: what was scaled is not known better."""
    if value is None:
        return ""
    if not value:
        return "0"
    places = len(str(int(abs(value)))) - 3
    return number(round(value, -places) if places > 0 else value)


def table(heads, rows):
    yield "| " + " | ".join(heads) + " |"
    yield "|" + "---|" * len(heads)
    for row in rows:
        yield "| " + " | ".join(row) + " |"
    yield ""


def versions(rows):
    names = sorted({(row["date"], row["version"]) for row in rows})
    yield "Version %s." % ", ".join("%s (%s)" % (version, date) for date, version in names)
    yield ""


def section(title, text, heads, cells, rows):
    if rows:
        yield from ["## " + title, "", *text.splitlines(), "", *table(heads, cells), *versions(rows)]


class Figures:
    def __init__(self, rows):
        self.rows = rows

    def of(self, part):
        return [row for row in self.rows if row["part"] == part]

    def day(self, name):
        return next((row for row in self.of("day") if row["name"] == name), None)

    def position(self, name):
        return next((row for row in self.of("position") if row["name"] == name), None)


def count(value, one):
    return "%s %s" % (number(value), one if value == 1 else one + "s")


def a_day(row, key):
    return row[key] * DAY / row["seconds"]


def minutes(row):
    return number(row["seconds"] / 60)


def watched(row):
    return "%s min, %s, %s" % (minutes(row), count(row["pings"], "ping"), count(row["published"], "position"))


def wire(figures):
    rows = figures.of("position")
    yield from section("A position on the wire", WIRE, ["Way", "A position", "A connection", "Positions measured"], (
        [row["name"], number(row["bytes"]), number(row["connection"]) if "together" not in row["name"] else "",
         number(row["positions"])] for row in rows), rows)


def rest(figures):
    used, cells = [], []

    def note(name, bytes_a_day, what, *rows):
        used.extend(rows)
        cells.append([name, rounded(bytes_a_day), rounded(bytes_a_day * 30 / 1e6) + " MB", what])

    alone = [row for row in figures.of("day") if row["name"].startswith("keepalive, ") and row["pings"]]
    for row in alone:
        note(row["name"].removeprefix("keepalive, ") + ", `ping` 0", a_day(row, "bytes"), "%s min, %s of %s bytes" % (
            minutes(row), count(row["pings"], "ping"), number(row["bytes"] / row["pings"])), row)
    secure, position = figures.day("keepalive, MQTT 5, TLS"), figures.position("MQTT 5, TLS")
    standing = figures.day("significant, stands")
    if standing:
        note("MQTT 5, TLS", a_day(standing, "bytes"), watched(standing), standing)
    if secure and secure["pings"]:
        one = secure["bytes"] / secure["pings"]
        note("MQTT 5, TLS, `keepAliveParked` 900, `ping` 0", 96 * one, "computed: 96 pings", secure)
        if position:
            note("MQTT 5, TLS, `keepAliveParked` 900", 96 * position["bytes"],
                 "computed: 96 positions, which stand for pings", position)
    for name, shown in (("keepAliveParked 900, no ping", ", `ping` 0"), ("keepAliveParked 900", "")):
        row = figures.day(name)
        if row:
            note("MQTT 5, TLS, `keepAliveParked` 900" + shown, a_day(row, "bytes"), watched(row), row)
    yield from section("A day at rest on the wire", REST, ["Board", "Bytes a day", "30 days", "From"], cells, used)


def waking(figures):
    modes, states = ("quiet", "manual", "significant", "move"), ("silent", "stands", "drives")
    found = {(mode, state): figures.day("%s, %s" % (mode, state)) for mode in modes for state in states}
    cells = [[mode] + [rounded(found[mode, state]["wakeups"] * 3600 / found[mode, state]["seconds"]) if found[mode, state]
                       else "" for state in states] for mode in modes]
    yield from section("Wake-ups in an hour", WAKING, ["Mode", "Silent", "Stands", "Drives"], cells, [row for row in found.values() if row])


def processor(figures):
    rows = figures.of("instructions")
    machines = [name for name in ("amd64", "arm64") if any(row["machine"] == name for row in rows)]
    names = list(dict.fromkeys(row["name"] for row in rows))
    value = {(row["name"], row["machine"]): row["instructions"] for row in rows}
    yield from section("The processor", PROCESSOR, ["A fix that is", *machines], (
        [name, *(rounded(value.get((name, machine))) for machine in machines)] for name in names), rows)


def memory(figures):
    rows = [row for name in ("significant, stands", "significant, drives", "move, drives") if (row := figures.day(name))]
    yield from section("Memory", MEMORY, ["Board", "Private", "Resident"], (
        [row["name"], number(row["private"]), number(row["rss"])] for row in rows), rows)


def card(figures):
    rows, cells = [row for row in figures.of("day") if "written" in row], []
    for row in rows:
        fixes = row["seconds"] if row["name"].endswith("drives") else None
        cells.append([row["name"], rounded(a_day(row, "written")), rounded(row["written"] / fixes) if fixes else "",
                      minutes(row) + " min"])
    yield from section("What is written to the card", CARD, ["Board", "Bytes a day", "Bytes a fix", "From"], cells, rows)


def page(rows):
    figures = Figures(rows)
    parts = [HEAD]
    for part in (wire, rest, waking, processor, memory, card):
        parts += part(figures)
    return "\n".join(parts).rstrip() + "\n"
