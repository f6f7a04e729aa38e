#!/usr/bin/env python3
# takes: 80 s
# behaviour: HTTP
"""HTTP mode against a real HTTP server: what is posted, and that nothing is lost."""
import base64
import json
import os
import signal
import sys
import threading
import time

sys.path.insert(1, sys.path[0] + "/../world")
from endpoint import Endpoint, certificate
from envelope import opened, sealed
from posting import Turns, arrive, begin, connection, once_and_in_order, warm_up
from tracker import TOPIC, shim
from waiting import in_the_end
from world import claim, expect, main


@claim("one post for each message, with its topic inside and the headers of the family")
def posts(world):
    endpoint = warm_up(world, begin(world, auth=True, username="jane", password="s3cret", deviceId="pi",
                                    pubTopicBase=None))
    times = world.feed(world.drive(30), hz=10)
    arrive(endpoint, times)
    once_and_in_order(endpoint)
    post = endpoint.posts[-1]
    expect(post.json()["topic"] == "owntracks/jane/pi", "topic %s" % post.json().get("topic"))
    wanted = {"Content-Type": "application/json", "X-Limit-U": "jane", "X-Limit-D": "pi",
              "Authorization": "Basic " + base64.b64encode(b"jane:s3cret").decode()}
    for name, value in wanted.items():
        expect(post.headers.get_all(name) == [value], "%s is %s" % (name, post.headers.get_all(name)))
    expect(post.path == "/pub", "path %s" % post.path)
    expect(len({post.port for post in endpoint.posts}) == 1, "not one connection for all of them")
    status = connection(world, lambda c: c["colour"] == "green")
    expect(status["endpoint"] == "http://127.0.0.1:%d" % endpoint.port, "endpoint %s" % status)


@claim("no credentials where auth is false")
def no_auth(world):
    endpoint = warm_up(world, begin(world))
    expect("Authorization" not in endpoint.posts[0].headers, "it tells a user")


@claim("credentials in the address win, and nobody is shown them")
def address(world):
    endpoint = Endpoint()
    url = "http://amy:pl4nted@127.0.0.1:%d/hook-pl4nted?token=pl4nted" % endpoint.port
    warm_up(world, begin(world, endpoint, url=url, auth=True, password="pl4nted2",
                         httpHeaders="X-Key: pl4nted"))
    post = endpoint.posts[0]
    expect(post.headers["Authorization"] == "Basic " + base64.b64encode(b"amy:pl4nted").decode(), "other user")
    expect(post.path == "/hook-pl4nted?token=pl4nted", "path %s" % post.path)
    endpoint.stop()
    world.feed(world.drive(5))
    shown = [world.tracker.ask(*words).text for words in (
        ("status",), ("status", "--json"), ("why",), ("doctor", "--file", world.tracker.configuration),
        ("config", "show", "--file", world.tracker.configuration))] + [world.tracker.log()]
    expect("http://127.0.0.1:%d" % endpoint.port in shown[0], "status names no endpoint: %s" % shown[0])
    expect(all("pl4nted" not in text and "amy" not in text for text in shown), "a secret is shown")
    with open("/proc/%d/cmdline" % world.tracker.pid) as file:
        expect("pl4nted" not in file.read(), "a secret is in the command line")


@claim("headers of one's own: backslash and n between two, and they win")
def headers(world):
    endpoint = warm_up(world, begin(world, httpHeaders="X-A: 1\\nX-B:2\\nx-limit-u: me\\nX-Empty:"))
    got = endpoint.posts[0].headers
    expect((got["X-A"], got["X-B"], got.get_all("X-Limit-U"), got["X-Empty"]) == ("1", "2", ["me"], ""),
           "headers %s" % dict(got))


@claim("an endpoint that never answers: given up after connectionTimeoutSeconds, and tried again")
def hang(world):
    endpoint = warm_up(world, begin(world, connectionTimeoutSeconds=2, reconnectMin=1, reconnectMax=1))
    endpoint.answer = Turns(None, None)
    times = world.feed(world.drive(10), hz=10)
    status = connection(world, lambda c: c["colour"] == "amber")
    expect("timed out" in status["cause"], "status %s" % status)
    expect(world.tracker.status() is not None, "the tracker hangs too")
    arrive(endpoint, times)
    met = endpoint.answer.met
    # A time-out of 2 s and a wait of 1 s, of which a request that comes late takes away.
    expect(met[1].arrived - met[0].arrived >= 2.0, "%.1f s between attempts" % (met[1].arrived - met[0].arrived))


