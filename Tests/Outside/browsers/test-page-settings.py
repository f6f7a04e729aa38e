#!/usr/bin/env python3
# takes: 60 s
"""Settings: what the board has is shown, what a person changes is asked about, and the tracker has it afterwards."""
import os
import sys

sys.path.insert(1, os.path.join(sys.path[0], "../../Programs/world"))
sys.path.insert(1, sys.path[0])
import visit
from servers import free_port
from world import claim, expect, main


def opened(view, group):
    visit.open_tab(view, "settings")
    view.locator("details[data-group=%s] > summary" % group).click()


def field(view, name):
    return view.locator("[data-key=%s]" % name)


def save(view, group):
    view.locator("form[data-group=%s]" % group).get_by_role("button", name="Review and save").click()


def choose(view, text):
    view.locator("dialog[open]").get_by_role("button", name=text, exact=True).click()


def remote(world):
    return ((world.tracker.status() or {}).get("remote") or {}).get("settings", {})


@claim("every key is in a group with its value, unit, range and default; those for experts are folded")
def shown(world):
    world.start()
    with visit.page(world) as view:
        opened(view, "reporting")
        row = field(view, "locatorDisplacement")
        expect(row.locator("input").input_value() == "0", "it has %s" % row.locator("input").input_value())
        for text in ("m", "0 to 100000 m", "default"):
            expect(text in row.inner_text(), "%r is not in %r" % (text, row.inner_text()))
        expect(row.locator("input").get_attribute("max") == "100000", "no range")
        names = {key["key"] for key in world.tracker.ask("config", "keys", "--json").json()}
        found = set(view.locator("[data-key]").evaluate_all("rows => rows.map(row => row.dataset.key)"))
        expect(len(found) > 80 and not (names - found), "%d keys; missing: %s" % (len(found), names - found))
        folded = view.locator("details[data-group$='+']")
        expect(folded.count() >= 2 and view.locator("details[data-group$='+'][open]").count() == 0, "nothing is folded")
        expect(not view.complaints, view.complaints)


@claim("what is changed is shown before it is saved, and the tracker has it; cleared, the file counts again")
def changed(world):
    world.start()
    with visit.page(world) as view:
        opened(view, "reporting")
        save(view, "reporting")
        visit.shows(view, "#toasts", "Nothing is changed")
        field(view, "locatorDisplacement").locator("input").fill("250")
        view.locator("details[data-group=reporting-vehicle] > summary").click()
        field(view, "trips").locator("input").check()
        save(view, "reporting")
        visit.shows(view, "dialog", "0 → 250")
        visit.shows(view, "dialog", "off → on")
        choose(view, "Cancel")
        expect(not remote(world), "saved without a yes: %s" % remote(world))
        save(view, "reporting")
        choose(view, "Save")
        visit.wait_until(lambda: remote(world).get("locatorDisplacement") == 250 and remote(world).get("trips") is True, 5, lambda: "the tracker has %s" % remote(world))
        visit.shows(view, "#panel-settings", "Changed by commands")
        view.get_by_role("button", name="Back to the file").click()
        choose(view, "Back to the file")
        visit.wait_until(lambda: not remote(world), 5, lambda: "the tracker has %s" % remote(world))
        visit.wait_until(lambda: field(view, "locatorDisplacement").locator("input").input_value() == "0", 5, "the form shows the old value")


@claim("nothing is half applied: what the tracker refuses is said, and what was written stays in the form")
def refused(world):
    world.start()
    with visit.page(world) as view:
        opened(view, "reporting")
        view.locator("details[data-group=reporting-modes] > summary").click()
        field(view, "networkModes").locator("textarea").fill("no such rule")
        field(view, "locatorDisplacement").locator("input").fill("250")
        save(view, "reporting")
        choose(view, "Save")
        visit.shows(view, "#toasts", "networkModes")
        expect(not remote(world), "half applied: %s" % remote(world))
        expect(field(view, "locatorDisplacement").locator("input").input_value() == "250", "the form is empty")


@claim("a secret is never shown, and kept where nothing is written", password="hunter2", auth=True)
def secrets(world):
    world.start()
    with visit.page(world) as view:
        opened(view, "connection")
        row = field(view, "password")
        expect(row.locator("input[type=password]").input_value() == "" and "is set" in row.inner_text(), "it says %s" % row.inner_text())
        expect("hunter2" not in view.content(), "the secret is in the page")
        field(view, "keepalive").locator("input").evaluate("input => { input.closest('details').open = true; input.value = 61; }")
        save(view, "connection")
        visit.shows(view, "dialog", "on trial")
        expect("password" not in view.locator("dialog").inner_text(), "the secret is to be changed")


@claim("a changed connection is on trial: the page says so, before and while it is")
def trial(world):
    world.start()
    with visit.page(world) as view:
        opened(view, "connection")
        port = field(view, "port").locator("input")
        port.evaluate("input => { for (let each = input.closest('details'); each; each = each.parentElement.closest('details')) each.open = true; }")
        port.fill(str(free_port()))
        save(view, "connection")
        visit.shows(view, "dialog", "old settings return by themselves")
        choose(view, "Save")
        view.locator("#trial").wait_for()
        visit.shows(view, "#panel-settings", "are on trial")
        expect(world.tracker.status()["remote"]["trial"] is True, "the tracker is not on trial")


@claim("a phone that may only look changes nothing, nor does any on a board that is locked")
def looking(world):
    world.start()
    with visit.page(world, may="look") as view:
        view.locator(".tracker.self").wait_for()
        expect(view.get_by_role("button", name="Publish").is_disabled(), "it may publish")
        visit.open_tab(view, "now")
        visit.shows(view, "#panel-now", "may only look")
        for name in ("[data-mode=quiet]", "[data-act=reconnect]"):
            expect(view.locator(name).is_disabled(), "%s can be pressed" % name)
        opened(view, "reporting")
        expect(view.locator("#panel-settings input:not([disabled])").count() == 0, "settings can be written")
        expect(view.get_by_role("button", name="Review and save").count() == 0, "settings can be saved")
        visit.open_tab(view, "places")
        expect(view.get_by_role("button", name="Add a place").is_disabled(), "a place can be added")
        expect(visit.inside(view, "page.order('mode', 'quiet')")["ok"] is False, "the server lets it")
    world.tracker.configure(locked=True)
    world.tracker.hang_up()
    with visit.page(world) as view:
        opened(view, "reporting")
        visit.shows(view, "#panel-settings", "locked")
        expect(view.locator("#panel-settings input:not([disabled])").count() == 0, "settings of a locked board can be written")


if __name__ == "__main__":
    main()
