"""A Debian 13 with the engines of a fleet in it, and how a program is run there."""
import ctypes
import os
import shutil
import signal
import subprocess

PACKAGES = ("rabbitmq-server haproxy postgresql-17 postgresql-17-postgis-3 python3-pika python3-psycopg iproute2 "
            "procps").split()
PROGRAMS = ("usr/sbin/rabbitmq-server", "usr/sbin/haproxy", "usr/lib/postgresql/17/bin/postgres",
            "usr/share/postgresql/17/extension/postgis.control", "usr/lib/python3/dist-packages/pika",
            "usr/lib/python3/dist-packages/psycopg")

# $1 is the root, the words up to -- are folders or files and where they are to be seen, the rest is what to run.
INSIDE = r"""
root=$1; shift
mount -t proc proc "$root/proc" || exit
while [ "$1" != -- ]; do mount --bind "$1" "$root/$2" || exit; shift 2; done
shift
if [ -n "${NODE-}" ]; then echo "$NODE" >/proc/sys/kernel/hostname; fi
exec chroot "$root" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 "$@"
"""


class Missing(Exception):
    """What is not to be had here."""


def mirror():
    """Where this machine's apt has Debian from."""
    form = "$(REPO_URI) $(COMPONENT) $(CREATED_BY)"
    done = subprocess.run(["apt-get", "indextargets", "--format", form], capture_output=True, text=True)
    for line in done.stdout.splitlines():
        words = line.split()
        if len(words) == 3 and words[1:] == ["main", "Packages"] and "security" not in words[0]:
            return words[0]
    raise Missing("no Debian mirror in apt's configuration")


def is_trixie():
    with open("/etc/os-release") as file:
        return "VERSION_CODENAME=trixie\n" in file.readlines()


def version(root, package):
    """Of a package there."""
    with open(os.path.join(root, "var/lib/dpkg/status")) as file:
        for entry in file.read().split("\n\n"):
            lines = entry.splitlines()
            if "Package: " + package in lines:
                return next(line.split()[1] for line in lines if line.startswith("Version: "))
    return "?"


def is_complete(root, programs):
    # A link of that root leads nowhere from here.
    return all(os.path.lexists(os.path.join(root, path)) for path in programs)


def prepare(folder, name="debian", packages=PACKAGES, programs=PROGRAMS):
    """The root to run the engines in: this system, or a Debian 13 in the folder, which is made where it is missing.
    `programs`: what shows that the packages are there."""
    if os.geteuid() != 0:
        raise Missing("this needs root, for namespaces")
    for program in ("ip", "unshare", "nsenter", "chroot"):
        if not shutil.which(program):
            raise Missing("%s is not installed" % program)
    if is_trixie() and is_complete("/", programs):
        return "/"
    root = os.path.join(folder, name)
    if is_complete(root, programs):
        return root
    if not shutil.which("mmdebstrap"):
        raise Missing("mmdebstrap is not installed, and this is no Debian 13 with %s" % ", ".join(packages))
    made = root + ".new"
    shutil.rmtree(made, ignore_errors=True)
    # What is installed is not to start there.
    hook = ('p=$1/usr/sbin/policy-rc.d; mkdir -p "${p%/*}"; printf "#!/bin/sh\\nexit 101\\n" >"$p"; chmod +x "$p"')
    done = subprocess.run(
        ["mmdebstrap", "--quiet", "--variant=minbase", "--include=" + ",".join(packages),
         "--aptopt=Acquire::Check-Valid-Until \"false\"", "--setup-hook=" + hook, "trixie", made, mirror()],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise Missing("the packages are not to be had: %s" % (done.stderr.strip().splitlines() or ["?"])[-1])
    # Each run has names of its own, over this file.
    with open(os.path.join(made, "etc/hosts"), "a"):
        pass
    os.rename(made, root)
    return root


def user(root, name):
    """The number of a user there, and of its group."""
    with open(os.path.join(root, "etc/passwd")) as file:
        for line in file:
            words = line.split(":")
            if words[0] == name:
                return int(words[2]), int(words[3])
    raise Missing("%s has no user %s" % (root, name))


def die_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def children(pid):
    try:
        with open("/proc/%d/task/%d/children" % (pid, pid)) as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


class Process:
    """A program in a root, with processes and mounts of its own that end with it."""

    def __init__(self, name, root, log, binds=(), net=None, user=None):
        self.name, self.root, self.binds, self.net, self.user = name, root, list(binds), net, user
        self.log_path, self.process = log, None

    def words(self, command, environment):
        """The whole command line, and the environment of its first part."""
        before = ["nsenter", "--net=/proc/%d/ns/net" % self.net] if self.net else []
        binds = [word for pair in self.binds for word in pair]
        as_user = []
        if self.user:
            number, group = user(self.root, self.user)
            # To become another user makes one forget to end with the parent.
            as_user = ["setpriv", "--pdeathsig=KILL", "--reuid=%d" % number, "--regid=%d" % group, "--clear-groups"]
        return before + [
            "unshare", "--mount", "--pid", "--uts", "--fork", "--kill-child", "bash", "-c", INSIDE, "bash", self.root,
            *binds, "--", *["%s=%s" % pair for pair in environment.items()], *as_user, *command]

    def start(self, command, **environment):
        assert self.process is None, self.name + " runs already"
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                self.words(command, environment), env=dict(os.environ, NODE=environment.get("NODE", "")), stdout=log,
                stderr=log, stdin=subprocess.DEVNULL, preexec_fn=die_with_parent)
        return self

    def run(self, command, text=None, **environment):
        """To its end: what it said."""
        done = subprocess.run(
            self.words(command, environment), env=dict(os.environ, NODE=""), input=text, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError("%s: %s: %s" % (self.name, " ".join(command)[:200], done.stderr.strip()[-2000:]))
        return done.stdout

    @property
    def first(self):
        """Of its processes the first, as seen from here."""
        return next(iter(children(self.process.pid)), None)

    def find(self, name):
        """Its process of this name, as seen from here."""
        waiting = [self.process.pid] if self.process else []
        while waiting:
            pid = waiting.pop()
            try:
                with open("/proc/%d/comm" % pid) as file:
                    if file.read().strip() == name:
                        return pid
            except OSError:
                pass
            waiting += children(pid)
        return None

    def is_alive(self):
        return self.process is not None and self.process.poll() is None

    def kill(self):
        """All of it, at once."""
        process, first = self.process, self.process and self.first
        self.process = None
        if first:
            # The first one of its space, with which all of them end.
            os.kill(first, signal.SIGKILL)
        if process is not None:
            process.kill()
            process.wait()

    def stop(self, number=signal.SIGTERM, seconds=60):
        """Asks its first process to end: its exit status, None where it had to be killed."""
        if not self.is_alive():
            return self.kill()
        first = self.first
        if first:
            os.kill(first, number)
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
        finally:
            self.kill()

    def log(self):
        with open(self.log_path, errors="replace") as file:
            return file.read()
