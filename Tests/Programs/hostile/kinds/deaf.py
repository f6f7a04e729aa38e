"""A board that was cut off in the middle of the handshake obeys commands again after the next connection."""
import json
import os
import random
import time

import packets
from judge import LOOSE
from nmea import stand
from relay import Relay, cut_points
from servers import free_port
from subscriber import Subscriber
from tracker import Tracker
from waiting import IN_THE_END, glance, in_the_end
from world import Skip

SETTINGS = {"monitoring": 0, "cmd": True}
WORLD = {"broker": LOOSE, **SETTINGS}
EVERYBODY = "owntracks/+/+"
RUN = "%04x" % random.SystemRandom().randrange(1 << 16)


class Board:
    """A tracker of its own name behind a relay of its own."""

    def __init__(self, world, number, level, cuts=(), forbidden=None, **settings):
        self.world, self.level = world, level
        # Of one length: where a byte of the handshake is depends on it. A broker that goes on between runs
        # must not know it from an earlier one.
        self.name = settings.pop("name", "n%s%03d" % (RUN, number))
        self.topic = "owntracks/%s/board" % self.name
        self.relay = Relay(free_port(), world.broker.port, cuts, forbidden)
        folder = os.path.join(world.folder, self.name)
        self.tracker = Tracker(
            folder, world.gpsd.port, self.relay.port, **{**SETTINGS, "username": self.name, "pubTopicBase": self.topic,
                                                         "mqttProtocolLevel": level, **settings})
        world._closing += [self.relay.close, self.tracker.kill]
        self.tracker.start()

    def order(self):
        self.world.watcher.publish(self.topic + "/cmd", json.dumps(
            {"_type": "cmd", "action": "reportLocation"}).encode())

    def answers(self):
        """Locations that were asked for."""
        found = 0
        for message in list(self.world.watcher.messages):
            value = message.json() if message.topic == self.topic else None
            found += bool(value and value.get("t") == "r" and not message.is_retained)
        return found

    def has_connected(self, connections):
        # Where a port closes without a word the board asks once what is spoken there: one more that nobody greets.
        greeted = lambda: any(map(self.relay.is_greeted, range(connections - 1, len(self.relay.seen))))
        return in_the_end(greeted)


def _everybody(world):
    """Somebody who hears all boards, and a receiver with a place."""
    world.watcher.close()
    world.watcher = Subscriber(world.broker.port, ["owntracks/#"], name="all", keeps_session=False)
    world._closing.append(world.watcher.close)


def _receiver(world, seconds):
    """Stands still; what was said last is where everybody is."""
    return world.feeding(stand(seconds * 4, world.place), 4.0)


def _obeying(boards):
    """Orders every second those that have not answered; those that never do."""
    deaf, end = list(boards), time.monotonic() + IN_THE_END
    while deaf and time.monotonic() < end:
        for board in deaf:
            board.order()
        glance(lambda: all(board.answers() for board in deaf), 1.0, every=0.1)
        deaf = [board for board in deaf if not board.answers()]
    return deaf


def _rehearse(world, level, number, **settings):
    """The packets of a handshake that nobody disturbs."""
    board = Board(world, number, level, **settings)
    in_the_end(lambda: board.relay.subscriptions(0))
    time.sleep(0.5)
    seen = list(board.relay.seen[0])
    board.tracker.kill()
    # Up to the last SUBACK: what comes later is no handshake any more.
    last = max((at for at, (way, kind, _) in enumerate(seen) if kind == packets.SUBACK), default=-1)
    return seen[: last + 1]


