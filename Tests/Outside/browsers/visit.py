"""homeward-web before the tracker of a test's world, and real browsers before it.

    with visit.page(world) as view: ...     # Chromium, paired, at the front page

Debian's chromium-headless-shell; playwright comes by pip (Tests/Outside/browsers/install). `HOMEWARD_WEB`: another program.
"""
import contextlib
import hashlib
import http.client
import json
import os
import subprocess
import sys
import time

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Programs/world"))
from servers import Server, free_port, is_listening, poll
from tracker import BINARIES, ROOT
from world import Skip

VENV = os.environ.get("HOMEWARD_PAGE_VENV") or os.path.join(
    os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "homeward", "page-tests")


def _with_browsers():
    """Goes on in the Python that has playwright, where Tests/Outside/browsers/install has made one."""
    try:
        import playwright
    except ImportError:
        python = os.path.join(VENV, "bin", "python3")
        if os.path.exists(python) and sys.prefix == sys.base_prefix:
            os.execv(python, [python, *sys.argv])


_with_browsers()
WEB = os.environ.get("HOMEWARD_WEB", os.path.join(BINARIES, "homeward-web"))
CHROMIUM = "/usr/bin/chromium-headless-shell"
PHONE, DESK = {"width": 390, "height": 844}, {"width": 1280, "height": 800}
CODE = "ABCDEFGH"


class Site(Server):
    """homeward-web for one tracker; the page is packed from this checkout."""

    def __init__(self, world, *options):
        super().__init__("homeward-web", world.folder)
        self.world, self.port, self.options = world, free_port(), list(options)
        self.files, self.run, self.state = (os.path.join(world.folder, name) for name in ("page", "web-run", "web-state"))
        for folder in (self.run, self.state):
            os.makedirs(folder, exist_ok=True)
        subprocess.run([os.path.join(ROOT, "board", "page"), self.files], check=True)
        world._closing.append(self.kill)

    @property
    def url(self):
        return "http://127.0.0.1:%d" % self.port

    def start(self):
        self.spawn([WEB, "--listen", "127.0.0.1:%d" % self.port, "--page", self.files, "--control",
                    self.world.tracker.socket, "--state", self.state, "--run", self.run, "--idle", "0", *self.options])
        if not poll(lambda: is_listening(self.port), 10):
            raise RuntimeError("homeward-web does not listen\n" + self.log())
        return self

    def pair(self, may="change"):
        """The cookie of a new session, as `name=value`."""
        leave_code(self, may)
        answer = self.ask("POST", "/pair", "c=%s-%s" % (CODE[:4], CODE[4:]), Origin=self.url)
        if answer.status != 303:
            raise AssertionError("pairing: %d" % answer.status)
        return answer.getheader("Set-Cookie").split(";")[0]

    def ask(self, method, path, body=None, **headers):
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        line.request(method, path, body=body, headers=headers)
        return line.getresponse()


def leave_code(site, may="change"):
    """As `homeward web` does, for ten minutes."""
    code = os.path.join(site.run, "code")
    # In one piece: the server may look at it at any time.
    with open(code + ".new", "w") as file:
        json.dump({"code": hashlib.sha256(CODE.encode()).hexdigest(), "made": time.clock_gettime_ns(time.CLOCK_BOOTTIME), "may": may, "failures": 0}, file)
    os.rename(code + ".new", code)


def serve(world, *options):
    if not os.access(WEB, os.X_OK):
        raise AssertionError("%s is not built" % WEB)
    world.site = Site(world, *options).start()
    return world.site


@contextlib.contextmanager
def browser(width=PHONE, *arguments, cookie=None, url=None, **context):
    """A page of a new browser; what it complains of is in `page.complaints`, whom it asked in `page.hosts`."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise Skip("playwright is not installed (Tests/Outside/browsers/install)")
    if not os.path.exists(CHROMIUM):
        raise Skip("chromium-headless-shell is not installed")
    with sync_playwright() as engine:
        chromium = engine.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", *arguments])
        made = chromium.new_context(viewport=width, has_touch=width["width"] < 800, **context)
        if cookie:
            name, value = cookie.split("=", 1)
            made.add_cookies([{"name": name, "value": value, "url": url, "httpOnly": True, "sameSite": "Strict"}])
        page = made.new_page()
        page.set_default_timeout(60000)
        page.complaints, page.hosts = [], set()
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.on("console", lambda line: page.complaints.append("%s %s" % (line.text, line.location.get("url"))) if line.type == "error" else None)
        page.on("request", lambda request: page.hosts.add(request.url.split("/")[2]) if request.url.startswith("http") else None)
        try:
            yield page
        finally:
            chromium.close()


@contextlib.contextmanager
def page(world, width=PHONE, *arguments, may="change", options=(), **context):
    """The front page in a new browser, before a new server unless one runs."""
    site = getattr(world, "site", None) or serve(world, *options)
    with browser(width, *arguments, cookie=site.pair(may), url=site.url, **context) as view:
        view.goto(site.url)
        yield view


def inside(view, script):
    """Evaluates with `page`, the exports of the joined page.js."""
    return view.evaluate("import('/page.js').then(page => (%s))" % script)


def wait_until(predicate, seconds, why):
    """`predicate` may look into the browser: that also lets its events through."""
    end = time.monotonic() + seconds
    while not (value := predicate()):
        if time.monotonic() > end:
            raise AssertionError(why() if callable(why) else why)
        time.sleep(0.05)
    return value


def shows(view, selector, text, seconds=10):
    """Waits until the text is there."""
    last = [""]

    def good():
        last[0] = " / ".join(view.locator(selector).all_inner_texts())
        return text in last[0]

    wait_until(good, seconds, lambda: "%s shows %r, not %r" % (selector, last[0][:300], text))


def open_tab(view, name):
    view.locator("#tab-%s" % name).click()
    view.locator("#panel-%s h2" % name).first.wait_for()
