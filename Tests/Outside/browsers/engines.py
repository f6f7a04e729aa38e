"""Browsers other than Chromium, each with its own driver behind one face."""
import logging
import os
import shutil

from servers import Server, free_port, is_listening, poll
from world import Skip, expect

FIREFOX = "/usr/bin/firefox-esr"
MINI_BROWSERS = ["/usr/lib/%s-linux-gnu/webkit2gtk-%s/MiniBrowser" % (machine, version)
                 for machine in ("x86_64", "aarch64") for version in ("4.1", "4.0", "6.0")]


class Engine:
    """A session of a browser, as far as the drivers of all of them agree."""

    session = by = None

    def find(self, selector):
        return self.session.find_elements(self.by, selector)

    def wait(self, selector, text="", seconds=15):
        """The first such element with this text."""
        def found():
            try:
                return next((each for each in self.find(selector) if text in (each.text or self.content(each))), None)
            except self.gone:
                return None

        element = poll(found, seconds, every=0.1)
        expect(element, "no %s with %r" % (selector, text))
        return element


class WebKit(Engine):
    """The engine of every iPhone: WebKitGTK's MiniBrowser, in an X server that nobody sees."""

    def __init__(self, world):
        try:
            from selenium import webdriver
            from selenium.webdriver.common.by import By
        except ImportError:
            raise Skip("selenium is not installed (Tests/Outside/browsers/install)")
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

    @property
    def gone(self):
        from selenium.common.exceptions import StaleElementReferenceException
        return StaleElementReferenceException

    def content(self, element):
        return element.get_attribute("textContent")

    def open(self, address):
        self.session.get(address)


class Firefox(Engine):
    """Debian's, without a window."""

    by, content = "css selector", staticmethod(lambda element: element.get_property("textContent"))

    def __init__(self, world):
        try:
            from marionette_driver.errors import NoSuchElementException, StaleElementException
            from marionette_driver.marionette import Marionette
        except ImportError:
            raise Skip("marionette_driver is not installed (Tests/Outside/browsers/install)")
        if not os.path.exists(FIREFOX):
            raise Skip("firefox-esr is not installed")
        self.gone = (StaleElementException, NoSuchElementException)
        logging.getLogger("mozversion").setLevel(logging.WARNING)
        # It asks nobody for news of its own.
        self.session = Marionette(bin=FIREFOX, headless=True, port=free_port(), gecko_log=os.path.join(world.folder, "firefox"),
                                  prefs={"remote.prefs.recommended": True})
        world._closing.append(self.session.cleanup)
        self.session.start_session()

    def open(self, address):
        self.session.navigate(address)
