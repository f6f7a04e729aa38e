#!/usr/bin/env python3
# takes: 20 s
# behaviour: where
"""Where is it? The tracker says so; the address is asked of a server of the owner's choice, if there is one."""
import json
import shutil
import sys

sys.path.insert(1, sys.path[0] + "/../world")
from endpoint import Endpoint
from waiting import in_the_end, stays
from world import Skip, claim, expect, main

HOME = {"_type": "waypoint", "desc": "Home", "lat": 48.2, "lon": 16.37, "rad": 20000, "tst": 1}


def where(world, *words):
    return world.tracker.ask("where", "--file", world.tracker.configuration, *words)


@claim("without a server nobody is asked, and before the first position there is none", waypoints=[HOME])
def alone(world):
    world.tracker.start()
    world.tracker.wait_for_status(lambda status: status)
    answer = where(world)
    expect(answer.status == 1 and "no position yet" in answer.error, "said %s" % answer.error)
    world.warm_up()
    # The position has to be older than a second.
    world.feed(world.stand(3))
    text = where(world).text
    expect("Position:" in text and "Regions:" in text and "Home" in text and "Address" not in text, text)
    said = where(world, "--json").json()
    expect(said["ok"] and said["inside"] == ["Home"] and abs(said["lat"] - 48.2) < 1, "said %s" % said)
    expect("address" not in said and "addressError" not in said, "said %s" % said)
    expect("geocodeUrl is not set" in where(world, "--at", "48.1,11.5").error, "nobody says why there is no address")


@claim("a server is asked once for each question, and its answer steers nothing", waypoints=[HOME])
def asked(world):
    if not shutil.which("curl"):
        raise Skip("no curl here")
    endpoint = Endpoint()
    try:
        world.tracker.configure(
            geocodeUrl="http://127.0.0.1:%d/reverse?key=sesame&lat={lat}&lon={lon}" % endpoint.port)
        endpoint.answer = lambda post: (200, json.dumps({"display_name": "1 Main\x1b[2J Street,\nTown"}).encode(), {})
        world.start()
        expect(stays(lambda: not endpoint.posts, 1), "asked by the daemon: %s" % endpoint.posts)
        text = where(world).text
        expect(text.splitlines()[-1].split(None, 1) == ["Address:", "1 Main [2J Street, Town"], text)
        said = where(world, "--json").json()
        expect(said["address"] == "1 Main [2J Street, Town", "said %s" % said)
        path = "/reverse?key=sesame&lat=%.6f&lon=%.6f" % (said["lat"], said["lon"])
        expect([post.path for post in endpoint.posts] == [path] * 2, [post.path for post in endpoint.posts])
        shown = world.tracker.ask("config", "show", "--file", world.tracker.configuration).text
        expect("sesame" not in shown and "sesame" not in world.tracker.log(), "the key is shown")
        text = where(world, "--at", "-33.9,18.4").text
        expect(text.splitlines()[-1].split(None, 1) == ["Address:", "1 Main [2J Street, Town"], text)
        expect(endpoint.posts[-1].path.endswith("&lat=-33.900000&lon=18.400000"), endpoint.posts[-1].path)
        expect(where(world, "--at", "91,0").status == 2 and where(world, "--at", "48").status == 2, "no place")
        for answer, word in (((403, b"no", {}), "403"), ((302, b"", {"Location": "http://127.0.0.1:1/"}), "no address"),
                             ((200, b"x" * 70000, {}), ""), ((200, b"<html>login</html>", {}), "no address")):
            endpoint.answer = lambda post, answer=answer: answer
            failed = where(world)
            expect(failed.status == 0 and "Position:" in failed.text and "Address" not in failed.text, failed.text)
            expect("no address" in failed.error and word in failed.error, failed.error)
            expect("sesame" not in failed.error, failed.error)
        endpoint.answer = lambda post: None
        # The server never answers: who does not give up by itself says nothing at all.
        failed = where(world, "--json").json()
        expect(failed["addressError"] and failed["ok"], "said %s" % failed)
    finally:
        endpoint.stop()


@claim("a friend's newest place and its address are told as well", friends=True)
def friend(world):
    if not shutil.which("curl"):
        raise Skip("no curl here")
    endpoint = Endpoint()
    try:
        world.tracker.configure(geocodeUrl="http://127.0.0.1:%d/?lat={lat}&lon={lon}" % endpoint.port)
        endpoint.answer = lambda post: (200, json.dumps({"display_name": "2 Side Street"}).encode(), {})
        world.start()
        for tst in (100, 200):
            world.watcher.publish("owntracks/jane/phone", json.dumps(
                {"_type": "location", "tst": tst, "lat": tst / 100, "lon": 2.5, "tid": "JP"}).encode())
        told = lambda: where(world, "JP").text
        expect(in_the_end(lambda: "2.000000, 2.500000" in told()), told())
        expect("2 Side Street" in told() and "owntracks/jane/phone" in told() and "Regions" not in told(), told())
        expect(where(world, "nobody").status == 1, "nobody is somewhere")
    finally:
        endpoint.stop()


@claim("a template without a place is refused")
def refused(world):
    for template in ("https://h/", "ftp://h/{lat}/{lon}", "https://h/{lat}", "{lat}{lon}"):
        world.tracker.configure(geocodeUrl=template)
        checked = world.tracker.ask("config", "check", world.tracker.configuration)
        expect(checked.status != 0 and "geocodeUrl" in checked.error + checked.text, checked.error + checked.text)


if __name__ == "__main__":
    main()
