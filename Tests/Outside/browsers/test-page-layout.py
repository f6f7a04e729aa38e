#!/usr/bin/env python3
# takes: 60 s
"""Everybody can use it: axe-core finds nothing, targets are 44 px, the keyboard is enough, nothing is by colour alone."""
import os
import sys
import time

sys.path.insert(1, os.path.join(sys.path[0], "../../Programs/world"))
sys.path.insert(1, sys.path[0])
import visit
from crowd import TOPIC, befriend, picture, waypoint
from world import Skip, claim, expect, main

TABS = ("now", "friends", "places", "why", "settings")
PLACES = [waypoint("Home", 0, 0, 200, 1700000000), waypoint("A camp site by the lake with a very long name", 500, 300, 250, 1700000001)]


def examine(view, where):
    try:
        from axe_playwright_python.sync_playwright import Axe
    except ImportError:
        raise Skip("axe-playwright-python is not installed (Tests/Outside/browsers/install)")
    # The script comes through the debugger: the page's own rules stay in force.
    found = Axe().run(view)
    problems = ["%s: %s" % (each["id"], each["nodes"][0]["target"]) for each in found.response["violations"]]
    expect(not problems, "%s: %s" % (where, problems))


def small_targets(view):
    """Buttons, fields and links that a finger misses."""
    return view.evaluate("""() => [...document.querySelectorAll("button, summary, input, select, textarea, a[href]")]
      .filter(element => element.checkVisibility({ visibilityProperty: true }))
      .map(element => [element.closest("label") ?? element, element])
      .map(([area, element]) => [area.getBoundingClientRect(), element])
      .filter(([box]) => box.width > 0 && (box.height < 43.5 || box.width < 43.5))
      .map(([box, element]) => `${element.outerHTML.slice(0, 80)} ${box.width}x${box.height}`)""")


def overflowing(view):
    """What sticks out at the side of a phone."""
    return view.evaluate("""() => [...document.querySelectorAll(".bar, .bar > *, .sheet *, dialog[open] *")]
      .filter(element => element.checkVisibility() && !element.closest("svg, .unseen"))
      .filter(element => element.getBoundingClientRect().right > innerWidth + 1)
      .map(element => element.outerHTML.slice(0, 80))""")


def furnish(world):
    world.start()
    befriend(world, TOPIC, "JJ", 300, 100, "Jane", picture(), vel=40, cog=80)
    world.feed(world.drive(20), 10)
    world.tracker.ask("publish", "--poi", "Here")


for width, name in ((visit.PHONE, "phone"), (visit.DESK, "desk")):
    for scheme in ("light", "dark"):

        @claim("axe-core finds nothing in any view on a %s, %s, and every target is 44 px" % (name, scheme), friends=True, waypoints=PLACES)
        def views(world, width=width, scheme=scheme, name=name):
            furnish(world)
            with visit.page(world, width, color_scheme=scheme) as view:
                view.locator(".tracker.friend").wait_for()
                examine(view, "map")
                for tab in TABS:
                    visit.open_tab(view, tab)
                    time.sleep(0.6)
                    for summary in view.locator("#panel-%s details:not([open]) > summary" % tab).all()[:3]:
                        if summary.is_visible():
                            summary.click()
                    time.sleep(0.4)
                    examine(view, tab)
                    expect(not small_targets(view), "%s: too small: %s" % (tab, small_targets(view)))
                    expect(not overflowing(view), "%s: sticks out: %s" % (tab, overflowing(view)))
                visit.open_tab(view, "places")
                view.get_by_role("button", name="Add a place").click()
                view.locator("dialog summary").click()
                examine(view, "the dialog")
                expect(not small_targets(view), "the dialog: too small: %s" % small_targets(view))
                expect(not overflowing(view), "the dialog sticks out: %s" % overflowing(view))
                expect(not view.complaints, view.complaints)


@claim("everything is reached by the keyboard, the focus can be seen, and a dialog gives it back", waypoints=PLACES)
def keyboard(world):
    world.start()
    with visit.page(world, visit.PHONE) as view:
        view.locator(".tracker.self").wait_for()
        focused = lambda: view.evaluate("document.activeElement.getAttribute('aria-label') ?? document.activeElement.innerText.trim()")
        reached = []
        for _ in range(12):
            view.keyboard.press("Tab")
            if view.evaluate("document.activeElement === document.body"):
                break
            reached.append(focused())
            seen = view.evaluate("(style => style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2)(getComputedStyle(document.activeElement))")
            expect(seen, "the focus cannot be seen on %s" % reached[-1])
        for name in ("Map", "Show all", "Publish", "Now", "Larger"):
            expect(name in reached, "%s is not reached: %s" % (name, reached))
        view.locator("#tab-now").focus()
        view.keyboard.press("Enter")
        view.locator("[data-mode=quiet]").wait_for()
        view.keyboard.press("ArrowRight")
        view.keyboard.press("ArrowRight")
        expect(focused().startswith("Places"), "the arrows lead to %s" % focused())
        expect(view.locator("[role=tab][aria-selected=true]").inner_text() == "Places", "and do not open it")
        view.keyboard.press("Tab")
        view.keyboard.press("Tab")
        view.keyboard.press("Tab")
        expect(focused() == "Add a place", "the tab key leads to %s" % focused())
        view.keyboard.press("Enter")
        view.locator("dialog[open]").wait_for()
        expect(view.evaluate("document.querySelector('dialog').contains(document.activeElement)"), "the focus is not in the dialog")
        view.keyboard.press("Escape")
        view.locator("dialog[open]").wait_for(state="detached")
        expect(focused() == "Add a place", "the dialog leaves the focus on %s" % focused())


@claim("the state is told to those who hear the page, once when it changes, and has a word beside its colour")
def spoken(world):
    world.start()
    with visit.page(world) as view:
        visit.wait_until(lambda: "The tracker is connected. Mode: Move." == view.locator("#spoken").text_content(), 5, lambda: view.locator("#spoken").text_content())
        view.evaluate("""() => { window.told = 0; new MutationObserver(() => window.told++).observe(document.getElementById("spoken"), { childList: true }); }""")
        world.feed(world.stand(3), 1)
        expect(view.evaluate("window.told") == 0, "each second is told")
        world.tracker.ask("mode", "quiet")
        visit.wait_until(lambda: "Mode: Quiet" in view.locator("#spoken").text_content(), 5, "a new mode is not told")
        expect(view.locator("#light").evaluate("element => element.nextElementSibling.textContent") == "connected", "the light has no word")


@claim("with reduced motion nothing moves by itself; without scripts the page says so")
def quiet(world):
    world.start()
    with visit.page(world, reduced_motion="reduce") as view:
        view.locator(".tracker.self").wait_for()
        spans = view.evaluate("[...document.querySelectorAll('*')].map(element => getComputedStyle(element).transitionDuration).filter(span => !/^(0s(, )?)+$/.test(span))")
        expect(not spans, "transitions of %s" % spans)
    with visit.page(world, java_script_enabled=False) as view:
        expect("needs JavaScript" in view.content(), "nothing is said")


if __name__ == "__main__":
    main()
