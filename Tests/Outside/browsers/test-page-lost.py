#!/usr/bin/env python3
# takes: 110 s
"""What fails is shown, what was known stays, and everything comes back by itself."""
import http.server
import os
import signal
import sys
import threading
import time

sys.path.insert(1, os.path.join(sys.path[0], "../../Programs/world"))
sys.path.insert(1, sys.path[0])
import visit
from servers import free_port
from world import claim, expect, main


def light(view):
    return view.locator("#light").get_attribute("data-colour")


def age(view):
    """Seconds, as the bar says."""
    text = view.locator("#age").inner_text()
    return int(text.split()[0]) if text.endswith(" s ago") else -1


def took(predicate, seconds, why):
    start = time.monotonic()
    visit.wait_until(predicate, seconds, why)
    return time.monotonic() - start


@claim("a broker that is killed makes the light amber within 2 s")
def broker(world):
    world.start()
    with visit.page(world) as view:
        visit.wait_until(lambda: light(view) == "green", 5, "it is not green at first")
        world.broker.kill()
        seconds = took(lambda: light(view) == "amber", 10, lambda: "it is %s" % light(view))
        print("   amber after %.1f s" % seconds)
        expect(seconds <= 2, "amber after %.1f s" % seconds)
        world.broker.start()
        visit.wait_until(lambda: light(view) == "green", 20, "it does not become green again")


@claim("a board that is lost: a banner within 5 s, the light grey, the last state stays and its age counts; then it is back by itself")
def board(world):
    world.start()
    with visit.page(world) as view:
        view.locator(".tracker.self").wait_for()
        visit.open_tab(view, "now")
        visit.wait_until(lambda: age(view) >= 0, 5, "no age")
        world.site.stop(signal.SIGKILL)
        seconds = took(lambda: view.locator("#banner").is_visible(), 8, "no banner")
        print("   banner after %.1f s" % seconds)
        expect(seconds <= 5, "banner after %.1f s" % seconds)
        expect(light(view) == "grey" and "not reached" in view.locator("#state").inner_text(), "the light is %s" % light(view))
        expect(view.locator(".tracker.self").count() == 1 and "Move" in view.locator("#mode").inner_text(), "the last state is gone")
        before = age(view)
        visit.wait_until(lambda: age(view) >= before + 2, 6, "the age stands still at %d s" % before)
        view.locator("[data-mode=quiet]").click()
        visit.shows(view, "#toasts", "did not answer")
        world.site.start()
        seconds = took(lambda: light(view) == "green", 10, "it does not come back")
        print("   back after %.1f s" % seconds)
        expect(seconds <= 6, "back after %.1f s" % seconds)
        expect(view.locator("#banner").is_hidden(), "the banner stays")


@claim("a board that says nothing at all any more, as when the phone has left the WiFi, is noticed within 5 s")
def silence(world):
    world.start()
    with visit.page(world) as view:
        view.locator(".tracker.self").wait_for()
        os.kill(world.site.pid, signal.SIGSTOP)
        try:
            seconds = took(lambda: view.locator("#banner").is_visible(), 12, "no banner")
            print("   banner after %.1f s" % seconds)
        finally:
            os.kill(world.site.pid, signal.SIGCONT)
        expect(seconds <= 5, "banner after %.1f s" % seconds)
        visit.wait_until(lambda: light(view) == "green", 10, "it does not come back")


@claim("a tracker that is restarted: the page says so, and has its new state within 5 s")
def tracker(world):
    world.start()
    with visit.page(world) as view:
        view.locator(".tracker.self").wait_for()
        world.tracker.kill()
        visit.wait_until(lambda: "no tracker" in view.locator("#state").inner_text(), 5, "nothing is said")
        expect(light(view) == "grey" and "does not answer" in view.locator("#banner").inner_text(), "the light is %s" % light(view))
        world.tracker.configure(monitoring=0)
        world.tracker.start()
        seconds = took(lambda: view.locator("#mode").inner_text() == "Manual" and view.locator("#banner").is_hidden(), 10, "the new state does not come")
        print("   back after %.1f s" % seconds)
        expect(seconds <= 5, "back after %.1f s" % seconds)


def show(view, is_shown):
    view.evaluate("""isShown => {
      Object.defineProperty(document, "hidden", { configurable: true, get: () => !isShown });
      document.dispatchEvent(new Event("visibilitychange"));
    }""", is_shown)


@claim("a hidden page costs the board nothing, though the network comes back, and is up to date when it is shown again")
def hidden(world):
    world.start()
    with visit.page(world) as view:
        view.locator(".tracker.self").wait_for()
        asked = []
        view.on("request", lambda request: asked.append(request.url))
        show(view, False)
        time.sleep(0.5)
        asked.clear()
        view.evaluate("dispatchEvent(new Event('online'))")
        world.tracker.ask("mode", "manual")
        time.sleep(3)
        view.evaluate("1")
        expect(not asked, "a hidden page has asked for %s" % asked)
        expect(view.locator("#mode").inner_text() == "Move", "its stream is still open")
        expect(view.locator("#banner").is_hidden(), "who has hidden the page is told that the board is lost")
        show(view, True)
        visit.wait_until(lambda: view.locator("#mode").inner_text() == "Manual", 5, "it is not up to date")


