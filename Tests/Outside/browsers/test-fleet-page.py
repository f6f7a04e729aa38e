#!/usr/bin/env python3
# takes: 70 s
# behaviour: Fleets
"""The page of a whole fleet, from a folder of a web server: states as the command says, a thousand boards, bad lines,
names with markup, a list that changes, ends or grows old, by keyboard and on a phone."""
import contextlib
import functools
import http.server
import json
import os
import random
import subprocess
import sys
import threading
import time

sys.path.insert(1, os.path.join(sys.path[0], "../../Programs/world"))
sys.path.insert(1, sys.path[0])
import visit
from servers import free_port
from tracker import COMMAND_LINE, ROOT
from world import Skip, claim, expect, main

PAGE, LEAFLET = os.path.join(ROOT, "fleet", "page"), "/usr/share/javascript/leaflet/leaflet.min.js"
NOTHING = {"has_broker": False, "has_gpsd": False}
EVIL = "<img src=x onerror=window.owned=1><b id=markup>x</b>"
NOW = int(time.time())


class Site:
    """The folder as the README has it laid out, and the file that cron writes."""

    def __init__(self, world, lines, has_leaflet=True):
        self.folder = os.path.join(world.folder, "site")
        subprocess.run(["cp", "-rL", PAGE, self.folder], check=True)
        if has_leaflet:
            subprocess.run(["cp", LEAFLET, os.path.join(self.folder, "leaflet.js")], check=True)
        self.path, self.written = os.path.join(self.folder, "boards.jsonl"), 0
        self.write(lines)

        class Handler(http.server.SimpleHTTPRequestHandler):
            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", free_port()), functools.partial(Handler, directory=self.folder))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        world._closing.append(server.shutdown)
        self.host = "127.0.0.1:%d" % server.server_port

    def write(self, lines):
        with open(self.path + ".new", "w") as file:
            file.write("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines) + "\n")
        # Servers tell the time of a file in whole seconds: one of the same second would not be another one.
        self.written = max(self.written + 1, int(time.time()))
        os.utime(self.path + ".new", (self.written, self.written))
        os.rename(self.path + ".new", self.path)


def status(name, tst=NOW, **linux):
    return {"topic": "owntracks/%s/tracker/status" % name, "_type": "status", "tst": tst, "linux": {"online": True, "interval": 3600, "version": "1", **linux}}


def place(name, lat, lon, tst=NOW):
    return {"topic": "owntracks/%s/tracker" % name, "_type": "location", "tst": tst, "lat": lat, "lon": lon, "acc": 8, "vel": 50}


def invented(count):
    """Boards of all states, each with a place."""
    chance, lines = random.Random(7), []
    for number in range(count):
        name = "truck-%04d" % number
        lines.append(place(name, 48 + chance.gauss(0, 2), 12 + chance.gauss(0, 3)))
        kind = number % 50
        late = {"tst": NOW - 9000} if kind == 1 else {}
        gone = {2: {"version": None}, 3: {"reason": "stopped"}, 4: {"reason": "parked"}, 5: {"reason": "batteryLow"}}.get(kind)
        lines.append(status(name, **late, battery={"level": chance.randrange(5, 100)}, disk={"free": 1, "percent": chance.randrange(3, 90)},
                            certificateEnd=NOW + chance.choice([10, 300]) * 86400, **({"queueLength": chance.randrange(50)} if kind != 2 else {}),
                            **({"online": False, **gone} if gone else {})))
    return lines


@contextlib.contextmanager
def opened(world, lines, width=visit.DESK, has_leaflet=True, written=None, **context):
    if not os.path.exists(LEAFLET):
        raise Skip("libjs-leaflet is not installed")
    site = Site(world, lines, has_leaflet)
    if written:
        os.utime(site.path, (written, written))
    with visit.browser(width, "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", **context) as view:
        view.site = site
        view.goto("http://%s/" % site.host)
        yield view


def rows(view):
    return view.evaluate("[...document.querySelectorAll('tbody tr')].map(row => [row.dataset.topic, row.dataset.state])")


def again(view):
    """The page looks at its file as it does when somebody comes back to it."""
    view.evaluate("document.dispatchEvent(new Event('visibilitychange'))")


@claim("a thousand boards have the states that homeward fleet status gives them, and all of them are on the map", **NOTHING)
def states(world):
    with opened(world, invented(1000)) as view:
        visit.wait_until(lambda: len(rows(view)) == 1000, 30, lambda: "%d rows" % len(rows(view)))
        done = subprocess.run([COMMAND_LINE, "fleet", "status", "--json", "--from", view.site.path], capture_output=True, text=True)
        wanted = {board["topic"]: board["state"] for board in json.loads(done.stdout)["boards"]}
        expect(set(wanted.values()) == {"online", "overdue", "vanished", "stopped", "asleep"}, "%s" % set(wanted.values()))
        expect(dict(rows(view)) == wanted, "%s" % (set(rows(view) and map(tuple, rows(view))) ^ set(wanted.items())))
        visit.shows(view, "#state", "1,000 boards, 40 missing")
        expect(view.evaluate("import('./map/map.js').then(map => { let number = 0; map.map.eachLayer(layer => number += layer instanceof L.CircleMarker); return number; })") == 1000, "not all are on the map")
        expect(view.hosts == {view.site.host}, "asked %s" % view.hosts)
        expect(not view.complaints, view.complaints)


@claim("lines that are no board's are named with their number, and the others are shown", **NOTHING)
def bad(world):
    lines = ["{", place("a", 95, 5), status("a"), {"topic": "owntracks/b/tracker/status", "_type": "location"}, "", {"topic": "owntracks/a/tracker/event", "_type": "transition"}]
    with opened(world, lines) as view:
        visit.wait_until(lambda: rows(view) == [["owntracks/a/tracker", "online"]], 10, lambda: "%s" % rows(view))
        found = view.locator("#banner p").all_inner_texts()
        expect(len(found) == 3 and found[0].startswith("boards.jsonl: line 1: no JSON"), found)
        expect(found[1].startswith("boards.jsonl: line 2: a location without a place, expected") and found[2].startswith("boards.jsonl: line 4: no status of a board, expected"), found)
        view.site.write([str(number) for number in range(30)])
        again(view)
        visit.shows(view, "#banner", "and 25 other lines")
        visit.shows(view, "#note", "No board yet")


@claim("what boards are called and say is text, and the page's policy is in force", **NOTHING)
def markup(world):
    lines = [place(EVIL, 48, 16), status(EVIL, version=EVIL, reason=EVIL, online=False, lastEnd={"word": EVIL}, update={"result": EVIL, "version": EVIL}), EVIL]
    with opened(world, lines) as view:
        view.locator("tbody button").click()
        visit.shows(view, "#card", EVIL)
        visit.shows(view, "tbody", EVIL)
        visit.shows(view, ".label", EVIL)
        expect(view.locator("#markup").count() == 0 and view.locator("img").count() == 0, "markup of others has become elements")
        view.evaluate("() => { const script = document.createElement('script'); script.textContent = 'window.owned = 1'; document.head.append(script); }")
        expect(view.evaluate("window.owned") is None, "a script of others has run")
        view.complaints.clear()
        view.evaluate("fetch('http://127.0.0.1:9/').catch(() => 0)")
        expect(any("Content Security Policy" in line for line in view.complaints), "another host may be asked: %s" % view.complaints)


@claim("a list that is written anew is shown by itself; one that is gone or old is said to be, and what was read stays", **NOTHING)
def renewed(world):
    with opened(world, [status("a"), place("a", 48, 16)], written=NOW - 3600) as view:
        visit.shows(view, "#banner", "old: whatever writes it has stopped")
        visit.wait_until(lambda: rows(view) == [["owntracks/a/tracker", "online"]], 10, lambda: "%s" % rows(view))
        view.site.write([status("a", NOW - 9000), status("b")])
        # It looks without being told to.
        visit.wait_until(lambda: sorted(state for _, state in rows(view)) == ["online", "overdue"], 90, lambda: "%s" % rows(view))
        visit.shows(view, "#state", "2 boards, 1 missing")
        expect(view.locator("#banner").is_hidden(), "a fresh list is said to be old")
        os.rename(view.site.path, view.site.path + ".away")
        again(view)
        visit.shows(view, "#banner", "boards.jsonl: the server says 404")
        expect(len(rows(view)) == 2, "what was known is gone")
        os.rename(view.site.path + ".away", view.site.path)
        again(view)
        view.locator("#banner").wait_for(state="hidden")


@claim("the states are reckoned by the server's clock, not by that of a phone", **NOTHING)
def clocks(world):
    with opened(world, [status("a", NOW - 4000)]) as view:
        visit.wait_until(lambda: rows(view) == [["owntracks/a/tracker", "online"]], 10, lambda: "%s" % rows(view))
        view.add_init_script("const real = Date.now; Date.now = () => real() + 86400000;")
        view.reload()
        visit.wait_until(lambda: rows(view) == [["owntracks/a/tracker", "online"]], 10, lambda: "%s" % rows(view))


@claim("by the keyboard alone the list is searched and sorted, and a board is found on the map", **NOTHING)
def keyboard(world):
    lines = [status("alpha", battery={"level": 50}), status("beta", NOW - 9000, battery={"level": 9}), status("gamma"), place("beta", 60, 25), place("alpha", 48, 16)]
    with opened(world, lines) as view:
        visit.wait_until(lambda: len(rows(view)) == 3, 10, "no rows")
        names = lambda: [topic.split("/")[1] for topic, _ in rows(view)]
        expect(names() == ["beta", "alpha", "gamma"], "those that are missing do not come first: %s" % names())

        def press(wanted, key="Enter"):
            for _ in range(60):
                view.keyboard.press("Tab")
                if view.evaluate("document.activeElement.textContent") == wanted:
                    return view.keyboard.press(key)
            raise AssertionError("the keyboard does not come to %r" % wanted)

        press("Battery")
        expect(names() == ["beta", "alpha", "gamma"], "by battery: %s" % names())
        view.keyboard.press("Enter")
        expect(names() == ["alpha", "beta", "gamma"], "the other way round, the unknown at the end: %s" % names())
        expect(view.locator("th[aria-sort]").get_attribute("aria-sort") == "descending", "it is not told")
        view.locator("body").focus()
        press("1 overdue")
        expect(names() == ["beta"], "only the overdue: %s" % names())
        press("owntracks/beta/tracker")
        visit.shows(view, "#card", "overdue since")
        expect(view.locator("tr[aria-current]").get_attribute("data-topic") == "owntracks/beta/tracker", "no row is marked")
        centre = view.evaluate("import('./map/map.js').then(map => (c => [c.lat, c.lng])(map.map.getCenter()))")
        expect(abs(centre[0] - 60) < 0.1 and abs(centre[1] - 25) < 0.1, "the map shows %s" % centre)
        view.keyboard.press("Escape")
        view.locator("#card").wait_for(state="hidden")
        view.locator("#filter").focus()
        view.keyboard.type("GAMM")
        visit.shows(view, "#note", "No board is so")
        view.locator("[data-state=overdue][aria-pressed]").click()
        expect(names() == ["gamma"], "found: %s" % names())


@claim("a board that calls for help is red wherever it is shown, counted beside those that are missing, and hidden by no state", **NOTHING)
def sos(world):
    lines = [status("alpha"), place("alpha", 48, 16), status("beta", sos=2), place("beta", 60, 25), status("gamma", NOW - 9000), status("delta", online=False, reason="parked")]
    with opened(world, lines[:2], written=NOW - 300) as view:
        def write(lines, age):
            # Times of files are told in whole seconds: a list of the same one is none that is new.
            view.site.write(lines)
            os.utime(view.site.path, (NOW - age, NOW - age))
            again(view)

        visit.shows(view, "#state", "1 board")
        expect(view.locator("#light").get_attribute("data-colour") == "green" and view.locator("#states [data-state=sos]").is_hidden(), "somebody calls for help")
        visit.shows(view, ".label.board", "alpha")
        write([status("alpha", sos=3), *lines[1:]], 200)
        visit.shows(view, "#state", "4 boards, 1 missing; SOS from 2")
        done = subprocess.run([COMMAND_LINE, "fleet", "status", "--from", view.site.path], capture_output=True, text=True)
        expect("SOS from 2" in done.stdout and done.returncode == 1, "the command: %s" % done.stdout)
        visit.wait_until(lambda: view.title() == "SOS from 2 – (1) Fleet – Homeward", 5, lambda: view.title())
        write([status("alpha", sos=3), *lines[1:4]], 100)
        visit.shows(view, "#state", "2 boards; SOS from 2")
        expect(view.locator("#light").get_attribute("data-colour") == "red", "the light is %s" % view.locator("#light").get_attribute("data-colour"))
        dots = lambda: view.evaluate("""import('./map/map.js').then(map => {
          const found = {};
          map.map.eachLayer(layer => { if (layer instanceof L.CircleMarker) found[layer.getLatLng().lat] = [layer.options.fillColor, layer.options.radius]; });
          return found;
        })""")
        red = view.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--red').trim()")
        expect(dots()["48"] == [red, 10], "the map, since it calls: %s" % dots())
        write(lines, 50)
        visit.shows(view, "#state", "4 boards, 1 missing; SOS from 1")
        ground = lambda name: view.evaluate("name => getComputedStyle(document.querySelector(`tr[data-topic*=${name}] td[data-column=state]`), '::before').backgroundColor", name)
        expect(ground("beta") == ground("gamma") != ground("alpha"), "the list: %s" % [ground(name) for name in ("alpha", "beta", "gamma")])
        expect(dots()["60"] == [red, 10] and dots()["48"][0] != red, "the map: %s" % dots())
        view.get_by_role("button", name="Show all boards").click()
        visit.wait_until(lambda: sorted(view.locator(".label.board").all_inner_texts()) == ["SOS beta", "alpha"], 10,
                         lambda: "names on the map: %s" % view.locator(".label.board").all_inner_texts())
        names = lambda: [topic.split("/")[1] for topic, _ in rows(view)]
        expect(names() == ["beta", "gamma", "delta", "alpha"], "the order is %s" % names())
        press = lambda state: view.locator("#states [data-state=%s]" % state).click()
        press("asleep")
        expect(names() == ["beta", "delta"], "asleep, and who calls for help: %s" % names())
        press("sos")
        expect(names() == ["beta"], "who calls for help: %s" % names())


@claim("without Leaflet there is the list, and the map says what it lacks", **NOTHING)
def bare(world):
    with opened(world, invented(50), has_leaflet=False) as view:
        visit.wait_until(lambda: len(rows(view)) == 50, 10, "no rows")
        visit.shows(view, "#map", "leaflet.js")
        view.locator("tbody button").first.click()
        visit.shows(view, "#card", "overdue since")


def examine(view, where):
    try:
        from axe_playwright_python.sync_playwright import Axe
    except ImportError:
        raise Skip("axe-playwright-python is not installed (Tests/Outside/browsers/install)")
    problems = ["%s: %s" % (each["id"], each["nodes"][0]["target"]) for each in Axe().run(view).response["violations"]]
    expect(not problems, "%s: %s" % (where, problems))


for width, name in ((visit.PHONE, "phone"), (visit.DESK, "desk")):
    for scheme in ("light", "dark"):

        @claim("axe-core finds nothing on a %s, %s, every target is 44 px, and nothing sticks out" % (name, scheme), **NOTHING)
        def seen(world, width=width, scheme=scheme, name=name):
            with opened(world, ["{", *invented(60)], width, color_scheme=scheme) as view:
                visit.wait_until(lambda: len(rows(view)) == 60, 10, "no rows")
                view.locator("tbody button").first.click()
                visit.shows(view, "#card", "overdue since")
                examine(view, "%s, %s" % (name, scheme))
                small = view.evaluate("""() => [...document.querySelectorAll("button, input")].filter(element => element.checkVisibility())
                  .map(element => [element.getBoundingClientRect(), element]).filter(([box]) => box.height < 43.5 || box.width < 43.5)
                  .map(([box, element]) => `${element.outerHTML.slice(0, 80)} ${box.width}x${box.height}`)""")
                expect(not small, small)
                wide = view.evaluate("document.documentElement.scrollWidth > innerWidth")
                expect(not wide, "the page is wider than the screen")
                if width is visit.PHONE:
                    out = view.evaluate("[...document.querySelectorAll('tbody *')].filter(cell => cell.getBoundingClientRect().right > innerWidth + 1).map(cell => cell.outerHTML)")
                    expect(not out, out)
                expect(not view.complaints, view.complaints)


if __name__ == "__main__":
    main()
