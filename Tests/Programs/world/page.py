"""homeward-web under test, and a browser of few words."""
import gzip
import hashlib
import json
import os
import socket
import sqlite3
import subprocess
import threading
import time
import urllib.parse

from servers import Server, free_port
from tracker import BINARIES, COMMAND_LINE, Answer, memory
from waiting import IN_THE_END, in_the_end
from world import expect

WEB = os.path.join(BINARIES, "homeward-web")
FILES = {"index.html": b"<!doctype html><title>page</title>", "page.js": b"import './words.js'\n", "page.css": b"a{}",
         "icon.svg": b"<svg/>", "leaflet.js": b"/* Leaflet 1.7.1 */", "leaflet.css": b".leaflet{}"}
PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(100)


class Reply:
    """What came: status, headers (lower case) and body."""

    def __init__(self, raw):
        head, _, body = raw.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        self.status = int(lines[0].split()[1]) if lines[0] else 0
        self.headers = {}
        for line in lines[1:]:
            name, _, value = line.partition(":")
            self.headers.setdefault(name.lower(), value.strip())
        if self.headers.get("transfer-encoding") == "chunked":
            body = unchunked(body)
        self.body = body

    def json(self):
        return json.loads(self.body)


def unchunked(body):
    whole = b""
    while body:
        size, _, body = body.partition(b"\r\n")
        count = int(size or b"0", 16)
        if not count:
            break
        whole, body = whole + body[:count], body[count + 2:]
    return whole


