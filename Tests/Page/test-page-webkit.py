#!/usr/bin/env python3
# takes: 20 s
"""The engine of every iPhone: the page works in WebKit as well (WebKitGTK's MiniBrowser, in a display of its own)."""
import os
import shutil
import subprocess
import sys
import time

sys.path.insert(1, os.path.join(sys.path[0], "..", "EndToEnd", "world"))
sys.path.insert(1, sys.path[0])
import visit
from crowd import TOPIC, befriend, waypoint
from servers import Server, free_port, is_listening, poll
from world import Skip, claim, expect, main

MINI_BROWSERS = ["/usr/lib/%s-linux-gnu/webkit2gtk-%s/MiniBrowser" % (machine, version)
                 for machine in ("x86_64", "aarch64") for version in ("4.1", "4.0", "6.0")]


class WebKit:
    """A session in an X server that nobody sees."""

    def __init__(self, world):
        try:
            from selenium import webdriver
            from selenium.webdriver.common.by import By
        except ImportError:
            raise Skip("selenium is not installed (Tests/Page/install)")
        program = next((path for path in MINI_BROWSERS if os.path.exists(path)), None)
        if not program or not shutil.which("WebKitWebDriver") or not shutil.which("Xvfb"):
            raise Skip("webkit2gtk-driver or xvfb is not installed")
        self.by, port = By.CSS_SELECTOR, free_port()
        display = Server("Xvfb", world.folder)
        number = next(number for number in range(90, 190) if not os.path.exists("/tmp/.X11-unix/X%d" % number))
        display.spawn([shutil.which("Xvfb"), ":%d" % number, "-screen", "0", "1280x900x24"])
        world._closing.append(display.kill)
        poll(lambda: os.path.exists("/tmp/.X11-unix/X%d" % number), 10)
        surroundings = dict(os.environ, DISPLAY=":%d" % number, HOME=world.folder, WEBKIT_DISABLE_COMPOSITING_MODE="1",
                            WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS="1", LIBGL_ALWAYS_SOFTWARE="1", NO_AT_BRIDGE="1")
        driver = Server("WebKitWebDriver", world.folder)
        driver.spawn([shutil.which("WebKitWebDriver"), "--port=%d" % port], env=surroundings)
        world._closing.append(driver.kill)
        expect(poll(lambda: is_listening(port), 10), "WebKitWebDriver does not listen")
        options = webdriver.WebKitGTKOptions()
        options.binary_location = program
        options.add_argument("--automation")
        self.session = webdriver.Remote("http://127.0.0.1:%d" % port, options=options)
        world._closing.append(self.session.quit)
        self.session.set_script_timeout(10)

    def find(self, selector):
        return self.session.find_elements(self.by, selector)

    def wait(self, selector, text="", seconds=15):
        """The first such element with this text."""
        from selenium.common.exceptions import StaleElementReferenceException

        def found():
            try:
                return next((each for each in self.find(selector) if text in (each.text or each.get_attribute("textContent"))), None)
            except StaleElementReferenceException:
                return None

        element = poll(found, seconds, every=0.1)
        expect(element, "no %s with %r" % (selector, text))
        return element


@claim("in WebKit: paired by its address, the map with everybody, modes, places and settings", friends=True, waypoints=[waypoint("Home", 0, 0, 200, 1700000000)])
def works(world):
    world.start()
    befriend(world, TOPIC, "JJ", 200, 100, "Jane")
    world.feed(world.drive(10), 10)
    site = visit.serve(world)
    site.pair()
    web = WebKit(world)
    # The first pairing was the test's own: a browser does it by opening the address.
    visit.leave_code(site)
    web.session.get(site.url + "/pair?c=%s-%s" % (visit.CODE[:4], visit.CODE[4:]))
    web.wait("#state", "connected")
    web.wait(".tracker.self")
    web.wait(".tracker.friend", "JJ")
    expect(web.find("path.region"), "no region")
    expect(web.find(".grid-line"), "no grid")
    web.wait("#tab-now").click()
    web.wait("[data-mode=quiet]").click()
    web.wait("#mode", "Quiet")
    expect(world.tracker.status()["mode"] == "quiet", "the tracker is in %s" % world.tracker.status()["mode"])
    web.wait("#tab-places").click()
    web.wait("#panel-places", "Home")
    web.wait("#panel-places [data-act=edit]").click()
    name = web.wait("dialog[open] input[type=text]")
    name.clear()
    name.send_keys("Camp")
    web.wait("dialog[open] button[type=submit]").click()
    poll(lambda: world.tracker.ask("region", "list", "--json").json()["regions"][0]["desc"] == "Camp", 5)
    expect(world.tracker.ask("region", "list", "--json").json()["regions"][0]["desc"] == "Camp", "it was not renamed")
    for tab in ("friends", "why", "settings"):
        web.wait("#tab-%s" % tab).click()
        web.wait("#panel-%s h2" % tab)
    world.broker.kill()
    web.wait("#state", "waiting")
    site.kill()
    web.wait("#banner", "does not reach the board")
    site.start()
    web.wait("#state", "waiting")


if __name__ == "__main__":
    main()
