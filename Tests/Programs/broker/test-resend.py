#!/usr/bin/env python3
# takes: 90 s
# behaviour: Once more
# behaviour: HTTP
"""`homeward queue resend`: what was refused for good goes once more, in order, whenever the power goes."""
import json
import os
import sys
import time

sys.path.insert(1, sys.path[0] + "/../world")
from endpoint import Endpoint
from envelope import opened
from posting import arrive, begin, connection, warm_up
from subscriber import Subscriber
from tracker import TOPIC
from waiting import in_the_end
from world import claim, expect, main


def path(world):
    return os.path.join(world.tracker.state, "refused.jsonl")


def letters(world):
    """Lines of the file; none where there is no file."""
    try:
        with open(path(world)) as file:
            return [line for line in file.read().split("\n") if line]
    except FileNotFoundError:
        return []


def write(world, *lines, end=""):
    with open(path(world) + end, "w") as file:
        file.write("".join(line + "\n" for line in lines))


def letter(tst, topic=TOPIC, **keys):
    payload = json.dumps({"_type": "location", "lat": 48.5, "lon": 11.25, "tst": tst, **keys})
    return json.dumps({"time": tst, "topic": topic, "reason": "refused (400)", "payload": payload})


def beside(world):
    return sorted(name for name in os.listdir(world.tracker.state) if name.startswith("refused."))


def resend(world, status=0):
    answer = world.tracker.ask("queue", "resend")
    expect(answer.status == status, "exit status %d: %s%s" % (answer.status, answer.text, answer.error))
    return answer.text + answer.error


def refuse_three(world, endpoint, read=lambda post: post.json()):
    """Has the endpoint refuse three of a drive's positions: their times."""
    wrong = []

    def answer(post):
        value = read(post) or {}
        tst = value.get("tst")
        if value.get("_type") == "location" and tst not in wrong and len(wrong) < 3 and tst % 3 == 0:
            wrong.append(tst)
        return (400 if tst in wrong else 200), b"", {}
    endpoint.answer = answer
    world.feed(world.drive(12), hz=10)
    expect(in_the_end(lambda: len(letters(world)) == 3), "not three were refused: %s" % letters(world))
    return wrong


def taken_again(endpoint, times, since, read=lambda post: post.json()):
    posts = [read(post) or {} for post in endpoint.posts[since:] if post.status == 200]
    return [value["tst"] for value in posts if value.get("tst") in times]


@claim("what an endpoint refused goes once more when it is asked for, once and in order")
def again(world):
    endpoint = warm_up(world, begin(world))
    wrong = refuse_three(world, endpoint)
    world.tracker.wait_for_status(lambda s: s["queue"]["count"] == 0)
    refused = [post.body for post in endpoint.posts if post.status == 400]
    endpoint.answer = lambda post: (200, b"[]", {})
    since = len(endpoint.posts)
    text = resend(world)
    expect("3 messages are in the queue again" in text, text)
    expect(in_the_end(lambda: len(taken_again(endpoint, wrong, since)) == 3), "not all three came")
    expect(taken_again(endpoint, wrong, since) == sorted(wrong), "not in order")
    bodies = [post.body for post in endpoint.posts[since:] if post.json().get("tst") in wrong]
    expect(set(bodies) <= set(refused), "they have changed on the way: %s" % bodies)
    expect(in_the_end(lambda: beside(world) == []), "left over: %s" % beside(world))
    expect("nothing was refused" in resend(world), "it finds something")
    time.sleep(1)
    expect(len(taken_again(endpoint, wrong, since)) == 3, "they came twice")


