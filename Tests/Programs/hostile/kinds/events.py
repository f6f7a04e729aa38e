"""The owner's program is run for the owner's crossings, whatever friends do; the journal stays readable."""
import json
import os
import time

from flood import Flood
from judge import Siege, most_lines
from own import LASTS, Drive
from waiting import in_the_end
from world import expect


def _hook(world):
    """A program that notes its word and its message."""
    noted = os.path.join(world.folder, "noted")
    path = os.path.join(world.folder, "hook")
    with open(path, "w") as file:
        file.write('#!/bin/sh\necho "$1 $(cat)" >> %s\n' % noted)
    os.chmod(path, 0o755)
    return path, noted


def _ran(noted):
    """{word: how often}, and the events of the own crossings it was told."""
    words, told = {}, []
    try:
        with open(noted) as file:
            lines = file.read().splitlines()
    except OSError:
        return words, told
    for line in lines:
        word, _, text = line.partition(" ")
        words[word] = words.get(word, 0) + 1
        try:
            value = json.loads(text)
        except ValueError:
            continue
        if word == "transition" and value.get("desc") == "Gate":
            told.append(value.get("event"))
    return words, told


def crossings(world, rate=1000):
    hook, noted = _hook(world)
    world.tracker.configure(onEvent=hook)
    siege = Siege(world, megabytes=96)
    expect(siege.settle(), "nothing came through before the attack")
    before, begun = len(siege.journal.lines()), time.monotonic()
    flood = Flood(world, "crossing", rate=rate, seconds=LASTS)
    siege.lives.watch(2)
    drive = Drive(world)
    drive.through(siege)
    delays = drive.delays()
    in_the_end(lambda: len(_ran(noted)[1]) >= 2)
    expect(flood.is_alive(), "the flood had ended before the crossings came")
    flood.kill()
    words, told = _ran(noted)
    lines = len(siege.journal.lines()) - before
    siege.expect(None not in delays.values(), "own crossings did not come to the broker: %s" % delays)
    siege.expect(told == ["enter", "leave"], "onEvent ran for %s of the own crossings enter, leave; in all %s" % (
        told, words))
    # The two own crossings may be told of.
    most = most_lines(begun) + 2
    siege.expect(lines <= most, "%d lines in the journal, at most %d" % (lines, most))
    return dict(kind="%d transitions of friends a second" % rate, seconds=round(time.monotonic() - begun), lines=lines,
                own=len(told), **words, problems=siege.problems)
