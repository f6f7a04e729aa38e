#!/usr/bin/env python3
# takes: 30 s
# behaviour: SOS
# behaviour: The control socket
# touches: Sources/Web Sources/homeward-web Sources/Access Sources/Answers Sources/OwnTracks Sources/CMicroHTTPD
# touches: Sources/CSodium Sources/CSQLite Sources/CZlib Sources/CQRCode Sources/Host/Control Sources/homeward/Web Sources/homeward/Sharing
# touches: Sources/Loop Sources/Timebase Sources/CLinux Sources/homewardd Tests/Programs/world Tests/Programs/shims
"""homeward-web beside the real tracker: who may come in, what is told, and what is not passed on."""
import os
import shutil
import subprocess
import sys
import time

sys.path.insert(1, sys.path[0] + "/../world")
from page import PageServer, Relay, server_of
from waiting import in_the_end, quiet_span, stays
from world import Skip, claim, expect, main

ALONE = {"has_broker": False, "has_gpsd": False}


def expect_status(reply, status, what):
    expect(reply.status == status, "%s: %s, expected %s" % (what, reply.status, status))


# Who may come in


@claim("in another's name the board answers nothing, not even to whom it knows", **ALONE)
def host(world):
    server = server_of(world)
    for name in ("evil.example", "127.0.0.1.evil.example", "van.local.evil.example", ""):
        for path in ("/", "/api/why", "/pair?c=ABCD-EFGH"):
            expect_status(server.get(path, host=name), 421, "GET %s of %s" % (path, name))
        expect_status(server.do(["tag", "x"], host=name, origin="http://" + name), 421, "POST to " + name)
    for name in ("van.local", "localhost:80", "[::1]:80", "10.42.0.1"):
        expect_status(server.get("/", host=name), 200, "GET / of " + name)


@claim("without a session nothing is told, and nothing is done", **ALONE)
def session(world):
    server = server_of(world)
    paths = ["/page.js", "/page.css", "/icon.svg", "/leaflet-1.7.1.js", "/api/page", "/api/events", "/api/why",
             "/api/regions", "/api/friends", "/api/friend?topic=a", "/api/history", "/api/beacons", "/api/queue",
             "/api/settings", "/export.gpx", "/tiles/0/0/0", "/map.pmtiles", "/nothing"]
    key = server.cookie.partition("=")[2]
    for cookie in ("", "homeward=" + "0" * 32, "homeward=" + key[:-1], "homeward=" + key + "0",
                   "homeward=" + key.upper() + "x", "other=" + key, "homeward="):
        for path in paths:
            reply = server.get(path, cookie=cookie)
            expect_status(reply, 401, "GET %s with %s" % (path, cookie))
            expect(b"{" not in reply.body, "%s told %s" % (path, reply.body[:80]))
        expect_status(server.do(["tag", "x"], cookie=cookie), 401, "POST with " + cookie)
    reply = server.get("/", cookie="")
    expect_status(reply, 401, "GET /")
    expect(b'action="/pair"' in reply.body and b"<title>page" not in reply.body, "no field for the code")
    expect(reply.headers.get("connection") == "close", "who is not known keeps his connection")


@claim("a cookie is for no script and no other site, and the file has only its hash", **ALONE)
def cookie(world):
    server = server_of(world, paired=False)
    reply = server.show(server.code())
    words = set(reply.headers["set-cookie"].split("; "))
    expect({"HttpOnly", "SameSite=Strict", "Path=/"} <= words, "Set-Cookie: %s" % words)
    key = reply.headers["set-cookie"].partition(";")[0].partition("=")[2]
    expect(len(key) == 32, "a key of %d digits" % len(key))
    path = os.path.join(server.state, "sessions.json")
    with open(path) as file:
        text = file.read()
    expect(key not in text, "the key lies in " + path)
    expect(os.stat(path).st_mode & 0o777 == 0o600, "%s can be read by others" % path)
    server.stop()
    server.start()
    expect_status(server.get("/", cookie="homeward=" + key), 200, "after a restart")