@claim("nobody listens: everything waits, the waits grow, and all of it comes in order afterwards")
def outage(world):
    endpoint = warm_up(world, begin(world))
    endpoint.stop()
    times = world.feed(world.drive(60), hz=10)
    # With news they are short, without any they grow.
    status = connection(world, lambda c: c["colour"] == "amber" and (c.get("nextAttempt") or 0) > 2)
    expect("connection refused" in status["cause"], "status %s" % status)
    expect((status.get("nextAttempt") or 0) > 2, "it tries again in %s s" % status.get("nextAttempt"))
    endpoint.start()
    arrive(endpoint, times)
    once_and_in_order(endpoint)
    connection(world, lambda c: c["colour"] == "green")


@claim("kill -9 out of coverage, another start: nothing is lost")
def killed(world):
    endpoint = warm_up(world, begin(world))
    endpoint.stop()
    times = dict(world.feed(world.drive(40), hz=10))
    expect(world.stored(max(times)), "what waits does not come to the disk")
    world.tracker.kill()
    endpoint.start()
    world.tracker.start()
    arrive(endpoint, times)


@claim("kill -9 while posts are answered late: nothing is lost, a message at most comes twice")
def killed_late(world):
    endpoint = warm_up(world, begin(world))

    def late(post):
        time.sleep(0.3)
        return 200, b"[]", {}
    endpoint.answer = late
    times = dict(world.feed(world.drive(30), hz=20))
    expect(world.stored(max(times)), "what waits does not come to the disk")
    world.tracker.kill()
    endpoint.answer = lambda post: (200, b"[]", {})
    world.tracker.start()
    arrive(endpoint, times)
    taken = [value["tst"] for value in endpoint.taken()]
    twice = {tst for tst in taken if taken.count(tst) > 1}
    expect(len(twice) <= 2, "%d positions came twice" % len(twice))


@claim("TLS: an unknown certificate is refused by name, tlsCaFile lets it in")
def tls(world):
    own = certificate(world.folder, "127.0.0.1")
    endpoint = begin(world, Endpoint(certificate=own), reconnectMin=1, reconnectMax=1)
    world.settle()
    times = world.feed(world.drive(5), hz=10)
    status = connection(world, lambda c: c["colour"] == "red")
    expect("self-signed" in status["cause"], "status %s" % status)
    expect(not endpoint.posts, "it posted all the same")
    world.tracker.configure(tlsCaFile=own[0])
    expect(world.tracker.ask("reload").status == 0, "no reload")
    arrive(endpoint, times)


@claim("TLS: the wrong host name is refused; allowinvalidcerts takes it and says so aloud")
def wrong_host(world):
    other = certificate(world.folder, "elsewhere.example")
    endpoint = begin(world, Endpoint(certificate=other), tlsCaFile=other[0], reconnectMin=1, reconnectMax=1)
    world.settle()
    times = world.feed(world.drive(5), hz=10)
    status = connection(world, lambda c: c["colour"] == "red")
    expect("another host name" in status["cause"], "status %s" % status)
    expect(not endpoint.posts, "it posted all the same")
    world.tracker.configure(allowinvalidcerts=True)
    expect(world.tracker.ask("reload").status == 0, "no reload")
    arrive(endpoint, times)
    expect("INSECURE" in world.tracker.status()["connection"]["cause"], "it is silent about it")


@claim("a command in an answer is obeyed", cmd=True)
def command(world):
    endpoint = begin(world)
    endpoint.answer = Turns((200, b'[{"_type":"cmd","action":"reportLocation"}]', {}))
    warm_up(world, endpoint)
    found = in_the_end(lambda: [value for value in endpoint.taken() if value.get("t") == "r"])
    expect(len(found) == 1, "%d positions that were asked for" % len(found))


@claim("encrypted: the topic is inside, and answers are opened", encryptionKey="s1kr3t", friends=True)
def encrypted(world):
    endpoint = begin(world)
    answer = json.dumps([json.loads(sealed(b'{"no":"type"}'))]).encode()
    endpoint.answer = lambda post: (200, answer, {})
    for _ in range(5):
        world.feed(world.stand(5))
    expect(in_the_end(lambda: endpoint.posts), "nothing was posted")
    inside = [json.loads(opened(post.json())[0]) for post in endpoint.posts]
    expect({value["topic"] for value in inside} == {TOPIC}, "no topic inside")
    status = world.tracker.wait_for_status(lambda s: s["messages"]["malformed"] >= 1)
    expect("no _type" in status["messages"]["lastMalformed"], "the answer was not opened")


