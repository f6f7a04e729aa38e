"""A disk as a power cut leaves it.

The real program runs once under strace. What it did to the disk is played again on this model, up to
any step, and the model then says what a cut there may leave: everything; only what fsync has promised;
names without their content; the last write in half.
"""
import os
import re
import subprocess

CALLS = "openat,open,creat,write,pwrite64,rename,renameat,renameat2,unlink,unlinkat,fsync,fdatasync,ftruncate"
LINE = re.compile(r"^(\d+) +(\w+)\((.*)\) += (-?\d+)")
TEXT = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')
HANDLE = re.compile(r"^(?:AT_FDCWD|\d+)<((?:[^<>])*)>")


class Node:
    """A file: what programs see, and what is on the disk for certain."""

    def __init__(self, content=b"", promised=None):
        self.content, self.promised = content, promised


def record(command, folders, environment):
    """The steps of a run that change what is below the folders, as (call, path, more)."""
    trace = subprocess.run(
        ["strace", "-f", "-qq", "-y", "-xx", "-s", "400000", "-o", "/dev/stderr", "-e", "signal=none",
         "-e", "trace=" + CALLS] + command,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, check=False)
    steps = [step(match) for match in map(LINE.match, joined(trace.stderr.decode("latin-1"))) if match]
    return [s for s in steps if s and any((s[1] + "/").startswith(folder + "/") for folder in folders)]


def joined(text):
    """strace's lines; a call that another process interrupts comes in two halves."""
    waiting = {}
    for line in text.splitlines():
        pid = line.split(" ", 1)[0]
        if line.endswith("<unfinished ...>"):
            waiting[pid] = line[: -len("<unfinished ...>")]
        elif "resumed>" in line and pid in waiting:
            yield waiting.pop(pid) + line.split("resumed>", 1)[1]
        else:
            yield line


def unescaped(text):
    return bytes.fromhex(text.replace("\\x", ""))


def step(match):
    _, call, words, result = match.groups()
    if int(result) < 0:
        return None
    texts = [unescaped(text) for text in TEXT.findall(words)]
    handle = HANDLE.match(words)
    path = handle and handle.group(1)
    if path and "\\x" in path:
        path = unescaped(path).decode()
    if call in ("openat", "open", "creat"):
        if call == "creat" or "O_TRUNC" in words or "O_CREAT" in words or "O_WRONLY" in words:
            return ("open", texts[0].decode(), "O_TRUNC" in words)
        return None
    if call in ("write", "pwrite64"):
        return ("write", path, texts[0][: int(result)])
    if call in ("fsync", "fdatasync"):
        return ("fsync", path, None)
    if call.startswith("rename"):
        return ("rename", texts[0].decode(), texts[1].decode())
    if call.startswith("unlink"):
        return ("unlink", texts[0].decode(), None)
    raise AssertionError("the model knows no %s" % call)


class Disk:
    """Files by their path, as seen (names) and as promised (promised)."""

    def __init__(self, files):
        self.names = {path: Node(content, content) for path, content in files.items()}
        self.promised = dict(self.names)
        self.places = {}
        self.torn = None

    def apply(self, call, path, more):
        self.torn = None
        if call == "open":
            node = self.names.setdefault(path, Node())
            if more:
                node.content = b""
            self.places[path] = 0
        elif call == "write":
            node, place = self.names[path], self.places.get(path, 0)
            half = len(more) // 2
            self.torn = (path, node.content[:place] + more[:half] + node.content[place + half:])
            node.content = node.content[:place] + more + node.content[place + len(more):]
            self.places[path] = place + len(more)
        elif call == "rename":
            self.names[more] = self.names.pop(path)
        elif call == "unlink":
            self.names.pop(path, None)
        elif path in self.names:
            self.names[path].promised = self.names[path].content
        else:
            inside = lambda name: os.path.dirname(name) == path
            self.promised = {n: f for n, f in self.promised.items() if not inside(n)}
            self.promised.update({n: f for n, f in self.names.items() if inside(n)})

    def leavings(self):
        """Every state that a cut may leave now: {path: bytes}, each once."""
        seen = {n: f.content for n, f in self.names.items()}
        states = [
            seen,
            {n: f.promised or b"" for n, f in self.promised.items()},
            {n: f.promised or b"" for n, f in self.names.items()},
            {n: f.content for n, f in self.promised.items()},
        ]
        if self.torn and self.torn[0] in seen:
            states.append({**seen, self.torn[0]: self.torn[1]})
        return {tuple(sorted(state.items())): state for state in states}.values()


def leavings(files, steps):
    """(number of the step, files) for a cut before the first step, after each, and after the last."""
    disk, known = Disk(files), set()
    for number in range(len(steps) + 1):
        for state in disk.leavings():
            key = tuple(sorted(state.items()))
            if key not in known:
                known.add(key)
                yield number, state
        if number < len(steps):
            disk.apply(*steps[number])


def promised(files, steps):
    """What is on the disk for certain after the last step."""
    disk = Disk(files)
    for one in steps:
        disk.apply(*one)
    return {name: node.promised or b"" for name, node in disk.promised.items()}
