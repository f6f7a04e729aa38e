"""An OwnTracks Recorder of a test's own: started, looked at and ended. HOMEWARD_RECORDER names its program; without
it ot-recorder is looked for in PATH. Debian does not have it. To build it, with libconfig-dev, liblmdb-dev,
libsodium-dev, libcurl4-openssl-dev and libmosquitto-dev installed:

    git clone https://github.com/owntracks/recorder && cd recorder && cp config.mk.in config.mk
    make WITH_TZ=no WITH_ENCRYPT=yes WITH_TOURS=no
"""
import json
import os
import shutil
import subprocess

from servers import _die_with_parent, free_port, poll
from world import Skip, expect

PROGRAM = os.environ.get("HOMEWARD_RECORDER") or shutil.which("ot-recorder")
USER, DEVICE = "ute", "board"


class Recorder:
    def __init__(self, world, key=None):
        if not PROGRAM:
            raise Skip("no ot-recorder in PATH, and HOMEWARD_RECORDER is not set (recorder.py says how to build it)")
        self.world, self.process, self.port = world, None, free_port()
        self.store = os.path.join(world.folder, "recorder")
        os.makedirs(self.store)
        self._run("--initialize")
        if key:
            loaded = subprocess.run(
                [os.path.join(os.path.dirname(PROGRAM), "ocat"), "-S", self.store, "--load=keys"],
                input="%s-%s %s\n" % (USER, DEVICE, key), text=True, capture_output=True)
            expect(loaded.returncode == 0, "ocat took no key: %s" % loaded.stderr)
        world._closing.append(self.kill)

    def _run(self, *words):
        subprocess.run([PROGRAM, "-S", self.store, *words], check=True, capture_output=True)

    def start(self, *topics):
        log = open(os.path.join(self.world.folder, "recorder.log"), "ab")
        self.process = subprocess.Popen(
            [PROGRAM, "-S", self.store, "--norevgeo", "-H", "127.0.0.1", "-p", str(self.world.broker.port),
             "--doc-root", self.store, "--http-host", "127.0.0.1", "--http-port", str(self.port), *(topics or ("owntracks/#",))],
            stdout=log, stderr=log, preexec_fn=_die_with_parent)
        log.close()
        # It says nothing of its subscription: what a stranger sends is seen in its store.
        probe = {"_type": "location", "lat": 1, "lon": 2, "tid": "pr", "tst": 1385997757}
        seen = os.path.join(self.store, "last", "probe", "probe", "probe-probe.json")

        def listens():
            self.world.watcher.publish("owntracks/probe/probe", json.dumps(probe).encode())
            return os.path.exists(seen)
        expect(poll(listens, 10, every=0.3), "the Recorder does not listen")
        return self

    def kill(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None

    def is_alive(self):
        return self.process.poll() is None

    def kept(self):
        """What it has written of the board, in order: (kind, object); `*` is a location."""
        folder, found = os.path.join(self.store, "rec", USER, DEVICE), []
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                for line in file:
                    _, kind, text = line.rstrip("\n").split("\t", 2)
                    found.append((kind.strip(), json.loads(text)))
        return found

    def last(self):
        """The place that it shows of the board."""
        path = os.path.join(self.store, "last", USER, DEVICE, "%s-%s.json" % (USER, DEVICE))
        with open(path, encoding="utf-8") as file:
            return json.load(file)

    def photo(self):
        """Where it lies depends on the Recorder's version."""
        for folder, _, names in os.walk(os.path.join(self.store, "photos", USER)):
            for name in names:
                with open(os.path.join(folder, name), "rb") as file:
                    return file.read()
        return None
