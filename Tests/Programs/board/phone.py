"""A phone at the page of a board in an emulator: its browser sends what a real one does."""
import http.client
import json
import time

import servers


def asked(world, method, path, words=None, cookie=""):
    """(status, headers, text) of one request at the page, as a browser of this machine sends it."""
    host = "127.0.0.1:%d" % world.guest.page_port
    headers = {"Host": host, "Origin": "http://" + host, "Content-Type": "application/json", "Cookie": cookie}
    line = http.client.HTTPConnection(host, timeout=60)
    try:
        body = words if isinstance(words, str) else json.dumps(words) if words else None
        line.request(method, path, body, headers)
        reply = line.getresponse()
        return reply.status, reply.headers, reply.read().decode(errors="replace")
    except OSError as error:
        return 0, {}, str(error)
    finally:
        line.close()


def open_page(world, report, note):
    """As somebody who has the card's text file and a phone, and no terminal."""
    status, _, text = asked(world, "GET", "/")
    report(status == 401 and "code" in text, "the page is served, and opens for nobody without a code", "%s %s" % (status, text))
    card = world.guest.ssh("cat /boot/firmware/homeward-page.txt") or ""
    code = card.partition("Code: ")[2].strip()
    report("http://van-1.local/" in card and code, "the card says where the page is, and a code", card)
    # Emulated, ten minutes may be over by now.
    status, headers, _ = asked(world, "POST", "/pair", "c=" + code)
    report(status == 303, "the card's code lets a phone in", "%s" % status)
    cookie = (headers.get("Set-Cookie") or "").partition(";")[0]
    status, headers, text = asked(world, "GET", "/", cookie=cookie)
    report(status == 200 and headers.get("Content-Encoding") == "gzip", "which then has the page", "%s" % status)
    status, _, text = asked(world, "GET", "/api/regions", cookie=cookie)
    report(status == 200 and json.loads(text).get("ok"), "and what the tracker knows", "%s %s" % (status, text))
    since = time.monotonic()
    status, _, text = asked(world, "POST", "/api/do", ["publish"], cookie)
    report(status == 200 and servers.in_the_end(lambda: any(
        m.arrived >= since and (m.json() or {}).get("t") == "u" for m in world.watcher.messages), 0.5),
        "and a button on it is at the broker", "%s %s" % (status, text))
    said = world.guest.ssh("systemd-analyze security --no-pager homeward-web | tail -1") or ""
    score = said.partition("service: ")[2].split(" ")[0]
    report(score and float(score) <= 1.5, "the page's exposure is %s (at most 1.5)" % score, said)
    note(world.guest.ssh("grep -E '^(Rss|Private_Dirty)' /proc/$(pgrep -x homeward-web)/smaps_rollup | paste -sd' '") or "")
    said = world.guest.ssh("for i in 1 2 3 4 5 6 7 8 9; do pgrep -x homeward-web >/dev/null || break; sleep 10; done; "
                           "pgrep -xc homeward-web; systemctl is-active homeward-web.socket", 150)
    report(said == "0\nactive", "a minute after the last visitor the server is gone, and its socket is not", said)