@claim("from MQTT to HTTP and back while it runs: nothing is lost on the way")
def change(world):
    world.start()
    endpoint = Endpoint()
    world._closing.append(endpoint.stop)
    world.wait_for_locations(world.feed(world.drive(10), hz=10))
    world.tracker.configure(mode=3, url=endpoint.url)
    expect(world.tracker.ask("reload").status == 0, "no reload")
    arrive(endpoint, world.feed(world.drive(10), hz=10))
    # One message is on its way and will never be answered.
    endpoint.answer = lambda post: None
    times = dict(world.feed(world.drive(10), hz=10))
    world.tracker.configure(mode=0)
    expect(world.tracker.ask("reload").status == 0, "no reload")
    times.update(world.feed(world.drive(10), hz=10))
    world.wait_for_locations(times)


@claim("port 0 means nothing to HTTP, and mode 3 without an address does not start")
def demands(world):
    endpoint = warm_up(world, begin(world, port=0))
    world.tracker.stop()
    world.tracker.configure(url=None)
    status, text = world.tracker.run_to_end()
    expect(status == 78 and "url is empty, expected the address to post to" in text, text)


@claim("without libcurl one line names the package, and everything waits")
def missing(world):
    folder = os.path.join(world.folder, "libraries")
    os.mkdir(folder)
    for name in ("libcurl.so.4", "libcurl-gnutls.so.4"):
        open(os.path.join(folder, name), "w").close()
    endpoint = Endpoint()
    world._closing.append(endpoint.stop)
    world.tracker.configure(mode=3, url=endpoint.url)
    world.tracker.start(env={"LD_LIBRARY_PATH": folder})
    world.settle()
    status = world.tracker.wait_for_status(lambda s: s["queue"]["count"] > 0)
    expect(status["connection"]["colour"] == "red" and "libcurl4" in status["connection"]["cause"],
           "status %s" % status["connection"])
    expect(status["queue"]["count"] > 0, "nothing waits")
    expect(world.tracker.log().count("libcurl4") == 1, "the journal says it more or less than once")


@claim("in MQTT mode the library is not even loaded")
def lean(world):
    world.start()
    with open("/proc/%d/maps" % world.tracker.pid) as file:
        expect("curl" not in file.read(), "libcurl is in memory")


@claim("a name server that is silent holds up nothing, nor the end")
def names(world):
    world.tracker.configure(mode=3, url="http://slow.example/pub", connectionTimeoutSeconds=2)
    # Longer than anybody here waits: who answers does so while the name is asked for.
    world.tracker.start(env={"LD_PRELOAD": shim("slow_names", world.folder), "SLOW_NAMES_SECONDS": "600"})
    world.settle()
    status = connection(world, lambda c: c["attempts"] >= 2)
    expect("timed out" in status["cause"], "status %s" % status)
    sent = world.feed(world.stand(5))
    expect(world.tracker.handles(max(sent)), "positions are not handled meanwhile")
    expect(world.tracker.stop() == 0, "it does not end")


@claim("a clean stop while a post is under way waits for its answer")
def stop(world):
    endpoint = warm_up(world, begin(world))
    is_under_way, may_end = threading.Event(), threading.Event()

    def late(post):
        is_under_way.set()
        may_end.wait(60)
        return 200, b"[]", {}
    endpoint.answer = late
    times = dict(world.feed(world.drive(2), hz=20))
    world.tracker.wait_for_status(lambda s: s["queue"]["count"] == 2)
    expect(is_under_way.wait(60), "nothing is posted")

    def answer_once_it_waits():
        # The last thing that it does before that is to take its control socket away.
        in_the_end(lambda: not os.path.exists(world.tracker.socket))
        may_end.set()
    threading.Thread(target=answer_once_it_waits, daemon=True).start()
    expect(world.tracker.stop(signal.SIGTERM) == 0, "exit status")
    expect(endpoint.taken()[-1]["tst"] in times, "it did not wait")
    endpoint.answer = lambda post: (200, b"[]", {})
    world.tracker.start()
    arrive(endpoint, times)
    once_and_in_order(endpoint)


if __name__ == "__main__":
    main()
