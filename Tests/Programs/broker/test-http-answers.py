#!/usr/bin/env python3
# takes: 60 s
# behaviour: HTTP
"""HTTP mode: what each answer of an endpoint means for the message that was posted."""
import json
import os
import sys
import time

sys.path.insert(1, sys.path[0] + "/../world")
from posting import Turns, arrive, begin, connection, once_and_in_order, warm_up
from tracker import TOPIC
from waiting import in_the_end
from world import claim, expect, main

# Kilobytes.
MOST_GROWTH = 8000


@claim("200 with an empty array, 200 with nothing and 200 with nonsense: delivered")
def delivered(world):
    endpoint = begin(world)
    endpoint.answer = Turns((200, b"[]", {}), (200, b"", {}), (200, b"oops", {}), (204, b"", {}))
    warm_up(world, endpoint)
    times = world.feed(world.drive(10), hz=10)
    arrive(endpoint, times)
    once_and_in_order(endpoint)
    expect(world.tracker.wait_for_status(lambda s: s["queue"]["count"] == 0)["queue"]["count"] == 0, "it waits")
    expect(world.tracker.status()["messages"]["malformed"] == 0, "nonsense counts as a message")


@claim("500, 503, 401, 403, 404, 405, 408, 410 and 429: kept, tried again, nothing lost")
def kept(world):
    endpoint = warm_up(world, begin(world, reconnectMin=1, reconnectMax=1))
    turns = [(status, b"", {}) for status in (500, 503, 401, 403, 404, 405, 408, 410, 429)]
    endpoint.answer = Turns(*turns)
    times = world.feed(world.drive(10), hz=10)
    arrive(endpoint, times)
    once_and_in_order(endpoint)
    bodies = {post.body for post in endpoint.answer.met}
    expect(len(endpoint.answer.met) == len(turns) and len(bodies) == 1, "not the same message each time")
    gaps = [b.arrived - a.arrived for a, b in zip(endpoint.answer.met, endpoint.answer.met[1:])]
    expect(world.tracker.status()["queue"]["refused"] == 0, "one was refused")
    expect(min(gaps) >= 0.95, "it does not wait between attempts: %s" % gaps)


@claim("an endpoint that says 404 to everything for a while: named, and 25 of 25 positions arrive in order afterwards")
def absent(world):
    endpoint = warm_up(world, begin(world, reconnectMin=1, reconnectMax=2))
    endpoint.answer = lambda post: (404, b"<html>not here", {"Content-Type": "text/html"})
    times = world.feed(world.drive(25), hz=5)
    status = connection(world, lambda c: c["colour"] == "red")
    expect("404" in status["cause"] and "url" in status["cause"], "status %s" % status)
    doctor = world.tracker.ask("doctor", "--file", world.tracker.configuration).text
    expect("404" in doctor, "doctor says nothing of it: %s" % doctor)
    expect(world.tracker.status()["queue"]["refused"] == 0, "it was given up")
    endpoint.answer = lambda post: (200, b"[]", {})
    arrive(endpoint, times)
    once_and_in_order(endpoint)
    expect(not os.path.exists(os.path.join(world.tracker.state, "refused.jsonl")), "some were set aside")


@claim("a captive portal's page is no delivery, by its type or by its first words: named, and nothing is lost")
def portal(world):
    endpoint = warm_up(world, begin(world, reconnectMin=1, reconnectMax=1))
    endpoint.answer = Turns((200, b"<!DOCTYPE html><html>Please log in", {}),
                            (200, b"<login-form>Please log in", {"Content-Type": "text/html; charset=utf-8"}),
                            (200, b" <x>", {"Content-Type": "text/html"}),
                            (511, b"<html>", {}))
    times = world.feed(world.drive(10), hz=10)
    status = connection(world, lambda c: c["colour"] == "red")
    expect("web page" in status["cause"] and "login" in status["cause"], "status %s" % status)
    arrive(endpoint, times)
    met = endpoint.answer.met
    expect(len(met) == 4 and len({post.body for post in met}) == 1, "not the same message each time")
    real = [post.json()["tst"] for post in endpoint.posts if post not in met and post.json().get("tst")]
    expect(met[0].json()["tst"] in real, "what the portal answered was lost")
    expect(world.tracker.status()["queue"]["refused"] == 0, "one was refused")


