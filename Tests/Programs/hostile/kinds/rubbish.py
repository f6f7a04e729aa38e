"""Requests of all kinds of rubbish for the page's server: it goes on, tells nothing, and the tracker does not notice."""
import random
import socket
import threading
import time

from page import PageServer

WORLD = {"has_gpsd": False, "has_broker": False}
PATHS = [b"/", b"/pair", b"/pair?c=ABCD-EFGH", b"/api/do", b"/api/events", b"/api/why", b"/api/history?after=1",
         b"/api/friend?topic=%41", b"/export.gpx?from=1", b"/tiles/1/0/0", b"/map.pmtiles", b"/page.js",
         b"/../../etc/passwd", b"/%00", b"/%2e%2e/%2e%2e/", b"//", b"*", b"http://evil.example/", b"/?" + b"a=" * 200]
HEADERS = [b"Host: 127.0.0.1", b"Host: van.local", b"Host: evil.example", b"Host:", b"Cookie: homeward=" + b"0" * 32,
           b"Cookie: homeward=\xff\xfe", b"Cookie: " + b"a=b;" * 500, b"Origin: http://127.0.0.1", b"Origin: null",
           b"Content-Type: application/json", b"Content-Length: 5", b"Content-Length: -1",
           b"Content-Length: 99999999999999999999", b"Transfer-Encoding: chunked", b"Range: bytes=0-",
           b"Range: bytes=99999999999999999999-", b"If-None-Match: *", b"Expect: 100-continue",
           b"Connection: close", b"Connection: keep-alive", b"Upgrade: websocket", b"X: " + b"y" * 9000]
BODIES = [b"", b"hello", b'["wipe"]', b'["tag","x"]', b"[" * 500, b"5\r\nhello\r\n0\r\n\r\n", b"\x00" * 64]


def request(dice):
    method = dice.choice([b"GET", b"GET", b"POST", b"HEAD", b"PUT", b"DELETE", b"OPTIONS", b"G\x00T", b"", b"A" * 300])
    lines = [method + b" " + dice.choice(PATHS) + dice.choice([b" HTTP/1.1", b" HTTP/1.0", b"", b" HTTP/9.9"])]
    lines += [dice.choice(HEADERS) for _ in range(dice.randrange(5))]
    whole = bytearray(b"\r\n".join(lines) + b"\r\n\r\n" + dice.choice(BODIES))
    for _ in range(dice.choice([0, 0, 1, 3])):
        place = dice.randrange(len(whole))
        match dice.randrange(3):
            case 0: whole[place] = dice.randrange(256)
            case 1: del whole[place:place + dice.randrange(20)]
            case 2: whole[place:place] = bytes(dice.randrange(256) for _ in range(4))
        if not whole:
            break
    return bytes(whole)


def thrower(server, seed, end, most, told):
    """Many requests on one connection, as long as the server keeps it."""
    dice, count = random.Random(seed), 0
    while time.monotonic() < end and count < most:
        try:
            with socket.create_connection(("127.0.0.1", server.port), timeout=60) as line:
                line.settimeout(0.05)
                for _ in range(dice.randrange(1, 30)):
                    line.sendall(request(dice))
                    count += 1
                if dice.random() < 0.5:
                    line.shutdown(socket.SHUT_WR)
                answer = b""
                while piece := line.recv(65536):
                    answer += piece
                if b'"ok":true' in answer or b"Set-Cookie" in answer:
                    told["secrets"].append(answer[:200])
        except OSError:
            pass
    told["requests"] += count


def thrown(world, seconds=60, requests=10**9, throwers=4, seed=1, is_known=False):
    """`is_known`: with a session, so that what lies behind the door is reached as well."""
    world.tracker.start()
    if world.tracker.wait_for_status(lambda status: True) is None:
        return {"kind": "rubbish requests", "problems": ["the tracker did not begin"]}
    server = PageServer(world.folder, world.tracker.socket).start()
    world._closing.append(server.kill)
    cookie = server.pair().encode()
    if is_known:
        HEADERS.extend([b"Cookie: " + cookie] * 12)
    told = {"requests": 0, "secrets": []}
    begun, before = time.monotonic(), server.memory()
    threads = [threading.Thread(target=thrower, args=(server, seed * 100 + number, begun + seconds,
                                                      requests // throwers, told)) for number in range(throwers)]
    for thread in threads:
        thread.start()
    problems, slowest = [], 0.0
    while any(thread.is_alive() for thread in threads):
        asked = time.monotonic()
        answer = world.tracker.ask("status", "--json")
        if answer.status != 0:
            problems.append("the tracker did not answer: %s" % answer.error.strip())
        slowest = max(slowest, time.monotonic() - asked)
        if not server.is_alive():
            problems.append("it died with status %s: %s" % (server.process.returncode, server.log()[-300:]))
            break
        time.sleep(0.5)
    for thread in threads:
        thread.join()
    grown = server.memory() - before if server.is_alive() else 0
    if told["secrets"] and not is_known:
        problems.append("somebody was told %s" % told["secrets"][0])
    if server.is_alive() and server.get("/api/why").status != 200:
        problems.append("whom it knows is not served afterwards")
    if grown > 4000:
        problems.append("it grew by %d kB" % grown)
    return {"kind": "rubbish requests" + (" of one it knows" if is_known else ""), "requests": told["requests"],
            "grown kB": grown, "slowest status s": round(slowest, 2), "problems": problems}

