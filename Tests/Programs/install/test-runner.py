#!/usr/bin/env python3
# takes: 8 s
"""The one test command counts right: in a small tree with programs that pass, fail, fail once, say nothing or hang, and
with a Swift whose builds and unit tests do."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../.."))

# What stands in for the parts that build, in the part that is read last. A build counts as a stage, as the real one does.
UNBUILT = """
checked_build() {
  stage "checked build" sh -c '[ -z "$EDIT" ] || echo "$EDIT" >touched' || return
  export HOMEWARD_BIN=/nowhere
}
checked_tests() { false; }
"""
INSTEAD = """
install_needs() { :; }
begin_lint() { :; }
end_lint() { :; }
begin_seeds() { :; }
end_seeds() { pass worlds; }
nightly() {
  stage good true
  stage "a root of another release" sh -c 'echo trying; echo there is no debootstrap; exit 77'
  stage bad false
}
measure() {
  parts_named=${PARTS:-}
  part "one" stage good sh -c 'echo one >>"$HERE/../ran"'
  part "one and two" stage "where it is ready" test -e "$HERE/../ready"
  part "three" stage "not to be had" sh -c 'echo none; exit 77'
  [ -z "${EDIT:-}" ] || part "edited" stage "edits" sh -c 'echo "$EDIT" >touched'
  [ -z "${EMPTY:-}" ] || part "empty" true
  all_parts_done
}
# As the nights have it.
run_everything=${EVERYTHING:-no}
"""

# A Swift that "builds" the programs; LOST: it does not say where, LACKS: it leaves that one out.
SWIFT = """#!/bin/sh
case "$*" in
  *--show-bin-path*) [ -z "$LOST" ] && echo "$HERE/built" ;;
  build*)
    for name in homewardd homeward homeward-web simulate; do
      [ "$name" = "$LACKS" ] || { cp /bin/sleep "$HERE/built/$name.made" && mv "$HERE/built/$name.made" "$HERE/built/$name"; }
    done ;;
esac
"""

# Three unit tests, of which each run has one, or two, one of which fails; LISTS: how it ends where it has to list them,
# ENDS: how a run ends after its first test, FAILS: that one fails.
UNITS = """#!/bin/sh
case "$*" in
  *--list-tests*)
    [ -z "$LISTS" ] || eval "$LISTS"
    printf 'SomeTests.A/one()\\nUplinkTests.B/two()\\nSomeTests.C/waiting()\\n'
    exit ;;
  *--filter*one*) FAILS= ENDS= ;;
  *UplinkTests*) ;;
  *--skip*) two=2 ;;
esac
if [ -n "$FAILS" ]; then
  echo "x Test one() recorded an issue"; echo "x Test one() failed after 0.1 seconds."
  end=failed status=1