@claim("a code is good once, for ten minutes and five tries", **ALONE)
def code(world):
    server = server_of(world, paired=False)
    def tried(words):
        return server.show(words).status
    server.write_code("ABCD-EFGH")
    expect(tried("abcd efgh") == 303, "small letters and a blank did not open")
    expect(tried("ABCD-EFGH") == 401, "a code was good twice")
    server.write_code("ABCD-EFGH", age=599)
    expect(tried("ABCDEFGH") == 303, "after 599 s it is not good")
    server.write_code("ABCD-EFGH", age=601)
    expect(tried("ABCD-EFGH") == 401, "after 601 s it is good")
    server.write_code("ABCD-EFGH", age=-60)
    expect(tried("ABCD-EFGH") == 401, "a code of another life of the board is good")
    server.write_code("ABCD-EFGH")
    for wrong in ("ABCD-EFG", "ABCD-EFGHA", "", "A", "ABCD-EFGX", "BCDE-FGHA"):
        expect(tried(wrong) == 401, "%s opened" % wrong)
    expect(tried("ABCD-EFGH") == 401, "the sixth try was let in")
    server.write_code("ABCD-EFGH", failures=4)
    expect(tried("ABCD-EFGH") == 303, "the fifth try was not let in")
    expect(b"not valid" in server.show("WRONG").body, "nothing is said of a wrong code")


@claim("a code cannot be used up by another site: a link tries nothing, and a form has to be the board's own", **ALONE)
def lure(world):
    server = server_of(world, paired=False)
    server.write_code("ABCD-EFGH")
    for _ in range(10):
        reply = server.get("/pair?c=WRONG-ONE", cookie="")
        expect_status(reply, 401, "a picture's link")
        expect(b'value="WRONG-ONE"' in reply.body and b"not valid" not in reply.body, "the link has tried it")
        for foreign in ("http://evil.example", "null", ""):
            expect_status(server.show("WRONG-ONE", origin=foreign), 403, "a form of %s" % foreign)
    reply = server.get("/pair?c=%22%3E%3Cscript%3E", cookie="")
    expect(b"script" not in reply.body, "the link puts markup into the form")
    expect_status(server.show("ABCD-EFGH"), 303, "the owner's code after that")


@claim("a phone that is forgotten is told nothing more, though its page is open", **ALONE)
def forgotten(world):
    server = server_of(world)
    page = server.events()
    expect(page.until("status"), "nothing was told")
    answer = server.homeward("forget", "--all", "--state", server.state)
    expect(answer.status == 0, answer.error)
    expect_status(server.get("/api/page"), 401, "a question")
    # Its end is what is waited for: a stream that goes on has a comment every other second.
    expect(in_the_end(page.is_over), "the page stays open")


@claim("a link in a folder where others may write is replaced by the command line, not followed", **ALONE)
def links(world):
    server = server_of(world)
    victim = os.path.join(world.folder, "victim")
    forget = ["forget", "--all", "--state", server.state]
    for name, words in (("code", ["--run", server.run]), ("sessions.json", forget)):
        with open(victim, "w") as file:
            file.write("precious")
        place = os.path.join(server.run if name == "code" else server.state, name)
        if os.path.exists(place):
            os.unlink(place)
        os.symlink(victim, place)
        answer = server.homeward(*words)
        expect(answer.status == 0, answer.error)
        with open(victim) as file:
            expect(file.read() == "precious", "%s led to another file, which was written" % name)
        expect(not os.path.islink(place), "%s is the link still" % name)