@claim("what is still refused is set aside again, and can go again")
def refused_again(world):
    endpoint = warm_up(world, begin(world))
    wrong = refuse_three(world, endpoint)
    endpoint.answer = lambda post: ((400 if (post.json() or {}).get("tst") == wrong[1] else 200), b"", {})
    since = len(endpoint.posts)
    resend(world)
    # Only where others go through is it given up.
    world.feed(world.drive(12), hz=4)
    expect(in_the_end(lambda: len(letters(world)) == 1), "not refused again: %s" % letters(world))
    expect(json.loads(json.loads(letters(world)[0])["payload"])["tst"] == wrong[1], "another one: %s" % letters(world))
    expect(sorted(taken_again(endpoint, wrong, since)) == [wrong[0], wrong[2]], "the others did not come")
    endpoint.answer = lambda post: (200, b"", {})
    expect("1 message is in the queue again" in resend(world), "it is not sent again")
    expect(in_the_end(lambda: len(taken_again(endpoint, wrong, since)) == 3), "it did not come")


@claim("a message that cannot be kept stays in the queue until it is, over a kill too, and holds up no other")
def kept_later(world):
    endpoint = warm_up(world, begin(world))
    endpoint.answer = lambda post: ((400 if (post.json() or {}).get("poi") else 200), b"", {})
    os.mkdir(path(world))
    expect(world.tracker.ask("publish", "--poi", "wrong").status == 0, "not published")
    # Only where others go through is it given up.
    world.feed(world.drive(12), hz=4)
    expect(in_the_end(lambda: "it cannot be kept in %s yet" % path(world) in world.tracker.log()), world.tracker.log()[-2000:])
    expect("it is kept" not in world.tracker.log(), "it is said to be kept")
    arrive(endpoint, world.feed(world.drive(12), hz=4))
    world.tracker.kill()
    os.rmdir(path(world))
    world.tracker.start()
    world.feed(world.drive(12), hz=4)
    expect(in_the_end(lambda: letters(world)), "lost: %s" % world.tracker.log()[-2000:])
    expect(json.loads(json.loads(letters(world)[0])["payload"])["poi"] == "wrong", "another one: %s" % letters(world))
    expect("it is kept in %s" % path(world) in world.tracker.log(), "it is not said to be kept")
    endpoint.answer = lambda post: (200, b"", {})
    expect("in the queue again" in resend(world), "it is not sent again")
    expect(in_the_end(lambda: [post for post in endpoint.posts if post.status == 200 and (post.json() or {}).get("poi")]),
           "it did not come")


@claim("six wrong ones in a row are given up, and hold up what comes after them for seconds only")
def in_a_row(world):
    endpoint = warm_up(world, begin(world))
    first = world.clock + 3
    endpoint.answer = lambda post: ((400 if 0 <= (post.json() or {}).get("tst", 0) - first < 6 else 200), b"", {})
    began = time.monotonic()
    times = world.feed(world.drive(20), hz=5)
    good = {tst for tst in times if not 0 <= tst - first < 6}
    expect(len(good) == len(times) - 6, "not six are wrong")
    in_the_end(lambda: not good - {value["tst"] for value in endpoint.taken()})
    print("   all others were there after %.0f s" % (time.monotonic() - began))
    expect(not good - {value["tst"] for value in endpoint.taken()}, "some others did not come")
    for _ in range(20):
        if len(letters(world)) == 6:
            break
        world.feed(world.stand(10), hz=5)
    print("   all six were given up after %.0f s" % (time.monotonic() - began))
    expect(len(letters(world)) == 6, "not all six are given up: %d" % len(letters(world)))


@claim("what was encrypted is opened with today's key and encrypted again", encryptionKey="s1kr3t")
def encrypted(world):
    def read(post):
        return json.loads(opened(post.json())[0])
    endpoint = begin(world)
    world.feed(world.stand(30))
    expect(in_the_end(lambda: endpoint.posts), "nothing was posted")
    wrong = refuse_three(world, endpoint, read)
    endpoint.answer = lambda post: (200, b"[]", {})
    since = len(endpoint.posts)
    resend(world)
    expect(in_the_end(lambda: len(taken_again(endpoint, wrong, since, read)) == 3), "not all three came")
    texts = [opened(post.json())[0] for post in endpoint.posts[since:]]
    expect(all(text.count(b'"topic"') == 1 for text in texts), "a topic is in there twice: %s" % texts)