class PageServer(Server):
    """With files of its own for a page, and folders for sessions and the code."""

    def __init__(self, folder, control):
        super().__init__("homeward-web", folder)
        self.port, self.control, self.cookie = free_port(), control, None
        self.page, self.state, self.run = (os.path.join(folder, name) for name in ("page", "web", "web-run"))
        for place in (self.page, self.state, self.run):
            os.makedirs(place, exist_ok=True)
        for name, content in FILES.items():
            with open(os.path.join(self.page, name + ".gz"), "wb") as file:
                file.write(gzip.compress(content, mtime=0))

    @property
    def host(self):
        return "127.0.0.1:%d" % self.port

    def words(self, *more):
        return [WEB, "--page", self.page, "--control", self.control, "--state", self.state, "--run", self.run, *more]

    def start(self, *more, idle=0):
        self.spawn(self.words("--listen", self.host, "--idle", str(idle), *more))
        assert in_the_end(lambda: self.answers()), "it does not listen: %s" % self.log()
        return self

    def answers(self):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    seen = 0

    def memory(self):
        """Kilobytes that it has now (RSS)."""
        self.seen = memory(self.pid)["Rss"]
        return self.seen

    # The command line beside it

    def homeward(self, *words, env=None):
        return Answer(subprocess.run([COMMAND_LINE, "web", *words], capture_output=True, text=True, timeout=60,
                                     env={**os.environ, **(env or {})}))

    def code(self, *words):
        """A new code, as `homeward web` prints it."""
        answer = self.homeward(*words, "--run", self.run, "--json")
        assert answer.status == 0, answer.error
        return answer.json()["code"]

    def pair(self, *words):
        """Comes in with a new code; the cookie is kept for all that follows."""
        reply = self.show(self.code(*words))
        assert reply.status == 303, reply.status
        self.cookie = reply.headers["set-cookie"].partition(";")[0]
        return self.cookie

    # The browser

    def connect(self, seconds=2 * IN_THE_END, source="127.0.0.1"):
        """`source`: the visitor's own address, any of 127.0.0.0/8."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=seconds, source_address=(source, 0))

    def head(self, method, path, cookie=None, host=None, headers=(), length=None):
        cookie = self.cookie if cookie is None else cookie
        lines = ["%s %s HTTP/1.1" % (method, path), "Host: " + (self.host if host is None else host)]
        lines += ["Cookie: " + cookie] if cookie else []
        lines += ["Content-Length: %d" % length] if length is not None else []
        return "\r\n".join(lines + list(headers) + ["", ""]).encode()

    def ask(self, method, path, body=None, seconds=2 * IN_THE_END, **more):
        """One request on a connection of its own."""
        more["headers"] = [*more.get("headers", ()), "Connection: close"]
        head = self.head(method, path, length=None if body is None else len(body), **more)
        with self.connect(seconds) as line:
            try:
                line.sendall(head + (body or b""))
            except OSError:
                pass  # it was answered before all of it was sent
            raw = b""
            try:
                while piece := line.recv(65536):
                    raw += piece
            except ConnectionError:
                pass
        return Reply(raw)

    def get(self, path, **more):
        return self.ask("GET", path, **more)

    def do(self, words, origin=None, kind="application/json", body=None, **more):
        headers = [*more.pop("headers", ())]
        headers += ["Origin: " + (origin if origin is not None else "http://" + self.host)] if origin != "" else []
        headers += ["Content-Type: " + kind] if kind else []
        body = json.dumps(words).encode() if body is None else body
        return self.ask("POST", "/api/do", body, headers=headers, **more)

    def show(self, code, origin=None, cookie=""):
        """What the form does in which somebody types a code."""
        headers = ["Content-Type: application/x-www-form-urlencoded"]
        headers += ["Origin: " + ("http://" + self.host if origin is None else origin)] if origin != "" else []
        body = urllib.parse.urlencode({"c": code}).encode()
        return self.ask("POST", "/pair", body, headers=headers, cookie=cookie)

    def events(self, seconds=2 * IN_THE_END):
        return Events(self, seconds)

    def write_code(self, words, may="change", age=0.0, failures=0):
        """What `homeward web` would have left so many seconds ago."""
        made = int((time.clock_gettime(time.CLOCK_BOOTTIME) - age) * 1e9)
        plain = words.replace("-", "").upper()
        with open(os.path.join(self.run, "code"), "w") as file:
            json.dump({"code": hashlib.sha256(plain.encode()).hexdigest(), "made": made, "may": may,
                       "failures": failures}, file)


class Events:
    """An open page's stream of events."""

    def __init__(self, server, seconds):
        self.line = server.connect(seconds)
        self.line.sendall(server.head("GET", "/api/events"))
        self.buffer, self.head = b"", b""
        while b"\r\n\r\n" not in self.buffer:
            piece = self.line.recv(65536)
            if not piece:
                break
            self.buffer += piece
        self.head, _, self.buffer = self.buffer.partition(b"\r\n\r\n")
        self.status = int(self.head.split()[1]) if self.head else 0

    def is_over(self):
        """Whether the server has ended it; what it says meanwhile is lost."""
        self.line.settimeout(0.1)
        try:
            return self.line.recv(65536) == b""
        except (TimeoutError, socket.timeout):
            return False
        except ConnectionError:
            return True

    def next(self, seconds=IN_THE_END):
        """(event, value) of the next one that is no comment; None: nothing came in that time, or it is over."""
        end = time.monotonic() + seconds
        while True:
            text = self._text()
            while b"\n\n" in text:
                entry, _, text = text.partition(b"\n\n")
                self._taken += len(entry) + 2
                if entry.startswith(b"event: "):
                    name, _, data = entry.partition(b"\n")
                    return name[7:].decode(), json.loads(data[6:])
            self.line.settimeout(max(0.01, end - time.monotonic()))
            try:
                piece = self.line.recv(65536)
            except (TimeoutError, socket.timeout, ConnectionError):
                return None
            if not piece or time.monotonic() > end:
                return None
            self.buffer += piece

    _taken = 0

    def _text(self):
        return unchunked(self.buffer if self.buffer.endswith(b"\r\n") else self.buffer + b"\r\n")[self._taken:]

    def until(self, event, seconds=IN_THE_END, like=lambda value: True):
        """The value of the first event of this name that is liked; None: there was none in that time."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found = self.next(end - time.monotonic())
            if found is None:
                return None
            if found[0] == event and like(found[1]):
                return found[1]
        return None

    def is_over(self, seconds=IN_THE_END):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.line.settimeout(max(0.01, end - time.monotonic()))
            try:
                if not self.line.recv(65536):
                    return True
            except ConnectionError:
                return True
            except (TimeoutError, socket.timeout):
                return False
        return False

    def close(self):
        self.line.close()


class Relay:
    """Between page and tracker: counts the questions. `changed(question)` is asked in their place; None: it hangs up."""

    def __init__(self, world, server, changed=lambda question: question):
        self.path, self.count, self.target = os.path.join(world.folder, "relay"), 0, server.control
        self.changed = changed
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen(64)
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self):
        while True:
            line, _ = self.listener.accept()
            self.count += 1
            with line, socket.socket(socket.AF_UNIX) as tracker:
                question = b""
                while b"\n" not in question and (piece := line.recv(65536)):
                    question += piece
                if (question := self.changed(question)) is None:
                    continue
                tracker.connect(self.target)
                tracker.sendall(question)
                while piece := tracker.recv(65536):
                    line.sendall(piece)


def make_tiles(path, form="png"):
    """A map with one picture at 3/1/2 as browsers count."""
    with sqlite3.connect(path) as base:
        base.executescript("create table metadata (name text, value text);"
                           "create table tiles (zoom_level int, tile_column int, tile_row int, tile_data blob);")
        base.executemany("insert into metadata values (?, ?)", [("format", form), ("minzoom", "2"), ("maxzoom", "5")])
        base.execute("insert into tiles values (3, 1, 5, ?)", (PICTURE,))
    base.close()


def server_of(world, *words, paired=True, idle=0, **settings):
    """A page beside a tracker that runs."""
    if settings:
        world.tracker.configure(**settings)
    world.tracker.start()
    expect(world.tracker.wait_for_status(lambda _: True), "the tracker does not answer")
    server = PageServer(world.folder, world.tracker.socket)
    world._closing.append(server.kill)
    server.start(*words, idle=idle)
    if paired:
        server.pair()
    return server