@claim("what came while the page was hidden is on the track and under Why when it is shown again, without any more news")
def missed(world):
    world.start()
    with visit.page(world) as view:
        visit.wait_until(lambda: visit.inside(view, "page.track.count") > 0, 60, "there is no track")
        visit.open_tab(view, "why")
        view.locator(".reason").first.wait_for()
        show(view, False)
        world.wait_for_locations(world.feed(world.drive(20), 10))
        world.tracker.ask("publish", "--poi", "Missed")
        expect(world.tracker.is_drained(), "something waits")
        time.sleep(1)
        before, count = visit.inside(view, "page.track.count"), world.tracker.status()["history"]
        expect(before < count, "a hidden page has taken all %d places" % count)
        reason = world.tracker.ask("why", "--json").json()["reasons"][-1]["text"]
        show(view, True)
        visit.wait_until(lambda: visit.inside(view, "page.track.count") == count, 60, lambda: "%s of %d places" % (visit.inside(view, "page.track.count"), count))
        visit.shows(view, "#panel-why li:first-child", reason, 60)


@claim("a page that is opened while the tracker does not answer has its map once it does, and the right to load it")
def late(world):
    asked, server = [], http.server.ThreadingHTTPServer(("127.0.0.1", free_port()), http.server.BaseHTTPRequestHandler)
    server.RequestHandlerClass = type("Tiles", (http.server.BaseHTTPRequestHandler,), {
        "do_GET": lambda self: (asked.append(self.path), self.send_error(404)), "log_message": lambda *_: None})
    threading.Thread(target=server.serve_forever, daemon=True).start()
    world._closing.append(server.shutdown)
    world.tracker.configure(osmTemplate="http://127.0.0.1:%d/{z}/{x}/{y}.png" % server.server_port)
    with visit.page(world) as view:
        visit.shows(view, "#state", "no tracker")
        # Whatever it asks by itself at first is over.
        time.sleep(5)
        world.start()
        view.locator("[data-kind=template]").wait_for()
        visit.wait_until(lambda: asked, 60, "no tile is asked for")
        visit.wait_until(lambda: light(view) == "green", 60, lambda: "the light is %s" % light(view))
        time.sleep(1)
        view.complaints.clear()
        visit.inside(view, "page.map.setZoom(17, { animate: false }) && 1")
        time.sleep(2)
        blocked = [line for line in view.complaints if "Content Security Policy" in line]
        expect(not blocked, blocked)


@claim("a page whose question for what it may do has failed asks it again, though nothing else does")
def unanswered(world):
    world.start()
    site, failed = visit.serve(world), []
    with visit.browser(cookie=site.pair("look"), url=site.url) as view:
        view.route("**/api/page", lambda route: route.continue_() if failed else (failed.append(1), route.fulfill(status=503, json={"ok": False})))
        view.goto(site.url)
        visit.wait_until(lambda: failed, 60, "nothing is asked")
        visit.wait_until(lambda: view.get_by_role("button", name="Publish").is_disabled(), 60, "who may look publishes")


@claim("without a fix, a clock or a network it is usable, and says what is missing", has_broker=False, has_gpsd=False)
def nothing(world):
    world.tracker.start()
    visit.wait_until(lambda: world.tracker.status(), 10, "the tracker does not start")
    with visit.page(world) as view:
        visit.shows(view, "#age", "no position")
        visit.wait_until(lambda: light(view) in ("amber", "blue"), 5, lambda: "the light is %s" % light(view))
        visit.open_tab(view, "now")
        visit.shows(view, "#part-position", "None yet")
        visit.shows(view, "#part-board", "gpsd is not reached")
        view.locator("[data-mode=manual]").click()
        visit.shows(view, "#mode", "Manual")
        visit.open_tab(view, "places")
        view.get_by_role("button", name="Add a place").click()
        view.get_by_label("Name", exact=True).fill("Home")
        view.get_by_label("Latitude").fill("48")
        view.get_by_label("Longitude").fill("16")
        view.locator("dialog[open]").get_by_role("button", name="Save").click()
        # The tracker trusts no clock, and the phone has one.
        visit.shows(view, "#panel-places", "Home")
        view.get_by_role("button", name="Publish").click()
        view.locator("dialog[open]").get_by_role("button", name="Publish").click()
        visit.shows(view, "#toasts", "no position yet")
        for tab in ("friends", "why", "settings"):
            visit.open_tab(view, tab)
        expect(not view.complaints, view.complaints)


if __name__ == "__main__":
    main()
