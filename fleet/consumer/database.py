"""The record's rows in PostgreSQL."""
import psycopg

from messages import Refused, Row, rows_of

# A row that is there in the very same words is no news; in other words it is kept aside.
ONCE = """
with new as (insert into {table} ({columns}) values ({values}) on conflict do nothing returning 1)
insert into refused (topic, reason, body)
select %(topic)s, 'another one of this second is recorded', convert_to(%(message)s::jsonb::text, 'UTF8')
where not exists (select from new)
  and not exists (select from {table} where {same} and message = %(message)s::jsonb)
"""
LATEST = """
insert into latest (topic, what, type, tst, message)
values (%(topic)s, %(what)s, %(type)s, %(tst)s, %(message)s::jsonb)
on conflict (topic, what) do update
set type = excluded.type, tst = excluded.tst, received = now(), message = excluded.message
"""
HEARD = """
insert into heard (topic, received) values (%(topic)s, now())
on conflict (topic) do update set received = excluded.received
"""
REFUSED = "insert into refused (topic, reason, body) values (%(topic)s, %(reason)s, %(body)s)"


def once(table, keys, others):
    columns = keys + others
    return ONCE.format(
        table=table, columns=", ".join(columns), values=", ".join("%%(%s)s" % name for name in columns),
        same=" and ".join("%s = %%(%s)s" % (name, name) for name in keys))


STATEMENTS = {
    "location": once("location", ["topic", "tst"], ["place", "acc", "vel", "cog", "t", "message"]),
    "event": once("event", ["topic", "tst", "what"], ["type", "place", "message"]),
    "trip": once("trip", ["topic", "tst", "event"], ["place", "message"]),
    "latest": LATEST, "heard": HEARD, "refused": REFUSED,
}


class Unfit(Exception):
    """A value that is of no kind that a column takes."""


# A message's own fault: it fits no column, or no index.
MISFIT = (psycopg.DataError, psycopg.IntegrityError, psycopg.errors.ProgramLimitExceeded,
          psycopg.errors.StatementTooComplex, Unfit)


class Away(Exception):
    """The database is not there, or takes nothing from anybody: no table, no right, no room."""


class Database:
    """One connection, made when it is needed."""

    def __init__(self, where):
        self.where, self.connection = where, None

    def record(self, batch):
        """All of it, committed; a list of topics and bodies, which may be there already."""
        rows = []
        for topic, body in batch:
            rows += rows_or_refusal(topic, body)
        try:
            self.write(rows)
        except MISFIT:
            # One of them is the reason; each by itself says which.
            for topic, body in batch:
                self.record_one(topic, body)

    def record_one(self, topic, body):
        try:
            self.write(rows_or_refusal(topic, body))
        except MISFIT as error:
            self.write([refusal(topic, str(error).splitlines()[0], body)])

    def write(self, rows):
        try:
            if self.connection is None:
                self.connection = psycopg.connect(self.where, connect_timeout=5, application_name="homeward-record")
            with self.connection.transaction(), self.connection.cursor() as cursor:
                for table, values in grouped(rows):
                    cursor.executemany(STATEMENTS[table], values)
        except MISFIT:
            raise
        except psycopg.Error as error:
            # Said on this side, and not by the database, nor of where it is to be found.
            if isinstance(error, psycopg.ProgrammingError) and error.sqlstate is None and self.connection is not None:
                raise Unfit(str(error)) from error
            self.close()
            raise Away(str(error)) from error

    def close(self):
        connection, self.connection = self.connection, None
        if connection is not None:
            connection.close()


def rows_or_refusal(topic, body):
    try:
        return rows_of(topic, body)
    except Refused as error:
        return [refusal(topic, str(error), body)]
    except Exception as error:  # a message of one board is not to stop the record of all
        return [refusal(topic, "%s: %s" % (type(error).__name__, error), body)]


def refusal(topic, reason, body):
    return Row("refused", {"topic": legible(topic), "reason": legible(reason), "body": body})


def legible(text):
    """As any column takes it: half of a character has no bytes, and PostgreSQL no NUL."""
    return text.replace("\0", "?").encode(errors="backslashreplace").decode()


def grouped(rows):
    """By table, in the order of the messages; of each board heard once is enough, always in the same order."""
    tables = {}
    for row in rows:
        tables.setdefault(row.table, []).append(row.values)
    if "heard" in tables:
        topics = sorted({values["topic"] for values in tables["heard"]})
        tables["heard"] = [{"topic": topic} for topic in topics]
    return tables.items()