@claim("a change has to come from the board's own page, as JSON", **ALONE)
def origin(world):
    server = server_of(world)
    expect_status(server.do(["tag", "own"]), 200, "the own page")
    expect_status(server.do(["tag", "own"], origin="https://" + server.host), 200, "behind a proxy")
    for foreign in ("http://evil.example", "null", "", "http://127.0.0.1", "http://%s.evil" % server.host):
        expect_status(server.do(["tag", "foreign"], origin=foreign), 403, "Origin %s" % foreign)
    for kind in ("text/plain", "application/x-www-form-urlencoded", "", "multipart/form-data; boundary=x"):
        expect_status(server.do(["tag", "form"], kind=kind), 403, "Content-Type %s" % kind)
    tag = world.tracker.ask("tag", "--json").text
    expect("foreign" not in tag and "form" not in tag, "the tag is %s" % tag)


@claim("only these words are passed on", **ALONE)
def words(world):
    server = server_of(world)
    for line in (["wipe"], ["wipe", "--all"], ["reload"], ["status"], ["withdraw"], ["region", "import"],
                 ["--json", "wipe"], ["settings", "show"], ["queue"], ["friend", "show", "x"]):
        expect_status(server.do(line), 403, "%s" % line)
    for body in (b"", b"{}", b"[]", b"[1]", b'["tag', b'"tag"', b'["tag","\\u0000"]'):
        expect_status(server.do(None, body=body), 400, "%s" % body)
    expect_status(server.ask("POST", "/api/why", b"[]", headers=["Origin: http://" + server.host]), 405, "POST")
    expect_status(server.ask("PUT", "/", b""), 405, "PUT")
    reply = server.do(["mode", "manual"])
    expect(reply.json().get("ok") is True, "mode manual: %s" % reply.body)
    expect(world.tracker.status()["mode"] == "manual", "the mode did not change")
    expect(server.do(["mode", "nonsense"]).json().get("ok") is False, "nonsense was taken")


@claim("a session may look, and nothing else, where it was made for that", **ALONE)
def look(world):
    server = server_of(world, paired=False)
    server.pair("--look")
    expect(server.get("/api/page").json()["may"] == "look", "it may more than look")
    expect_status(server.get("/api/why"), 200, "to look")
    expect_status(server.do(["tag", "x"]), 403, "to change")


@claim("a board that is locked lets phones publish and call for help that else might change it, and nothing more", locked=True, **ALONE)
def locked(world):
    server = server_of(world)
    expect("locked" in server.get("/api/settings").json(), "whether it is locked is not told")
    may = server.get("/api/page").json()["may"]
    expect(may == "publish", "it may %s" % may)
    for line in (["tag", "x"], ["mode", "quiet"], ["reconnect"]):
        expect_status(server.do(line), 403, "%s on a locked board" % line)
    expect("no position" in server.do(["publish"]).json().get("error", ""), "to publish: %s" % server.do(["publish"]).body)
    for line in (["sos"], ["sos", "--acknowledge"]):
        expect(server.do(line).json().get("ok") is True, "%s: %s" % (line, server.do(line).body))
    server.pair("--look")
    expect(server.get("/api/page").json()["may"] == "look", "it may more than look")
    for line in (["publish"], ["sos"]):
        expect_status(server.do(line), 403, "%s of who may look" % line)


@claim("a session that is forgotten is over at once", **ALONE)
def forgotten(world):
    server = server_of(world)
    kept = server.cookie
    server.pair()
    listed = server.homeward("list", "--state", server.state, "--json").json()["sessions"]
    expect(len(listed) == 2, "%d sessions" % len(listed))
    expect(server.homeward("forget", "nobody", "--state", server.state).status == 1, "nobody was forgotten")
    expect(server.homeward("forget", listed[1]["name"], "--state", server.state).status == 0, "not forgotten")
    expect_status(server.get("/"), 401, "who was forgotten")
    expect_status(server.get("/", cookie=kept), 200, "the other one")
    expect(server.homeward("forget", "--all", "--state", server.state).status == 0, "not forgotten")
    expect_status(server.get("/", cookie=kept), 401, "all")