def cuts(world, times=20, seed=None, level=None, at_once=20, is_later=False, **settings):
    """This many boards, each cut off once, at another place of its first handshake; `is_later`: of its second,
    after a whole first one, where the broker has forgotten all sessions. `level`: 4, 5 or both."""
    seed = random.randrange(1 << 30) if seed is None else seed
    chance, levels = random.Random(seed), [level] if level else [4, 5]
    if is_later and world.broker.elsewhere:
        raise Skip("the broker is not ours to start anew")
    _everybody(world)
    points = {}
    for level in levels:
        points[level] = cut_points(_rehearse(world, level, 900 + level, **settings), chance, times // 5)
    plan = []
    for level in levels:
        share = times // len(levels)
        ways = _chosen(points[level], share, chance)
        plan += [(level, *point) for point in ways]
    deaf, done, missed = [], 0, []
    for begin in range(0, len(plan), at_once):
        feeder = _receiver(world, 200)
        boards = [(Board(world, begin + at, level, [None, cut] if is_later else [cut], **settings), words)
                  for at, (level, cut, words) in enumerate(plan[begin : begin + at_once])]
        if is_later:
            _forget([board for board, _ in boards])
        missed += [words for board, words in boards if not board.has_connected(3 if is_later else 2)]
        silent = _obeying([board for board, _ in boards])
        deaf += ["%s at %d" % (words, board.level) for board, words in boards if board in silent]
        done += len(boards)
        for board, _ in boards:
            board.tracker.kill()
            board.relay.close()
        feeder.stop()
        world.clock = max(feeder.sent) + 1
    problems = []
    if deaf:
        problems.append("%d of %d boards obey no command any more; cut at: %s%s" % (
            len(deaf), done, "; ".join(deaf[:8]), " ..." if len(deaf) > 8 else ""))
    if missed:
        problems.append("%d boards did not connect again: %s" % (len(missed), "; ".join(missed)))
    kind = "cuts in the handshake" + (" after a lost session" if is_later else "")
    return dict(kind=kind, times=done, seed=seed, deaf=len(deaf), problems=problems)


def _forget(boards):
    """When all are subscribed the broker starts anew and has kept nothing."""
    in_the_end(lambda: all(board.relay.subscriptions(0) for board in boards))
    time.sleep(1)
    broker = boards[0].world.broker
    broker.stop()
    broker.start()


def _chosen(points, count, chance):
    """This many different ones by lot, or all of them and some twice; the two between CONNACK and SUBACK always."""
    first = [point for point in points if point[1].startswith(("right after CONNACK", "0 of")) and
             "CONNECT" not in point[1]]
    others = [point for point in points if point not in first]
    chance.shuffle(others)
    ordered = first + others
    return (ordered * (count // len(ordered) + 1))[:count]


def rights(world, level=4):
    """As `forbidden`, by a RabbitMQ whose topic permissions let this user have no more than the own topics:
    HOMEWARD_RIGHTS is "user:password"."""
    user, _, password = os.environ.get("HOMEWARD_RIGHTS", "").partition(":")
    if not user or not world.broker.elsewhere:
        raise Skip("no broker with such rights: Tests/Programs/hostile/rabbitmq makes one")
    return forbidden(world, level, None, name=user, auth=True, password=password)


def forbidden(world, level=4, refused=EVERYBODY, **settings):
    """A broker that ends the connection over the topics of everybody, and grants the own ones."""
    _everybody(world)
    feeder = _receiver(world, 200)
    board = Board(world, 0, level, forbidden=refused, friends=True, **settings)
    board.has_connected(1)
    silent = _obeying([board])
    told = json.dumps((board.tracker.status() or {}))
    connections = len(board.relay.seen)
    time.sleep(5)
    feeder.stop()
    problems = []
    if len(board.relay.seen) > connections:
        problems.append("it asks for it again and again: %d connections" % len(board.relay.seen))
    if silent:
        problems.append("no command was obeyed, over %d connections" % connections)
    if EVERYBODY not in told:
        problems.append("status does not name %s" % EVERYBODY)
    kind = "SUBSCRIBE to %s ends the connection" % EVERYBODY + ("" if refused else ", by real rights")
    return dict(kind=kind, level=level, connections=connections,
                problems=problems)
