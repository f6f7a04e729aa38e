"""A Debian of the same release as this machine's, made to be thrown away, and packages to install in it."""
import os
import shutil
import subprocess
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../.."))
BINARIES = os.environ.get("HOMEWARD_BIN", os.path.join(ROOT, ".build", "release"))
# What the tracker needs there, and what install.sh would otherwise fetch.
PACKAGES = [
    "systemd", "procps", "minisign", "libmosquitto1", "libsqlite3-0", "libjansson4", "libexpat1", "libstdc++6",
    "libmicrohttpd12", "libsodium23", "libqrencode4", "gpsd"]

# Mounts and processes of their own, which end with the command. What is in /dev is there for reading.
ENTER = """
mount --make-rprivate /
mount -t proc proc "$ROOT/proc"
mount -t tmpfs tmpfs "$ROOT/run"
mount --rbind /dev "$ROOT/dev"
export HOME=/root TMPDIR=/tmp LC_ALL=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
exec chroot "$ROOT" "$@"
"""


class Missing(Exception):
    """What this machine lacks to make one."""


def run(*command, **how):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **how)


def release():
    with open("/etc/os-release") as file:
        return next(line.split("=")[1].strip() for line in file if line.startswith("VERSION_CODENAME="))


def architecture():
    return run("dpkg", "--print-architecture").stdout.strip()


class Debian:
    """`inside` runs a command in it: a Done with status and text."""

    def __init__(self):
        if os.geteuid() != 0:
            raise Missing("needs root")
        for program in ("mmdebstrap", "minisign"):
            if not shutil.which(program):
                raise Missing("%s is not installed" % program)
        if run("unshare", "-m", "-p", "-f", "true").returncode != 0:
            raise Missing("this machine allows no mounts of our own")
        self.top = tempfile.mkdtemp(prefix="hw-debian-", dir="/var/tmp")
        self.root = os.path.join(self.top, "root")
        made = run(
            "mmdebstrap", "--quiet", "--variant=minbase", "--include=" + ",".join(PACKAGES),
            "--aptopt=Acquire::Check-Valid-Until \"false\"", "--aptopt=APT::Install-Recommends \"false\"",
            release(), self.root, _mirror())
        if made.returncode != 0:
            self.close()
            raise Missing("mmdebstrap: %s" % made.stdout.strip().splitlines()[-1:])

    def close(self):
        shutil.rmtree(self.top, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.root, name.lstrip("/"))

    def write(self, name, text, mode=0o644):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w") as file:
            file.write(text)
        os.chmod(self.path(name), mode)

    def read(self, name):
        try:
            with open(self.path(name)) as file:
                return file.read()
        except FileNotFoundError:
            return None

    def has(self, name):
        return os.path.lexists(self.path(name))

    def command(self, *words):
        """What runs it; to end that process is to end everything that it started."""
        return ["unshare", "-m", "-p", "-f", "--kill-child", "sh", "-c", ENTER, "sh", *words]

    def environment(self):
        return dict(os.environ, ROOT=self.root)

    def inside(self, *words, seconds=300):
        return run(*self.command(*words), env=self.environment(), stdin=subprocess.DEVNULL, timeout=seconds)

    def shell(self, text, seconds=300):
        return self.inside("sh", "-c", text, seconds=seconds)


def _mirror():
    lines = run("apt-get", "indextargets", "--format", "$(REPO_URI) $(COMPONENT) $(CREATED_BY)").stdout
    for line in lines.splitlines():
        words = line.split()
        if words[1:] == ["main", "Packages"] and "security" not in words[0]:
            return words[0]
    raise Missing("apt knows no Debian mirror here")


def package(folder):
    """The package of the programs that this machine has built, compressed in a hurry."""
    quick = dict(os.environ, DPKG_DEB_COMPRESSOR_TYPE="gzip", DPKG_DEB_COMPRESSOR_LEVEL="1")
    program = os.path.join(ROOT, "board", "package")
    made = run(program, architecture(), "--programs", BINARIES, "-o", folder, env=quick)
    if made.returncode != 0:
        raise AssertionError("board/package: %s" % made.stdout)
    return made.stdout.strip().splitlines()[-1]


def variant(deb, folder, version, files=None, arch=None):
    """The same package with another version, and with other texts for some of its files."""
    tree = tempfile.mkdtemp(dir=folder)
    run("dpkg-deb", "-R", deb, tree, check=True)
    control = os.path.join(tree, "DEBIAN", "control")
    with open(control) as file:
        lines = file.read().splitlines()
    new = {"Version": version, "Architecture": arch or architecture()}
    with open(control, "w") as file:
        for line in lines:
            key = line.partition(":")[0]
            file.write("%s: %s\n" % (key, new[key]) if key in new else line + "\n")
    for name, text in (files or {}).items():
        with open(os.path.join(tree, name), "w") as file:
            file.write(text)
        os.chmod(os.path.join(tree, name), 0o755)
    run("rm", "-f", os.path.join(tree, "DEBIAN", "md5sums"))
    name = os.path.join(folder, "homeward_%s_%s.deb" % (version, new["Architecture"]))
    run("dpkg-deb", "--root-owner-group", "-Zgzip", "-z1", "--build", tree, name, check=True)
    shutil.rmtree(tree)
    return name
