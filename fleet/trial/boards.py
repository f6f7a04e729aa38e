"""The boards' files, by `homeward fleet make`."""
import json
import os
import shutil
import subprocess

from debian import Missing

FLEET = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))


def homeward():
    path = os.path.join(os.environ["HOMEWARD_BIN"], "homeward") if "HOMEWARD_BIN" in os.environ else None
    path = path or shutil.which("homeward")
    if not path or not os.path.exists(path):
        raise Missing("homeward is not installed, expected it in PATH or in the folder that HOMEWARD_BIN names")
    return path


def make_fleet(folder, table, host, port, **more):
    """The folder of the boards' files, for a broker that is here."""
    with open(os.path.join(FLEET, "template.otrc")) as file:
        template = json.load(file)
    template.update(more, host=host, port=port)
    path = os.path.join(folder, "template.otrc")
    with open(path, "w") as file:
        json.dump(template, file, indent=1)
    out = os.path.join(folder, "out")
    done = subprocess.run([homeward(), "fleet", "make", path, table, out], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError((done.stdout + done.stderr).strip())
    return out