@claim("what the Recorder, Home Assistant and Traccar answer is delivery, and JSON that is called a page too")
def judges(world):
    endpoint = begin(world)
    endpoint.answer = Turns((200, b"[]", {"Content-Type": "application/json"}),
                            (200, b"[]", {"Content-Type": "application/json; charset=utf-8"}),
                            (200, b"", {}), (200, b"[]", {"Content-Type": "text/html; charset=UTF-8"}),
                            (200, b"OK", {"Content-Type": "text/html; charset=utf-8"}),
                            (200, b"", {"Content-Type": "text/html"}))
    warm_up(world, endpoint)
    times = world.feed(world.drive(8), hz=10)
    arrive(endpoint, times)
    once_and_in_order(endpoint)
    expect(len(endpoint.answer.met) == 6, "not all of them were asked for")


@claim("Retry-After is honoured, in seconds and as a date, whatever the board's own clock says")
def patience(world):
    endpoint = warm_up(world, begin(world, reconnectMin=1, reconnectMax=1))
    endpoint.answer = Turns((503, b"", {"Retry-After": "4"}),
                            (429, b"", {"Date": "Wed, 21 Oct 2015 07:28:00 GMT",
                                        "Retry-After": "Wed, 21 Oct 2015 07:28:04 GMT"}),
                            (404, b"", {"Retry-After": "1000000"}))
    times = world.feed(world.drive(5), hz=10)
    status = connection(world, lambda c: (c.get("nextAttempt") or 0) > 100)
    met = endpoint.answer.met
    for one, two in zip(met, met[1:]):
        expect(two.arrived - one.arrived >= 3.9, "it came back after %.1f s" % (two.arrived - one.arrived))
    # What of it has gone by is the machine's.
    expect(3000 <= status["nextAttempt"] <= 3600, "not an hour at most: %s" % status)
    # Nobody waits an hour here: a change of settings begins anew.
    world.tracker.configure(httpHeaders="X-Other: 1")
    expect(world.tracker.ask("reload").status == 0, "no reload")
    arrive(endpoint, times)


@claim("400, 413, 422: the next message goes, and the one is given up after another went through")
def dropped(world):
    endpoint = warm_up(world, begin(world))
    wrong = {}

    def answer(post):
        if (post.json() or {}).get("_type") != "location":
            return 200, b"[]", {}
        tst = post.json()["tst"]
        if tst not in wrong and len(wrong) < 3 and tst % 3 == 0:
            wrong[tst] = (400, 413, 422)[len(wrong)]
        return wrong.get(tst, 200), b"", {}
    endpoint.answer = answer
    times = world.feed(world.drive(12), hz=10)
    in_the_end(lambda: len(wrong) == 3)
    arrive(endpoint, set(times) - set(wrong))
    expect(len(wrong) == 3, "not enough of them: %s" % wrong)
    status = world.tracker.wait_for_status(lambda s: s["queue"]["count"] == 0)
    expect(status["queue"]["refused"] == 3 and status["queue"]["count"] == 0, "queue %s" % status["queue"])
    for tst, code in wrong.items():
        posts = [index for index, post in enumerate(endpoint.posts) if (post.json() or {}).get("tst") == tst]
        after = endpoint.posts[posts[0] + 1]
        expect(after.json()["tst"] != tst, "the suspected message came again at once")
        expect(len(posts) == 2, "it went %d times" % len(posts))
        before = endpoint.posts[posts[1] - 1]
        expect(before.status == 200, "it was given up though nothing had gone through")
    path = os.path.join(world.tracker.state, "refused.jsonl")
    expect("refuses message" in world.tracker.log() and path in world.tracker.log(), "the journal does not say so")
    with open(path, "rb") as file:
        letters = [json.loads(line) for line in file]
    expect(sorted(json.loads(letter["payload"])["tst"] for letter in letters) == sorted(wrong), "kept: %s" % letters)
    expect(letters[0]["topic"] == TOPIC and "400" in letters[0]["reason"], "kept: %s" % letters)
    expect(os.stat(path).st_mode & 0o777 == 0o600, "it can be read by others")


