"""What a program measure-* found out. No figure makes one red: it ends with 0 if it could measure at all.

Each is a line for people and a line of JSON, which is added to the file HOMEWARD_FIGURES as well, if there is one."""
import json
import os


def figure(name, value, unit, earlier):
    """`earlier`: what it was, or what is promised, in the same unit; a text where that is no number."""
    value = None if value is None else round(value, 4)
    print("# %s: %s %s (earlier: %s)" % (name, "none" if value is None else "%g" % value, unit, earlier))
    line = json.dumps({"figure": name, "value": value, "unit": unit, "earlier": earlier})
    print(line, flush=True)
    path = os.environ.get("HOMEWARD_FIGURES")
    if path:
        with open(path, "a", encoding="utf-8") as file:
            file.write(line + "\n")