@claim("every answer says what a browser may do with it", osmTemplate=None, **ALONE)
def headers(world):
    server = server_of(world)
    replies = {path: server.get(path) for path in ("/", "/page.js", "/api/page", "/api/why", "/nothing")}
    replies["door"] = server.get("/", cookie="")
    replies["421"] = server.get("/", host="evil.example")
    replies["403"] = server.do(["wipe"])
    for path, reply in replies.items():
        found = reply.headers
        expect(found.get("x-content-type-options") == "nosniff", "%s: nosniff" % path)
        expect(found.get("referrer-policy") == "origin", "%s: Referrer-Policy %s" % (path, found.get("referrer-policy")))
        policy = found.get("content-security-policy", "")
        expect("frame-ancestors 'none'" in policy and policy.startswith("default-src '"), "%s: %s" % (path, policy))
        expect("unsafe" not in policy, "%s: %s" % (path, policy))
    policy = replies["/"].headers["content-security-policy"]
    expect("img-src 'self' blob: data:;" in policy, "pictures of others: %s" % policy)
    for path in ("/api/page", "/api/why", "door"):
        expect(replies[path].headers.get("cache-control") == "no-store", "%s may be stored" % path)


@claim("the terminal shows the link as a picture that a camera reads", **ALONE)
def picture(world):
    server = server_of(world, paired=False)
    answer = server.homeward("--run", server.run, "--port", str(server.port))
    expect(answer.status == 0, answer.error)
    lines = answer.text.splitlines()
    link = lines[-1]
    expect(link.startswith("http://") and "/pair?c=" in link, "the link is %s" % link)
    expect(link.partition("=")[2] in lines[1], "the code is not told: %s" % lines[:2])
    if not shutil.which("zbarimg"):
        raise Skip("no zbarimg")
    rows = [line for line in lines if set(line) <= set("\u2588\u2580\u2584 ") and len(line) > 20]
    path = os.path.join(world.folder, "picture.pbm")
    draw(rows, path)
    done = subprocess.run(["zbarimg", "--quiet", "--raw", path], capture_output=True, text=True)
    expect(done.stdout.strip() == link, "a camera reads %s" % done.stdout)
    local = "/pair?c=" + link.partition("=")[2]
    expect(('value="%s"' % link.partition("=")[2]).encode() in server.get(local, cookie="").body, "the link's form")
    expect_status(server.show(link.partition("=")[2]), 303, "its code")


@claim("without libqrencode one line names the package, and address and code are there", **ALONE)
def no_picture(world):
    server = server_of(world, paired=False)
    folder = os.path.join(world.folder, "libraries")
    os.mkdir(folder)
    open(os.path.join(folder, "libqrencode.so.4"), "w").close()
    answer = server.homeward("--run", server.run, "--port", str(server.port), env={"LD_LIBRARY_PATH": folder})
    expect(answer.status == 0, answer.error)
    expect(not set("\u2588\u2580\u2584") & set(answer.text), "there is a picture: %s" % answer.text)
    expect(answer.error.count("apt install libqrencode4") == 1 and answer.error.count("\n") == 1, "said: %s" % answer.error)
    expect("camera" not in answer.text, "there is no picture to point at: %s" % answer.text)
    code = answer.text.splitlines()[-1].partition("=")[2]
    expect("type the code %s." % code in answer.text, "the code is not told: %s" % answer.text)
    expect_status(server.show(code), 303, "its code")


def draw(rows, path, scale=6):
    """What the terminal shows, as a picture: of each letter the upper and the lower half is light or not."""
    pixels = []
    for row in rows:
        for half in ("\u2588\u2580", "\u2588\u2584"):
            line = " ".join(" ".join("0" if letter in half else "1" for _ in range(scale)) for letter in row)
            pixels += [line] * scale
    with open(path, "w") as file:
        file.write("P1\n%d %d\n%s\n" % (len(rows[0]) * scale, len(pixels), "\n".join(pixels)))