@claim("an endpoint that says 400 to everything: nothing is given up, it is not flooded, and all arrives afterwards")
def all_wrong(world):
    endpoint = warm_up(world, begin(world, reconnectMin=1, reconnectMax=2))
    before = len(endpoint.posts)
    endpoint.answer = lambda post: (400, b"", {})
    began = time.monotonic()
    times = world.feed(world.drive(25), hz=5)
    connection(world, lambda c: c["colour"] == "red" and "400" in c["cause"])
    time.sleep(max(0, 8 - (time.monotonic() - began)))
    count, seconds = len(endpoint.posts) - before, time.monotonic() - began
    expect(count <= 3 + seconds, "%d posts in %.0f s" % (count, seconds))
    status = world.tracker.status()
    expect(status["queue"]["refused"] == 0 and status["queue"]["count"] >= 25, "queue %s" % status["queue"])
    endpoint.answer = lambda post: (200, b"[]", {})
    arrive(endpoint, times)
    expect(world.tracker.status()["queue"]["refused"] == 0, "one was given up")


@claim("an answer that is too long is cut off before it is in memory, and what was posted is delivered", cmd=True)
def long_answer(world):
    endpoint = warm_up(world, begin(world))

    def memory():
        with open("/proc/%d/status" % world.tracker.pid) as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))
    before = memory()
    # Four times as much as it may grow by.
    long = b"[" + b"0," * (2 * MOST_GROWTH * 1024) + b"0]"
    endpoint.answer = Turns((200, long, {}), (200, b"[" + b"0," * 32000 + b"0]", {}))
    times = world.feed(world.drive(5), hz=10)
    arrive(endpoint, times)
    expect(len(endpoint.answer.met) == 2, "not both were asked for")
    once_and_in_order(endpoint)
    expect(memory() - before <= MOST_GROWTH, "it grew by %d kB" % (memory() - before))


@claim("a redirect is not followed: kept, and red")
def redirect(world):
    endpoint = warm_up(world, begin(world, reconnectMin=1, reconnectMax=1))
    endpoint.answer = Turns(*[(302, b"", {"Location": "/elsewhere"})] * 3)
    times = world.feed(world.drive(5), hz=10)
    status = connection(world, lambda c: c["colour"] == "red")
    expect("redirects (302)" in status["cause"], "status %s" % status)
    arrive(endpoint, times)
    expect({post.path for post in endpoint.posts} == {"/pub"}, "it followed")
    once_and_in_order(endpoint)


@claim("a redirect to another host is a network that wants a login: named so, kept, and the address is left alone")
def portal_elsewhere(world):
    endpoint = warm_up(world, begin(world, reconnectMin=1, reconnectMax=1))
    endpoint.answer = Turns(*[(302, b"", {"Location": "http://login.example/?" + 300 * "x"})] * 3)
    times = world.feed(world.drive(5), hz=10)
    status = connection(world, lambda c: c["colour"] == "red")
    expect("login.example (302)" in status["cause"] and "wants a login" in status["cause"], "status %s" % status)
    expect(status["remedy"].startswith("log in to this network with a browser"), "remedy %s" % status["remedy"])
    arrive(endpoint, times)
    expect({post.path for post in endpoint.posts} == {"/pub"}, "it followed")
    once_and_in_order(endpoint)


@claim("what the endpoint answers is read: an array, one object, whatever else it holds", friends=True)
def answers(world):
    endpoint = begin(world)
    endpoint.answer = Turns((200, b'[{"no":"type"},7,"text",{"_type":"location","tid":"AM"}]', {}),
                            (200, b'{"tid":"x/y","lat":1}', {}))
    warm_up(world, endpoint)
    world.feed(world.stand(5))
    status = world.tracker.wait_for_status(lambda s: s["messages"]["malformed"] >= 2)
    expect(status["messages"]["received"] == 3, "messages %s" % status["messages"])
    expect("owntracks/http/xy" in status["messages"]["lastMalformed"], "messages %s" % status["messages"])


if __name__ == "__main__":
    main()