@claim("lines that hold no message stay, and are named in one line")
def torn(world):
    endpoint = warm_up(world, begin(world))
    write(world, '{"tor', letter(1700000001), '{"topic":"a/b"}', letter(1700000002))
    since = len(endpoint.posts)
    text = resend(world)
    expect("2 messages are in the queue again; 2 cannot be sent again" in text, text)
    expect("refused.jsonl, line 1: no JSON object" in text and text.count("\n") == 1, text)
    expect(in_the_end(lambda: taken_again(endpoint, (1700000001, 1700000002), since) == [1700000001, 1700000002]),
           "they did not come")
    expect(letters(world) == ['{"tor', '{"topic":"a/b"}'], "left: %s" % letters(world))
    text = resend(world, status=1)
    expect("none of 2 can be" in text, text)


@claim("kill -9 right after the answer: nothing is lost, nothing comes twice")
def killed(world):
    endpoint = warm_up(world, begin(world))
    endpoint.stop()
    times = list(range(1700000000, 1700000300))
    write(world, *map(letter, times))
    resend(world)
    world.tracker.kill()
    endpoint.start()
    world.tracker.start()
    in_the_end(lambda: len(taken_again(endpoint, times, 0)) >= len(times))
    expect(world.tracker.wait_for_status(lambda s: s["queue"]["count"] == 0)["queue"]["count"] == 0, "some wait")
    expect(taken_again(endpoint, times, 0) == times, "%d came of %d" % (len(taken_again(endpoint, times, 0)), len(times)))
    expect("nothing was refused" in resend(world) and beside(world) == [], "left over: %s" % beside(world))


@claim("the power goes before the store has them: they are in refused.jsonl again; after it: they are not")
def cut(world):
    endpoint = warm_up(world, begin(world))
    expect(world.tracker.ask("publish", "--poi", "here").status == 0, "nothing in the store")
    world.tracker.kill()
    # A sequence that the store has never given, and one that it has.
    write(world, letter(1700000001), letter(1700000002), end=".900000000000")
    write(world, letter(1700000009), end=".1")
    write(world, letter(1700000002), letter(1700000003))
    world.tracker.start()
    world.tracker.wait_for_status(lambda s: True)
    expect(in_the_end(lambda: beside(world) == ["refused.jsonl"]), "beside it: %s" % beside(world))
    since = len(endpoint.posts)
    resend(world)
    times = [1700000001, 1700000002, 1700000003]
    expect(in_the_end(lambda: taken_again(endpoint, times, since) == times), "they did not come in order, once")
    expect(not taken_again(endpoint, [1700000009], since), "what the store has had went again")


@claim("over MQTT: on the topic that it was made for, and the broker does not keep it")
def over_mqtt(world):
    world.start()
    write(world, letter(1700000001), letter(1700000002, topic=TOPIC + "/else"))
    resend(world)
    expect(in_the_end(lambda: any(m.topic == TOPIC + "/else" for m in world.watcher.messages)),
           "nothing came")
    times = [value["tst"] for value in world.locations()]
    expect(times.count(1700000001) == 1, "it came %d times" % times.count(1700000001))
    late = Subscriber(world.broker.port, [TOPIC + "/#"], name="late", keeps_session=False)
    world._closing.append(late.close)
    kept = in_the_end(lambda: [m for m in list(late.messages) if m.topic == TOPIC])
    expect(kept and kept[0].json()["tst"] != 1700000001, "the broker keeps an old place")
    expect(not [m for m in list(late.messages) if m.topic == TOPIC + "/else"], "the broker keeps it")


@claim("what is no file is named, and nothing is begun")
def pipe(world):
    begin(world)
    os.mkfifo(path(world))
    world.tracker.wait_for_status(lambda s: True)
    text = resend(world, status=1)
    expect("no file" in text, text)


