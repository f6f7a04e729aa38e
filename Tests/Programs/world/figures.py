"""What a program measure-* found out. No figure makes one red: it ends with 0 if it could measure at all.

Each is a line for people and a line of JSON, which is added to the file HOMEWARD_FIGURES as well, if there is one."""
import json
import os


def figure(name, value, unit, reference):
    """`reference`: what is promised, or what it was before, in the same unit; a text where that is no number."""
    value = None if value is None else round(value, 4)
    print("# %s: %s %s (reference: %s)" % (name, "none" if value is None else "%g" % value, unit, reference))
    line = json.dumps({"figure": name, "value": value, "unit": unit, "reference": reference})
    print(line, flush=True)
    path = os.environ.get("HOMEWARD_FIGURES")
    if path:
        with open(path, "a", encoding="utf-8") as file:
            file.write(line + "\n")