fi
[ -z "$ENDS" ] || eval "$ENDS"
echo "x Test run with ${RAN:-${two:-1}} tests in 1 suite ${end:-passed} after 0.1 seconds."
exit ${status:-0}
"""


class Tree:
    """A repository with nothing but the runner and the programs that are given."""

    def __init__(self, has_swift=False, **programs):
        self.root = tempfile.mkdtemp(prefix="hw-runner-")
        os.makedirs(self.path("Tests/Programs/some"))
        shutil.copy(os.path.join(ROOT, "Tests/run"), self.path("Tests/run"))
        shutil.copytree(os.path.join(ROOT, "Tests/Runner"), self.path("Tests/Runner"))
        self.write("Tests/Runner/nightly.sh", INSTEAD if has_swift else INSTEAD + UNBUILT)
        if has_swift:
            for folder in ("path", "built"):
                os.mkdir(self.path(folder))
            self.write("path/swift", SWIFT, mode=0o755)
            self.write("built/homewardPackageTests.xctest", UNITS, mode=0o755)
            self.write("Tests/Runner/slow-units", "waits     waiting\n")
            os.mkdir(self.path("Tests/Programs/people"))
            for name in ("test-replay", "test-manual.py"):
                self.write("Tests/Programs/people/" + name, "#!/bin/sh\necho ok 1", mode=0o755)
        if os.path.exists(self.path("Tests/Runner/proven")):
            os.remove(self.path("Tests/Runner/proven"))
        self.write("touched", "once\n")
        for name, text in programs.items():
            self.write("Tests/Programs/some/test-" + name, "#!/bin/sh\n" + text, mode=0o755)
        self.git("init", "-q")
        self.git("add", "-A")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.root)

    def path(self, name):
        return os.path.join(self.root, name)

    def write(self, name, text, mode=0o644):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(self.path(name), mode)

    def git(self, *words):
        subprocess.run(["git", *words], cwd=self.root, check=True, capture_output=True)

    def run(self, *words, **environment):
        """The lines that Tests/run prints, and its status."""
        environment = {**os.environ, "PATH": self.path("path") + ":" + os.environ["PATH"], "HOMEWARD_FLAKY": self.path("flaky"), "HERE": self.root,
                       **environment}
        done = subprocess.run([self.path("Tests/run"), *(words or ("e2e",))], env=environment, capture_output=True, text=True,
                              check=False)
        return done.stdout.splitlines(), done.returncode


def counts():
    with Tree(a="echo ok 1; echo ok 2", b="echo ok 3; echo skip 4") as tree:
        lines, status = tree.run()
        assert lines[-1] == "4 passed, 0 failed, 1 skipped" and status == 0, lines


def fails_twice():
    with Tree(a="echo ok 1; echo not ok 2", b="echo ok 3", c="exit 3", d="true", e="echo ok 5; exit 1") as tree:
        lines, status = tree.run()
        assert lines[-1] == "4 passed, 4 failed" and status == 1, lines
        assert any(line.startswith("not ok  test-a: 1 of 2, twice; again with: Tests/run e2e test-a") for line in lines), lines
        assert not os.path.exists(tree.path("flaky"))


def fails_once():
    once = 'if [ -e "$HERE/there" ]; then echo ok 1; else touch "$HERE/there"; echo not ok 1 too late; fi'
    with Tree(a=once, b="echo ok 2") as tree:
        lines, status = tree.run()
        assert lines[-1] == "3 passed, 0 failed" and status == 0, lines
        told = "flaky   test-a: failed beside others, passed alone: not ok 1 too late"
        assert told in lines and os.path.exists(tree.path("flaky")), lines
        with open(tree.path("flaky"), encoding="utf-8") as file:
            assert file.read().endswith("test-a: not ok 1 too late\n")


def hangs():
    with Tree(a="sleep 60", b="echo ok 1") as tree:
        lines, status = tree.run("e2e", HOMEWARD_LIMIT="1")
        assert lines[-1] == "2 passed, 1 failed" and status == 1, lines
        assert any("test-a: not done in time, twice" in line for line in lines), lines


def landing():
    once = 'if [ -e "$HERE/there" ]; then echo ok 1; else touch "$HERE/there"; echo not ok 1; fi'
    with Tree(a=once, b="# alone\necho ok 2", c="# busy\necho ok 3; echo skip 4", d="# touches: touched\necho ok 5") as tree:
        lines, status = tree.run("land")
        assert lines[-1] == "6 passed, 0 failed, 1 skipped" and status == 0, lines
        assert any(line.startswith("flaky   test-a") for line in lines), lines
        lines, status = tree.run("land")
        assert lines[-1] == "5 passed, 0 failed, 1 skipped" and status == 0, lines
        tree.write("Tests/Programs/some/test-b", "#!/bin/sh\n# alone\nexit 1", mode=0o755)
        assert tree.run("land")[0][-1] == "4 passed, 1 failed, 1 skipped"


def nothing():
    with Tree(a="echo ok 1") as tree:
        lines, status = tree.run("e2e", "no-such-name")
        assert lines[-1].endswith("1 failed") and status == 1, lines


def touched():
    with Tree(a="# touches: touched\necho ok 1", b="echo ok 2") as tree:
        assert tree.run()[0][-1] == "3 passed, 0 failed"
        lines, status = tree.run()
        assert lines[-1] == "2 passed, 0 failed" and status == 0, lines
        assert "proven  test-a: what it touches has not changed since it passed" in lines, lines
        assert tree.run("e2e", "test-a")[0][-1] == "2 passed, 0 failed"
        assert tree.run(EVERYTHING="yes")[0][-1] == "3 passed, 0 failed"
        tree.write("touched", "twice\n")
        assert tree.run()[0][-1] == "3 passed, 0 failed"
        tree.write("Tests/Programs/some/test-a", "#!/bin/sh\n# touches: touched\necho not ok 1\n", mode=0o755)
        assert tree.run()[0][-1] == "2 passed, 1 failed"


def edited():
    """What is edited after the build began is not what ran."""
    with Tree(a="# touches: touched\necho ok 1", b="# touches: touched\necho ok 2; echo twice >touched") as tree:
        lines, status = tree.run("e2e", "test-a", EDIT="thrice")
        assert lines[-1] == "2 passed, 0 failed" and status == 0, lines
        assert any(line.startswith("changed test-a: ") for line in lines), lines
        assert not os.path.exists(tree.path("Tests/Runner/proven"))
        lines, status = tree.run("e2e", "test-b")
        assert any(line.startswith("changed test-b: ") for line in lines), lines
        assert not os.path.exists(tree.path("Tests/Runner/proven"))
        assert tree.run("e2e", "test-")[0][-1] == "3 passed, 0 failed"
        with open(tree.path("Tests/Runner/proven"), encoding="utf-8") as file:
            assert [line.split()[1] for line in file] == ["test-a", "test-b"]


def builds():
    """A landing whose build or list is broken, after the stage that has been counted already."""
    with Tree(has_swift=True, a="echo ok 1") as tree:
        lines, status = tree.run("land")
        assert lines[-1] == "9 passed, 0 failed" and status == 0, lines
        for broken, told in (({"LOST": "yes"}, "swift does not say where it builds"),
                             ({"LACKS": "homeward-web"}, "homeward-web could not be copied")):
            os.remove(tree.path("built/homeward-web"))
            lines, status = tree.run("land", **broken)
            assert status == 1 and any(line.startswith("not ok  " + told) for line in lines), lines
        for tier in ("land", "unit", "quick"):
            for how in ("kill -SEGV $$", "exit 3", "exit 0"):
                lines, status = tree.run(tier, LISTS=how)
                assert status == 1 and any("could not be listed" in line for line in lines), (tier, how, lines)
        # What a leftover process still runs is replaced.
        with subprocess.Popen([tree.path(".build-checked/programs/homewardd"), "60"]) as left:
            lines, status = tree.run("land")
            left.kill()
        assert lines[-1] == "9 passed, 0 failed" and status == 0, lines


def units():
    with Tree(has_swift=True) as tree:
        for tier, passed in (("unit", 4), ("quick", 5)):
            lines, status = tree.run(tier)
            assert lines[-1] == "%d passed, 0 failed" % passed and status == 0, (tier, lines)
            lines, status = tree.run(tier, FAILS="yes")
            assert status == 0 and any(line.startswith("flaky   one") for line in lines), (tier, lines)
            for broken in ({"FAILS": "yes", "ENDS": "kill -SEGV $$"}, {"FAILS": "yes", "ENDS": "exit 1"}, {"RAN": "5"},
                           {"FAILS": "yes", "ENDS": "status=139"}, {"ENDS": "exit 0"}):
                lines, status = tree.run(tier, **broken)
                assert status == 1 and any(line.startswith("not ok  unit tests") for line in lines), (tier, broken, lines)


def bare():
    """A test of what is needed that says yes where the program that it asks is not there, either."""
    parts = os.path.join(ROOT, "Tests/Runner/needs.sh")
    listed = '. "$1"; needs'
    asked = '. "$1"; PATH=/nowhere; needs() { echo "$TEST | package"; }; say() { :; }; fail() { echo "missing"; }; install_needs'
    found = subprocess.run(["bash", "-c", listed, "bash", parts], capture_output=True, text=True, check=True)
    lines = [line for line in found.stdout.splitlines() if not line.startswith("test -e /")]
    assert len(lines) > 20, lines
    for line in lines:
        environment = dict(os.environ, TEST=line.rsplit("|", 1)[0])
        done = subprocess.run(["/bin/bash", "-c", asked, "bash", parts], env=environment, capture_output=True, text=True,
                              check=False)
        assert done.stdout == "missing\n", "taken to be there on a machine without it: %s" % line


def parts():
    with tempfile.TemporaryDirectory() as folder, Tree(a="echo ok 1") as tree:
        def night(named="", **environment):
            with open(os.path.join(folder, "ran"), "a+", encoding="utf-8") as file:
                lines, status = tree.run("measure", HOMEWARD_NIGHT=os.path.join(folder, "night"), HERE=os.path.join(folder, "x"),
                                         PARTS=named, **environment)
                file.seek(0)
                return lines[-1], status, len(file.readlines())

        def kept(name):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                return [re.sub(r"^[0-9a-f]{32} ", "", re.sub(r"[0-9]+ s, [0-9a-f]{8}", "N s, V", line)) for line in file]

        tree.git("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "all")
        os.mkdir(os.path.join(folder, "x"))
        assert night() == ("1 passed, 1 failed, 1 skipped", 1, 1)
        # What failed is tried again, what passed is not, nor after its outcome was taken into the page.
        os.makedirs(tree.path("Tests/Simulator/figures"))
        tree.write("RELIABILITY.md", "1 passed\n")
        tree.write("Tests/Simulator/figures/night.jsonl", "{}\n")
        assert night() == ("1 passed, 1 failed, 1 skipped", 1, 1)
        tree.write("touched", "twice\n")
        assert night() == ("1 passed, 1 failed, 1 skipped", 1, 2)
        one, three = (name + " passed and skipped, N s, V" for name in ("one: 1 0", "three: 0 1"))
        assert kept("night") == [one + "\n", three + "\n", one + "-dirty\n", three + "-dirty\n"], kept("night")
        assert night("three") == ("0 passed, 0 failed, 1 skipped", 0, 2)
        assert night("two") == ("0 passed, 1 failed", 1, 2)
        os.mkdir(os.path.join(folder, "ready"))
        assert night("two") == ("1 passed, 0 failed", 0, 2)
        assert night("zwei") == ("0 passed, 1 failed", 1, 2)
        assert night() == ("2 passed, 0 failed, 1 skipped", 0, 2)
        assert kept("night-passed")[-1] == "one and two: 1 0 passed and skipped, N s, V-dirty\n", kept("night-passed")
        # The next night is another one.
        assert night() == ("2 passed, 0 failed, 1 skipped", 0, 3)
        # What passed in a tree that was edited meanwhile is not kept, and does not end the night.
        assert night(EDIT="thrice") == ("3 passed, 0 failed, 1 skipped", 0, 4)
        assert not any(line.startswith("edited") for line in kept("night")), kept("night")
        assert night(EMPTY="yes")[:2] == ("2 passed, 1 failed, 1 skipped", 1)


def stages():
    with Tree(a="echo ok 1") as tree:
        lines, status = tree.run("nightly")
        assert lines[-1] == "1 passed, 1 failed, 1 skipped" and status == 1, lines
        assert "skip    a root of another release: there is no debootstrap" in lines, lines


CLAIMS = {"counts each line that a program says, and ends well": counts,
          "what fails twice is red, and says how it is repeated": fails_twice,
          "what fails once and passes alone is counted as passed, told, and kept in the list of flaky ones": fails_once,
          "what does not end is ended, and is red": hangs,
          "a landing counts what runs beside the builds, what is alone, and what is run again": landing,
          "nothing that is run is no success": nothing,
          "a landing whose build is not to be found, not to be copied or not to be listed is red": builds,
          "unit tests that crash, or are fewer than are listed, are red even where one of them only failed once": units,
          "edits during a build or a test are not noted as proven": edited,
          "where no program is, each one that is needed is missing": bare,
          "a night goes on with the part that it was at, in the same tree": parts,
          "a stage that cannot be had here is skipped, with its reason": stages,
          "what it touches has not changed since it passed: it is not run again, until it changes or is asked for by name": touched}


def main():
    failed = 0
    for name, check in CLAIMS.items():
        try:
            check()
            print("ok " + name)
        except AssertionError as error:
            failed += 1
            print("not ok %s: %s" % (name, error))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
