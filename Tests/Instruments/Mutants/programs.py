"""Small programs of tests: one for each folder of them, or one for all.

Such a program starts in a tenth of the time that the one with all tests takes, and most breaks are noticed by the tests
that lie in a folder of the same name. So these are asked first, whole.
"""
import concurrent.futures
import glob
import json
import os
import re
import subprocess
import sys

# Test target: the system's libraries that it is linked with, beside the targets that Package.swift says.
PURE = {"CoreTests": (), "OwnTracksTests": ("-ljansson",), "StorageTests": ("-lsqlite3", "-ljansson"),
        "UplinkTests": ("-lmosquitto", "-lssl", "-lcrypto", "-ljansson")}
# These mostly wait: for brokers that they start, side by side.
WAITING = {"UplinkTests-all"}
# Their folders share more than scenes.
WHOLE = {"OwnTracksTests", "StorageTests", "UplinkTests"}
START = """import Testing

@main struct Program {
  static func main() async { await Testing.__swiftPMEntryPoint() as Never }
}
"""


def _plugins():
    """Where the compiler keeps what spells out the tests' macros."""
    compiler = os.path.realpath(subprocess.run(["which", "swiftc"], check=True, capture_output=True, text=True).stdout.strip())
    return os.path.join(os.path.dirname(os.path.dirname(compiler)), "lib", "swift", "host", "plugins", "testing")


def _lots(tree, target):
    """Name: files. What lies in Scenes, or beside the folders, is for all of them."""
    root = os.path.join(tree, "Tests/Unit", target.removesuffix("Tests"))
    if target in WHOLE:
        yield target + "/all", sorted(glob.glob(os.path.join(root, "**", "*.swift"), recursive=True))
        return
    shared = glob.glob(os.path.join(root, "*.swift")) + glob.glob(os.path.join(root, "Scenes", "*.swift"))
    for folder in sorted(glob.glob(os.path.join(root, "*", ""))):
        name = os.path.basename(os.path.dirname(folder))
        files = glob.glob(os.path.join(folder, "**", "*.swift"), recursive=True)
        if name != "Scenes" and files:
            yield "%s/%s" % (target, name), sorted(shared + files)


def _needs(tree):
    """Target: the targets that it depends on, also by others."""
    told = json.loads(subprocess.run(
        ["swift", "package", "dump-package"], cwd=tree, check=True, capture_output=True, text=True).stdout)
    direct = {target["name"]: {name for kind in target["dependencies"] for name, *_ in kind.values()} for target in told["targets"]}

    def closure(name, found):
        for other in direct.get(name, set()) & set(direct) - found:
            found.add(other)
            closure(other, found)
        return found
    return {name: closure(name, set()) for name in direct}


def _compile(tree, place, needs, name, files):
    debug = os.path.join(tree, ".build", "debug")
    target = name.split("/")[0]
    objects, libraries = sorted(needs[target]), PURE[target]
    program = os.path.join(place, name.replace("/", "-"))
    start = os.path.join(place, "Program.swift")
    maps = glob.glob(os.path.join(tree, "Sources", "C*", "module.modulemap"))
    maps += glob.glob(os.path.join(debug, "C*.build", "module.modulemap"))
    linked = [path for target in objects
              for path in glob.glob(os.path.join(debug, target + ".build", "**", "*.o"), recursive=True)]
    made = os.path.getmtime(program) if os.path.exists(program) else 0
    if all(os.path.getmtime(path) < made for path in [*files, *linked]):
        return name, program
    done = subprocess.run(
        ["swiftc", "-swift-version", "6", "-Onone", "-suppress-warnings", "-parse-as-library",
         "-package-name", os.path.basename(tree),
         "-module-name", name.replace("/", "_"), "-I", os.path.join(debug, "Modules"),
         *("-Xcc -fmodule-map-file=%s" % " -Xcc -fmodule-map-file=".join(sorted(maps))).split(),
         *[word for folder in glob.glob(os.path.join(tree, "Sources", "C*", "include"))
           for word in ("-Xcc", "-I", "-Xcc", folder)],
         "-plugin-path", _plugins(), *files, start, *linked, "-lTesting", *libraries, "-o", program],
        cwd=place, capture_output=True, text=True)
    if done.returncode:
        sys.exit("%s does not build by itself:\n%s" % (name, "\n".join(
            [line for line in done.stderr.splitlines() if "error:" in line][:10] or done.stderr.splitlines()[-10:])))
    return name, program


def build(tree, place, targets, jobs):
    """Name: program, for each folder of the pure test targets among `targets`."""
    os.makedirs(place, exist_ok=True)
    with open(os.path.join(place, "Program.swift"), "w", encoding="utf-8") as file:
        file.write(START)
    needs = _needs(tree)
    lots = [lot for target in targets if target in PURE for lot in _lots(tree, target)]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return dict(pool.map(lambda lot: _compile(tree, place, needs, *lot), lots))


# A test that takes longer is asked after all others of its folder, in seconds.
SHORT = 0.1


def commands(program, long):
    """Its short tests, and the others where there are some. `long`: a pattern of what is not asked at all."""
    command, kept = [program, "--no-parallel", "--skip", long], program + ".slow"
    if os.path.exists(kept) and os.path.getmtime(kept) > os.path.getmtime(program):
        with open(kept, encoding="utf-8") as file:
            slow = file.read().split()
    else:
        told = subprocess.run(command, capture_output=True, text=True).stderr
        took = re.findall(r"Test (\w+)\(.*\) .*passed after ([0-9.]+) seconds", re.sub(r"\x1b\[[0-9;]*m", "", told))
        slow = sorted({name for name, seconds in took if float(seconds) > SHORT})
        with open(kept, "w", encoding="utf-8") as file:
            file.write(" ".join(slow))
    yield [*command[:-1], "|".join([long, *("[./]%s[/(]" % name for name in slow)])]
    if os.path.basename(program) in WAITING:
        command.remove("--no-parallel")
    if slow:
        yield [*command, "--filter", "[./](%s)[/(]" % "|".join(slow)]
