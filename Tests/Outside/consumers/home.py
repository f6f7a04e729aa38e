"""A Home Assistant of a test's own: started, asked and ended."""
import json
import os
import select
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(HERE, "../../Programs/world"))
from nmea import degrees  # noqa: E402
from servers import _die_with_parent, free_port, poll  # noqa: E402
from world import expect  # noqa: E402

PYTHON = os.environ.get("HOMEWARD_HOME_ASSISTANT", "python3")


def stays(entity):
    """It tells of the last place, which is true of a board that is gone as well. `entity`: its name and what is known
    of it."""
    name, value = entity
    return name in ("device_tracker.board_place", "sensor.board_accuracy", "sensor.board_seen") or (
        value["attributes"].get("icon") == "mdi:map-marker-radius")


class Home:
    """`place`: where zone.home is, metres east and north of where the test drives begin; `zones`: more of them, each
    with its name, its place and its radius."""

    def __init__(self, world, place=(0.0, 0.0), zones=()):
        self.world, self.place, self.process = world, place, None
        self.zones = ["%s,%f,%f,%f" % (name, *degrees(where), radius) for name, where, radius in zones]
        self.http_port = free_port()
        self.folder = os.path.join(world.folder, "hass")
        world._closing.append(self.kill)

    def start(self):
        latitude, longitude = degrees(self.place)
        with open(os.path.join(self.world.folder, "hass.log"), "ab") as log:
            self.process = subprocess.Popen(
                [PYTHON, os.path.join(HERE, "house.py"), self.folder, str(self.world.broker.port),
                 str(self.http_port), str(latitude), str(longitude), *self.zones],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, preexec_fn=_die_with_parent)
        self._answer(180)
        return self

    def stop(self):
        """In order: what it knows of its entities is kept."""
        self._ask("stop")
        self.process.wait(20)
        self.process = None

    def restart(self):
        self.stop()
        return self.start()

    def kill(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None

    def _ask(self, line, seconds=60):
        self.process.stdin.write((line + "\n").encode())
        self.process.stdin.flush()
        return self._answer(seconds)

    def _answer(self, seconds):
        """Lines of others are passed over."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if not select.select([self.process.stdout], [], [], 0.2)[0]:
                continue
            line = self.process.stdout.readline()
            if not line:
                raise AssertionError("Home Assistant has ended: %s" % self.log()[-400:].replace("\n", " / "))
            if line[:1] in b"{[":
                return json.loads(line)
        raise AssertionError("Home Assistant does not answer")

    def log(self):
        with open(os.path.join(self.world.folder, "hass.log"), errors="replace") as file:
            return file.read()

    def states(self):
        return self._ask("states")

    def state(self, entity):
        """Nil where there is none."""
        return self.states().get(entity, {}).get("state")

    def of_board(self, of_last_place=True):
        """What discovery has made, by entity; the tracker of the owntracks integration is none of it. `of_last_place`:
        with what stays when the board goes."""
        return {name: value["state"] for name, value in self.states().items()
                if (name.split(".")[1].startswith("board_") or name == "device_tracker.board")
                and (of_last_place or not stays((name, value)))}

    def last_place(self):
        """What stays when the board goes, by entity."""
        return {name: (value["state"], [value["attributes"].get(key) for key in ("latitude", "longitude")])
                for name, value in self.states().items()
                if name.split(".")[1].startswith("board_") and stays((name, value))}

    def history(self, entity):
        """Every state that it has had since this Home Assistant was started, in order, without repeats."""
        return self.histories().get(entity, [])

    def histories(self):
        """The same of every entity."""
        return self._ask("history")

    def arrivals(self):
        """What has told an automation that the board came home: a trigger and its entity, each time."""
        return self._ask("arrivals")

    def leap(self, seconds):
        """So much time is over for all that it waits for."""
        self._ask("leap %f" % seconds)

    def call(self, domain, service, **data):
        self._ask("call %s %s %s" % (domain, service, json.dumps(data)))

    def complaints(self):
        return self._ask("complaints")

    def expect_state(self, entity, wanted, seconds=10.0, when=""):
        expect(poll(lambda: self.state(entity) == wanted, seconds, every=0.1),
               "%s: %s is %s, not %s" % (when, entity, self.state(entity), wanted))

    def expect_gone(self, when, seconds=15.0):
        """All that discovery has made is unavailable, and stays so, but for what tells of the last place."""
        def alive():
            # Events and the button have no state to speak of, and are unavailable like the rest.
            return {name: state for name, state in self.of_board(False).items() if state != "unavailable"}
        expect(poll(lambda: not alive(), seconds, every=0.2), "%s: alive %s" % (when, alive()))
        time.sleep(1)
        expect(not alive(), "%s: alive again %s" % (when, alive()))
        expect(self.of_board(False), "%s: there is nothing at all" % when)

    def expect_there(self, when, seconds=15.0):
        """All that discovery has made is available."""
        def gone():
            return {name: state for name, state in self.of_board().items() if state == "unavailable"}
        expect(poll(lambda: self.of_board() and not gone(), seconds, every=0.2),
               "%s: unavailable %s" % (when, gone() or "or nothing at all"))
