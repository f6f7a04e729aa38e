"""A cut that was complained of, as files: what the disk held, what had been promised, and what is to be said of it."""
import json
import os

import model


def keep(folder, name, image, recording, cut, base, lies, words):
    """The folder that it lies in."""
    path = os.path.join(folder, name)
    os.makedirs(path, exist_ok=True)
    with open(os.path.join(path, "image"), "wb") as file:
        file.write(image)
    _, state, damaged = base
    with open(os.path.join(path, "cut.json"), "w") as file:
        json.dump({"complaints": words, "place": cut.place, "kept": [offset // 512 for offset, _ in cut.kept],
                   "open": sorted({(where + at) // 512 for _, where, data in recording.writes[cut.first:]
                                   for at in range(0, len(data), 512)} if not lies else ()),
                   "marks": recording.marks_until(cut.place), "before": vars(state), "damaged": damaged,
                   "lies": bool(lies)}, file)
    return path


def again(bench, folder):
    """The complaints of the store as it is now."""
    with open(os.path.join(folder, "image"), "rb") as file:
        bench.image[:] = file.read()
    with open(os.path.join(folder, "cut.json")) as file:
        known = json.load(file)
    answer, _ = bench.start()
    if answer is None:
        return ["nothing can be mounted"]
    state = _state(known["before"])
    if known["lies"]:
        return model.made_up(state, known["marks"], answer)
    promises = model.Promises(state)
    for mark in known["marks"]:
        promises.hear(mark)
    return model.complaints(promises, answer, known["damaged"])[0] + answer.get("strange", [])


def _state(fields):
    """Numbers are text as names in JSON, and pairs are lists."""
    state = model.State()
    vars(state).update(fields)
    state.messages = {int(number): tuple(pair) for number, pair in fields["messages"].items()}
    state.points = {int(number): tuple(pair) for number, pair in fields["points"].items()}
    return state
