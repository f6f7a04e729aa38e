"""What has become of what the boards of a fleet said: their own history beside the record."""
import json
import time

from servers import in_the_end

AT_LAST = 300
SILENCE = 45
# Of a place in the history, not of the message that it was.
OWN = {"number"}


class Verdict:
    """Of `Fleet`, which has the boards, the engines, `steps`, `killed` and `faults`."""

    rows = None

    def rest(self):
        """Whether it comes to rest: no board has anything, nothing is in the queues, nothing more comes."""
        self.source.stop()
        # Half a minute later the trackers notice that their receivers are silent, and may have a last place to tell.
        time.sleep(SILENCE)
        if not all(board.is_drained() for board in self.boards):
            return False
        return in_the_end(self.is_empty, seconds=AT_LAST, every=12)

    def is_empty(self):
        """Twice: the broker counts every few seconds only."""
        before, self.rows = self.rows, self.count("select count(*) from location")
        waiting = {queue["name"]: queue["messages"] for queue in self.queues()}
        batches = sum(count for name, count in waiting.items() if "unbatch" in name)
        held = sum(((board.status() or {}).get("queue") or {}).get("count", 1) for board in self.boards)
        return waiting.get("record") == 0 and batches == 0 and held == 0 and self.rows == before

    def queues(self):
        return json.loads(self.engines.control(
            1, "list_queues", "name", "messages", "type", "policy", "arguments", "--formatter=json"))

    def doubtful(self):
        """Queues that forget a message which comes again, or that refuse what boards say."""
        for queue in self.queues():
            words = json.dumps(queue["arguments"])
            is_session = queue["name"].startswith("mqtt-subscription-")
            if queue["type"] != "quorum" or is_session and queue["policy"] != "sessions" or "reject" in words \
                    or not is_session and "x-delivery-limit" not in words:
                yield queue["name"]

    def recorded(self):
        rows = self.engines.query("select topic || ' ' || message from location").splitlines()
        pairs = [row.split(" ", 1) for row in rows]
        messages = [(topic, json.loads(text)) for topic, text in pairs]
        return {(topic, message["tst"]): message for topic, message in messages}

    def published(self):
        for board in self.boards:
            topic = "owntracks/%s/%s" % (board.settings["username"], board.settings["deviceId"])
            for point in board.ask("history", "--json").json()["history"]:
                yield (topic, point["tst"]), point

    def without_trip(self):
        """Boards that never said that a trip began. One that was killed in its first 500 m may not: it goes on as one
        that moves, and a trip begins with a departure."""
        rows = self.engines.query("select distinct topic from trip where event = 'start'").splitlines()
        topics = {"owntracks/%s/%s" % (board.settings["username"], board.settings["deviceId"]) for board in self.boards}
        return sorted(topics - {row.removesuffix("/trip") for row in rows} - self.killed)

    def verdict(self):
        owed, rows = dict(self.published()), self.recorded()
        lost = set(owed) - set(rows)
        self.tell("lost", [tst for _, tst in lost])
        other = [key for key in set(owed) & set(rows)
                 if any(rows[key].get(one) != value for one, value in owed[key].items() if one not in OWN)]
        self.tell("in other words", [tst for _, tst in other])
        torn = self.count(
            "select count(*) from (select message ->> 'event' as event, lag(message ->> 'event') over (partition by "
            "topic order by tst) as before from event where type = 'transition') as one where event = before")
        crossings = self.count("select count(*) from event where type = 'transition'")
        turned = [int(row) for row in self.engines.query(
            "select extract(epoch from tst)::bigint from (select tst, lag(tst) over (partition by topic order by "
            "number) as before from location) as one where tst < before").splitlines()]
        self.tell("out of order", turned)
        refused = self.engines.query("select reason, count(*) from refused group by reason").splitlines()
        deaf = sum(link.get("commands", {}).get("state") != "heard" for link in self.links())
        doubtful, without = list(self.doubtful()), self.without_trip()
        silent = self.options.boards - self.count("select count(*) from board where not overdue")
        lines = self.count("select count(*) from board_line")
        print("positions: %d published, %d lost, %d in other words" % (len(owed), len(lost), len(other)))
        trips = self.count("select count(distinct topic) from trip where event = 'start'")
        print("crossings: %d came, %d lost; trips: of %d boards, missing of %d" % (
            crossings, torn, trips, len(without)))
        print("%d out of order, refused: %s" % (len(turned), ", ".join(refused) or "none"))
        for text, is_so in (
                ("positions lost", lost), ("positions in other words", other), ("crossings lost", torn),
                # Those of a batch go a longer way than one that goes by itself.
                ("out of order on a board", turned and not self.options.batch),
                ("messages refused or in other words", refused),
                ("boards missing in the list of boards", silent),
                ("lines of boards missing", lines != 2 * self.options.boards),
                # Less than all of it is too short for a trip.
                ("no trip of %s" % ", ".join(without), self.is_whole and without),
                ("boards that hear no commands", deaf),
                ("a board speaks for another", self.speaks()), ("queues of the wrong kind", doubtful),
                ("no positions", not owed)):
            if is_so:
                self.faults.append(text)

    def tell(self, what, moments):
        """During which step, how long after its begin, how many."""
        found = {}
        for moment in moments:
            begin, step = max(one for one in self.steps if one[0] <= moment)
            found.setdefault(step, []).append(moment - begin)
        for step, ages in found.items():
            print("%s: %d of %s, %.0f to %.0f s after its begin" % (what, len(ages), step, min(ages), max(ages)))