# What is told


@claim("an open page is told what changes, and no more than that")
def events(world):
    world.start()
    server = PageServer(world.folder, world.tracker.socket).start()
    world._closing.append(server.kill)
    server.pair()
    page, other = server.events(), server.events()
    for one in (page, other):
        first = one.until("status")
        expect(first and first.get("mode") == "move" and "fix" in first and "connection" in first, "first %s" % first)
    # What was under way comes first; then nothing changes, and nothing is told.
    expect(in_the_end(lambda: page.next(2.5) is None), "it is told again and again")
    world.tracker.ask("mode", "manual")
    for one in (page, other):
        changed = one.until("status", like=lambda value: "mode" in value)
        expect(changed and changed["mode"] == "manual" and "gps" not in changed, "changed: %s" % changed)
    world.tracker.ask("region", "add", "Mill", "--lat", "48", "--lon", "16", "--radius", "80")
    expect(page.until("changed", like=lambda value: "regions" in value), "regions were not told to be old")
    world.tracker.kill()
    expect(page.until("board") == {"reached": False}, "a tracker that is gone was not told")
    expect_status(server.get("/api/why"), 503, "a question to nobody")
    expect_status(server.do(["tag", "x"]), 503, "an order to nobody")
    world.tracker.start()
    expect(page.until("board") == {"reached": True}, "a tracker that is back was not told")
    expect(page.until("status"), "no status after that")


@claim("the tracker is asked once a second however many look, and never when nobody does", port=0, **ALONE)
def polling(world):
    # Nothing changes (it does not even try the broker): that a page is closed shows in nothing but its end.
    server = server_of(world)
    relay = Relay(world, server)
    server.stop()
    server.control = relay.path
    server.start()
    expect(stays(lambda: relay.count == 0, 1.5), "%d questions though nobody looks" % relay.count)
    pages = [server.events() for _ in range(8)]
    for page in pages:
        expect(page.until("status"), "a page was told nothing")
    before, began = relay.count, time.monotonic()
    in_the_end(lambda: relay.count - before >= 4)
    took = time.monotonic() - began
    expect(2 <= relay.count - before <= took + 1.5, "%d questions in %.1f s" % (relay.count - before, took))
    for page in pages:
        page.close()
    expect(quiet_span(lambda: relay.count, 2.5), "it asks on though nobody looks")


@claim("the tracker's answers come as they are, and the history as a track", pace=4)
def answers(world):
    world.start()
    world.feed(world.drive(30))
    server = PageServer(world.folder, world.tracker.socket).start()
    world._closing.append(server.kill)
    server.pair()
    in_the_end(lambda: server.get("/api/history").json().get("history"), every=0.2)
    for path in ("why", "regions", "friends", "history", "beacons", "queue"):
        reply = server.get("/api/" + path)
        expect(reply.status == 200 and reply.json().get("ok") is True, "%s: %s" % (path, reply.body[:80]))
    points = server.get("/api/history?limit=3&newest=1").json()["history"]
    expect(len(points) == 3, "%d points of 3" % len(points))
    expect_status(server.get("/api/history?after=x"), 404, "after=x")
    track = server.get("/export.gpx?from=%d" % points[0]["tst"])
    expect(track.headers["content-type"] == "application/gpx+xml", "a track of %s" % track.headers["content-type"])
    expect(track.body.count(b"<trkpt ") == 3 and track.body.rstrip().endswith(b"</gpx>"), "a track: %s" % track.body[-300:])
    whole = server.get("/export.gpx").body.count(b"<trkpt ")
    count = world.tracker.status()["history"]
    expect(whole == count, "%d points of %d" % (whole, count))
    friend = server.get("/api/friend?topic=owntracks%2Fnobody%2Fphone").json()
    expect(friend.get("ok") is False, "nobody is %s" % friend)


if __name__ == "__main__":
    main()
