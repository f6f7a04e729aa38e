#!/usr/bin/env python3
# behaviour: Fleets
# takes: 10 s
"""The record of a fleet stands what any board says: each message is rows or a refusal, and the list of boards is
whole. Its engines are in Tests/Instruments/Fleet/run."""
import contextlib
import datetime
import json
import os
import pwd
import re
import shutil
import subprocess
import sys
import tempfile
import types

sys.path.insert(1, sys.path[0] + "/../world")
from tracker import ROOT
from waiting import in_the_end
from world import Skip, claim, expect, main

FLEET = os.path.join(ROOT, "fleet")
NOTHING = {"has_broker": False, "has_gpsd": False}
TOPIC = "owntracks/a/b"
WHOLE = {
    "location": {"tst": 2, "lat": 1, "lon": 2, "acc": 3, "vel": 4, "cog": 5, "t": "p"},
    "transition": {"tst": 2, "lat": 1, "lon": 2, "event": "enter", "rid": "1", "desc": "Home"},
    "trip": {"tst": 2, "lat": 1, "lon": 2, "event": "start"},
    "status": {"tst": 2, "linux": {"online": True}},
    "waypoint": {"tst": 2, "rid": "1", "desc": "Home"}, "answer": {"id": "1"}, "card": {"name": "Van"}, "lwt": {"tst": 2},
}
ODD = ["[]", "{}", "[{}]", '""', '"x"', '"\\u0000"', '"\\ud800"', "true", "null", "0", "-1", "1.5", "1e999", "9" * 400]


def consumer():
    """Its modules. Without psycopg there are at least the names of its errors."""
    sys.path.insert(1, os.path.join(FLEET, "consumer"))
    sys.dont_write_bytecode = True
    try:
        import psycopg
    except ImportError:
        psycopg = sys.modules["psycopg"] = types.ModuleType("psycopg")
        psycopg.errors = types.SimpleNamespace()
        psycopg.Error = type("Error", (Exception,), {"sqlstate": None})
        for name in ("DataError", "IntegrityError", "ProgrammingError", "OperationalError"):
            setattr(psycopg, name, type(name, (psycopg.Error,), {}))
        for name in ("ProgramLimitExceeded", "StatementTooComplex"):
            setattr(psycopg.errors, name, type(name, (psycopg.OperationalError,), {}))
    import database
    import messages
    return psycopg, database, messages


def rows(body):
    return consumer()[1].rows_or_refusal(TOPIC, body.encode())


def reasons(body):
    return [row.values["reason"] for row in rows(body) if row.table == "refused"]


@claim("a message of which a key is anything at all is rows that the database takes, or a refusal", **NOTHING)
def any_value(_):
    plain = (str, bytes, int, float, datetime.datetime, type(None))
    for kind, whole in WHOLE.items():
        message = {"_type": kind, **whole}
        expect(not reasons(json.dumps(message)), "%s: %s" % (message, reasons(json.dumps(message))))
        for key in message:
            for odd in ODD:
                body = json.dumps({**message, key: "ODD"}).replace('"ODD"', odd)
                made = rows(body)
                strange = [(name, value) for row in made for name, value in row.values.items() if type(value) not in plain]
                expect(made and not strange, "%s: %s" % (body, strange))
                # What no rule of ours has named is the net's, and a rule is missing.
                expect(not re.match(r"\w+(Error|Exception): ", "".join(reasons(body))), "%s: %s" % (body, reasons(body)))
    topic = consumer()[2].topic_of
    expect((topic("owntracks.a.b"), topic(b"owntracks.\xff.b")) == (TOPIC, "owntracks/\ufffd/b"), topic(b"\xff"))
    for body, reason in (('{"_type":[]}', "_type is [], expected one of a board's"),
                         ('{"_type":"location","tst":1,"lat":1,"lon":2,"t":{}}', "t is {}, expected a text")):
        expect(reasons(body) == [reason], "%s: %s" % (body, reasons(body)))


class Connection:
    """Of a database that has this to say of locations, and takes everything else."""

    def __init__(self, error):
        self.error, self.written = error, []

    @contextlib.contextmanager
    def transaction(self):
        before = len(self.written)
        try:
            yield
        except BaseException:
            del self.written[before:]
            raise

    @contextlib.contextmanager
    def cursor(self):
        yield self

    def close(self):
        pass

    def executemany(self, statement, values):
        if "into location" in statement:
            raise self.error
        self.written += [statement.split()[2] for _ in values]


@claim("what no rule has foreseen in a message is refused, and no other message waits behind it", **NOTHING)
def net(_):
    psycopg, database, messages = consumer()
    good, bad = (TOPIC, b'{"_type":"card"}'), (TOPIC, b'{"_type":"location","tst":1,"lat":1,"lon":2}')

    def record(error):
        made = database.Database("")
        made.connection = connection = Connection(error)
        made.record([good, bad, good])
        return sorted(connection.written)

    written = record(psycopg.ProgrammingError("cannot adapt type 'dict'"))
    expect(written.count("refused") == 1 and written.count("latest") == 2, str(written))
    # The word of the database, and what is said before it has one.
    for error in (type("UndefinedTable", (psycopg.ProgrammingError,), {"sqlstate": "42P01"})("no table"),
                  psycopg.OperationalError("gone")):
        try:
            expect(False, "%s: %s" % (error, record(error)))
        except database.Away:
            pass
    usual, database.rows_of = database.rows_of, lambda *_: {}["\ud800\0"]
    try:
        refused = database.rows_or_refusal(*good)
    finally:
        database.rows_of = usual
    expect([row.table for row in refused] == ["refused"] and refused[0].values["body"] == good[1], str(refused))
    expect(refused[0].values["reason"].encode().startswith(b"KeyError: "), str(refused))