@claim("an endpoint that does not know the board: named with what to do, and all arrives once it is known")
def unknown(world):
    endpoint = warm_up(world, begin(world, reconnectMin=1, reconnectMax=2))
    endpoint.answer = lambda post: (400, b"", {})
    times = world.feed(world.drive(10), hz=5)
    status = connection(world, lambda c: "may not know this board (400)" in c["cause"])
    expect(status["colour"] == "red" and "may not know" in status["cause"], "status %s" % status)
    doctor = world.tracker.ask("doctor", "--file", world.tracker.configuration).text
    expect("make this board known there" in doctor, "doctor: %s" % doctor)
    expect(letters(world) == [], "some were given up")
    endpoint.answer = lambda post: (200, b"[]", {})
    in_the_end(lambda: not set(times) - {value["tst"] for value in endpoint.taken()})
    expect(not set(times) - {value["tst"] for value in endpoint.taken()}, "some did not arrive")


@claim("each answer about who or where has its own remedy")
def remedies(world):
    endpoint = warm_up(world, begin(world, reconnectMin=1, reconnectMax=1))
    for status, words in ((401, "username and password"), (403, "right to post"), (404, "url"), (405, "url"),
                          (410, "url"), (302, "url")):
        endpoint.answer = lambda post, status=status: (status, b"", {})
        world.feed(world.drive(3), hz=5)
        connection(world, lambda c: str(status) in c["cause"])
        doctor = world.tracker.ask("doctor", "--file", world.tracker.configuration).text
        expect(str(status) in doctor and words in doctor, "%d: %s" % (status, doctor))
    expect(letters(world) == [], "some were given up")


@claim("friends of an endpoint are told apart by their topics, and a name comes in front of its place", friends=True)
def friends(world):
    bodies = [[{"_type": "card", "tid": "bo", "name": "Bob"},
               {"_type": "location", "tid": "bo", "topic": "owntracks/bob/p", "lat": 1, "lon": 2, "tst": 1700000000},
               {"_type": "card", "tid": "bo", "name": "Carol"},
               {"_type": "location", "tid": "bo", "topic": "owntracks/carol/p", "lat": "3", "lon": "4.5",
                "tst": "1700000000"}]]
    endpoint = begin(world)
    endpoint.answer = lambda post: (200, json.dumps(bodies[0]).encode(), {})
    warm_up(world, endpoint)

    def known():
        found = world.tracker.ask("friends", "--all", "--json").json()["friends"]
        return {friend["topic"]: (friend.get("name"), friend.get("lat")) for friend in found}
    wanted = {"owntracks/bob/p": ("Bob", 1.0), "owntracks/carol/p": ("Carol", 3.0)}
    expect(in_the_end(lambda: known() == wanted), "friends %s" % known())


@claim("a card with another name goes with the last face, until that is taken away")
def face(world):
    world.start()
    cards = Subscriber(world.broker.port, [TOPIC + "/info"], name="cards")
    world._closing.append(cards.close)
    picture = os.path.join(world.folder, "face.png")
    with open(picture, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + bytes(292))

    def card(*words):
        before = len(cards.messages)
        answer = world.tracker.ask("card", *words)
        expect(answer.status == 0, answer.error)
        # The one before may come again: its acknowledgement was not on the disk when the daemon was killed.
        def made():
            since = [message.json() for message in cards.messages[before:]]
            return [card for card in since if card["name"] == words[1]]
        expect(in_the_end(made), "no card")
        return made()[-1]
    first = card("--name", "Van", "--face", picture)
    expect(len(first["face"]) == 400, "no face")
    world.tracker.kill()
    world.tracker.start()
    world.tracker.wait_for_status(lambda s: s["connection"]["colour"] == "green")
    second = card("--name", "The van")
    expect(second == {**first, "name": "The van"}, "it has lost its face: %s" % second)
    expect("face" not in card("--name", "The van", "--no-face"), "the face is still there")
    expect("face" not in card("--name", "Van"), "the face is back")


if __name__ == "__main__":
    main()
