"""The figures of RELIABILITY.md: how they are kept, a JSON object a line, and how those of new runs are taken in."""
import json
import pathlib
import re
import subprocess

root = pathlib.Path(__file__).resolve().parents[2]

# Kinds of fault by what they befall; named as the simulator names them.
KINDS = [
    ("receiver", ["fixLost", "fixLate", "fixRepeated", "fixJumped", "dateRolledOver", "receiverBlind",
                  "gpsdLost", "fixAhead", "leapSecondsLost", "dateWrong", "parkedNoise", "placeDrifted",
                  "placeJumped", "fixesLate"]),
    ("clock", ["wallStepped", "bornIn1970"]),
    ("network", ["networkCut", "halfOpen", "networkSlow", "acknowledgementsReordered", "connectionReset"]),
    ("broker", ["brokerRestarted", "sessionLost", "credentialsRefused", "messageRefused",
                "messagePostponed", "quotaReached", "messageForbidden", "brokerMute", "brokerPaused"]),
    ("process and power", ["killed", "killedInWrite", "powerCut", "powerCutInWrite", "writesDropped",
                           "writeTorn"]),
    ("disk", ["diskFull", "diskFailing", "diskSlow", "bitFlipped"]),
    ("board and people", ["batteryFlapped", "configured", "commanded"]),
    ("beacons", ["radioHung", "advertLost"]),
    ("handshake with the broker", ["connectCut", "greetingCut", "subscribeCut", "subackCut", "filterRefused",
                                   "filterForbidden", "sessionExpired"]),
    ("vehicle and afar", ["ignitionTurned", "switchedOff", "ordered"]),
]
FAULTS = [name for _, names in KINDS for name in names]


def total(rows, name):
    return sum(row.get(name) or 0 for row in rows)


def grouped(rows, key):
    groups = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


def load(folder):
    return {name: [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
            for name in ("worlds", "soaks", "real", "attacks", "states", "breaks", "alone", "night")
            for path in [folder / f"{name}.jsonl"]}


def git(*words):
    done = subprocess.run(["git", "-C", root, *words], capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else None


def day(version):
    """When that was committed; whoever asks for a version that nobody can check out is told so."""
    if version.endswith("-dirty"):
        raise SystemExit(f"{version} is of a tree with changes: commit them and run it again")
    found = git("log", "-1", "--format=%as", version, "--")
    if not found:
        raise SystemExit(f"{version or 'figures without a version'}: not in the history")
    return found


def dated(row, version):
    names = (version or "").split(", ")
    return {**row, "version": ", ".join(names), "date": max(day(name) for name in names)}


def lost(figures):
    """Versions of rows that nobody can check out. A clone may be without its history."""
    if git("rev-parse", "--is-shallow-repository") != "false":
        return []
    names = {name.removeprefix("before ") for rows in figures.values() for row in rows
             for name in row["version"].split(", ")}
    return sorted(name for name in names if git("cat-file", "-e", name + "^{commit}") is None)


def add_sums(paths, figures):
    found, soaks = [], []
    for line in (line for path in paths for line in pathlib.Path(path).read_text().splitlines()):
        if line.startswith("sums "):
            words = dict(word.partition("=")[::2] for word in line.split()[1:])
            version, seeds = words.pop("commit", None), words.pop("seeds", "unknown")
            hours = words.pop("soak", None)
            row = dated({"seeds": seeds, **{name: int(count) for name, count in words.items()}}, version)
            if hours is None:
                found.append(row)
            else:
                soaks.append({"hours": int(hours), **{name: row[name] for name in row if name not in FAULTS},
                              "faults": sum(row.get(name, 0) for name in FAULTS)})
    if not total(found, "runs"):
        raise SystemExit("no line of sums in " + ", ".join(paths))
    figures["worlds"], figures["soaks"] = found, soaks or figures["soaks"]


def add_faults(folder, figures):
    """What is of a kind that was run again takes the place of its rows; attacks take the place of all."""
    rows = []
    for path in sorted(pathlib.Path(folder).glob("*.json")):
        found = json.loads(path.read_text())
        rows += [dated(row, row.get("version")) for row in (found if isinstance(found, list) else [found])]
    attacks = [row for row in rows if row.pop("attack", None)]
    faults = [{name: value for name, value in row.items() if isinstance(value, (int, float, str)) or name == "problems"}
              for row in rows if row not in attacks]
    for row in faults:
        row["problems"] = len(row.get("problems") or [])
    kinds = {row["kind"] for row in faults}
    figures["real"] = [row for row in figures["real"] if row["kind"] not in kinds] + faults
    figures["attacks"] = attacks or figures["attacks"]


def add_states(path, figures):
    told = json.loads(pathlib.Path(path).read_text())
    figures["states"] = [dated({**row, "seeds": told["seeds"]}, told["version"]) for row in told["machines"]]


def by_folder(path, left_out=()):
    # Who was looked at again is told of as it was the last time.
    last = {one["name"]: one for one in map(json.loads, pathlib.Path(path).read_text().splitlines())}
    ours = [one for one in last.values() if one["name"] not in left_out]
    return [dated({"folder": folder, "breaks": rows[0].get("of"), "looked": len(rows),
                   "noticed": sum(bool(row["noticed"]) for row in rows)},
                  ", ".join(sorted({row["version"] for row in rows})))
            for folder, rows in sorted(grouped(ours, lambda one: one["folder"]).items())]


def add_breaks(path, figures):
    """Rows of targets that the file has nothing of stay."""
    lines = (root / "Tests/Instruments/Mutants/equivalent").read_text().splitlines()
    rows = by_folder(path, {line.split(" # ")[0].strip() for line in lines if line.strip() and not line.startswith("#")})
    targets = {row["folder"].split("/")[0] for row in rows}
    stay = [row for row in figures["breaks"] if row["folder"].split("/")[0] not in targets]
    figures["breaks"] = sorted(stay + rows, key=lambda row: row["folder"])


def add_alone(told, figures):
    path, _, seeds = told.rpartition(":")
    figures["alone"] = [{**row, "seeds": "1.." + seeds} for row in by_folder(path)]


def add_night(path, figures):
    """What Tests/Runner/parts.sh has written. A part that passed again counts as it did the last time; others stay, as a
    night may go on on another machine."""
    found = {}
    for line in pathlib.Path(path).read_text().splitlines():
        told = re.fullmatch(r"\S+ (.+): (\d+) (\d+) passed and skipped, (\d+) s, (\S+)", line)
        if not told:
            raise SystemExit(f"{path}: not a part of a night: {line}")
        name, version = told[1], told[5]
        found[name] = dated(dict(zip(("part", "passed", "skipped", "seconds"), (name, *map(int, told.groups()[1:4])))), version)
    if not found:
        raise SystemExit(f"{path}: no part of a night")
    figures["night"] = [row for row in figures["night"] if row["part"] not in found] + list(found.values())