class PostgreSQL:
    """A real one, in this folder alone, without places: PostGIS is an engine of its own."""

    def __init__(self, folder):
        programs = ["/usr/lib/postgresql/%d/bin" % version for version in range(20, 12, -1)]
        self.bin = next((path for path in programs if os.path.exists(path + "/initdb")), None)
        if not self.bin or not shutil.which("psql"):
            raise Skip("PostgreSQL is not installed")
        # It starts for nobody who is root.
        self.before = []
        if os.geteuid() == 0:
            try:
                user = pwd.getpwnam("postgres")
            except KeyError:
                raise Skip("there is no user postgres") from None
            self.before = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--"]
            os.chown(folder, user.pw_uid, user.pw_gid)
        self.folder = folder
        self.do(self.bin + "/initdb", "--auth=trust", "--encoding=UTF8", "--locale=C", "-D", folder + "/data")
        self.server = subprocess.Popen(
            [*self.before, self.bin + "/postgres", "-D", folder + "/data", "-k", folder, "-c", "listen_addresses=", "-c",
             "fsync=off"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder)
        if not in_the_end(lambda: self.psql("select 1").returncode == 0):
            self.close()
            raise AssertionError("PostgreSQL does not start")
        with open(os.path.join(FLEET, "postgresql", "schema.sql")) as file:
            schema = file.read()
        self.query(re.sub(r"create extension [^;]*;|create index [^;]* using gist [^;]*;", "", schema).replace(
            "geometry(point, 4326)", "text"))

    def do(self, *words, text=None):
        return subprocess.run([*self.before, *words], input=text, capture_output=True, text=True, cwd=self.folder)

    def psql(self, text):
        return self.do("psql", "-XAtq", "--set=ON_ERROR_STOP=1", "-h", self.folder, "-d", "postgres", text=text)

    def query(self, text):
        done = self.psql(text)
        expect(done.returncode == 0, done.stderr)
        return done.stdout.strip()

    def close(self):
        self.server.terminate()
        self.server.wait()


@claim("the list of boards has each of them, whatever one has said on /status", **NOTHING)
def board_list(_):
    folder = tempfile.mkdtemp(prefix="hw-", dir="/tmp")
    try:
        engine = PostgreSQL(folder)
        try:
            lists(engine)
        finally:
            engine.close()
    finally:
        shutil.rmtree(folder)


def lists(engine):
    rows, says = [], [
        ({"online": True}, "t", "f"), ({"online": False}, "f", "f"), ({}, "", "f"),
        # Asleep, and an hour after it was to check in.
        ({"online": False, "nextCheckIn": 99999999999}, "f", "f"), ({"online": False, "nextCheckIn": 1000}, "f", "t"),
        ({"online": False, "nextCheckIn": 253402300799}, "f", "f"),
        # None of a board's.
        ({"online": "x"}, "", "f"), ({"online": "true"}, "", "f"), ({"online": 1}, "", "f"), ({"online": {}}, "", "f"),
        ({"online": False, "nextCheckIn": 1e20}, "f", "f"), ({"online": False, "nextCheckIn": -1e300}, "f", "f"),
        ({"online": False, "nextCheckIn": 253402300800}, "f", "f"), ({"online": False, "nextCheckIn": "1000"}, "f", "f"),
        ({"online": False, "nextCheckIn": []}, "f", "f"), ([1], "", "f"), ("x", "", "f"), (None, "", "f"),
    ]
    for number, (linux, _, _) in enumerate(says):
        message = json.dumps({"_type": "status", "linux": linux})
        rows.append("insert into heard values ('b%02d', now()); insert into latest (topic, what, type, tst, message) values "
                    "('b%02d/status', '', 'status', now(), '%s');" % (number, number, message))
    engine.query("\n".join(rows))
    found = [line.split("|") for line in engine.query("select online, overdue from board order by topic").splitlines()]
    for (linux, online, overdue), is_so in zip(says, found, strict=True):
        expect(is_so == [online, overdue], "%s: %s" % (linux, is_so))
    lines = engine.query("select line from board_line order by topic").splitlines()
    expect(len(lines) == len(says) and all(json.loads(line)["_type"] == "status" for line in lines), str(lines))
    # Once more on a database that has it already, as its head says.
    with open(os.path.join(FLEET, "postgresql", "schema.sql")) as file:
        view = re.search(r"create or replace view board as.*?;", file.read(), re.S)[0]
    engine.query(view)


if __name__ == "__main__":
    main()
