"""The guest's files: Debian packages unpacked, not installed, with a kernel and the modules for Bluetooth.

Needs apt, dpkg-deb, tar and a Debian mirror in apt's configuration; neither root nor a chroot, because no package's
scripts run. Kept in a cache under a name made of everything that it depends on.
"""
import fcntl
import glob
import hashlib
import lzma
import os
import re
import shutil
import struct
import subprocess
import tempfile

from archive import Archive

HERE = os.path.dirname(os.path.abspath(__file__))
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
RELEASES = ("bookworm", "trixie")
PACKAGES = (
    "bluez busybox-static coreutils dash dbus gpsd libbluetooth3 libexpat1 libjansson4 libmosquitto1 libsqlite3-0 "
    "libstdc++6 mosquitto python3 sed util-linux").split()
NEVER_READ = (
    "./usr/share/doc ./usr/share/man ./usr/share/locale ./usr/share/info ./usr/share/zoneinfo ./usr/share/zsh "
    "./usr/share/lintian */gconv ./lib/udev ./usr/lib/udev ./usr/share/bash-completion").split()
KERNEL = "linux-image-amd64"
# Wanted by packages' scripts, or by programs that the guest does not run.
LEFT_OUT = re.compile(
    r"(lib)?perl|lib.*-perl$|gcc-|dpkg$|tar$|debconf|usrmerge|systemd$|libsystemd-shared|udev$|passwd$|adduser"
    r"|libasound2-data|tzdata|login")
# In the order of loading what does not say so itself; what they depend on goes before each.
MODULES = (
    "libnvdimm nfit nd_pmem ext4 crc32c_generic cmac ecb aes_generic algif_hash algif_skcipher ecdh_generic uhid bluetooth hci_vhci i2c_dev i2c_stub").split()
USERS = [("root", 0), ("messagebus", 100), ("mosquitto", 101), ("gpsd", 102), ("homeward", 1000),
         ("nobody", 65534)]
GROUPS = ["bluetooth", "dialout", "netdev", "plugdev", "tty"]


class CannotBuild(Exception):
    """This machine lacks what it takes; the text says what."""


def image(release):
    """The folder with `kernel` and `initrd` for one of RELEASES, built where the cache lacks it."""
    cache = os.environ.get("XDG_CACHE_HOME")
    cache = os.path.join(cache, "homeward-vm") if cache else "/var/tmp/homeward-vm-%d" % os.getuid()
    os.makedirs(cache, 0o700, exist_ok=True)
    if os.stat(cache).st_uid != os.getuid():
        raise CannotBuild("%s belongs to somebody else" % cache)
    made = os.path.join(cache, "%s-%s" % (release, _key(release)))
    with open(os.path.join(cache, release + ".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two tests may want it at the same time
        if not os.path.isdir(made):
            for old in glob.glob(os.path.join(cache, release + "-*")):
                shutil.rmtree(old)
            work = tempfile.mkdtemp(prefix=release + "-making-", dir=cache)
            try:
                _Build(release, work).run()
                os.rename(os.path.join(work, "image"), made)
            finally:
                shutil.rmtree(work, True)
    return made


def _key(release):
    digest = hashlib.sha256(release.encode())
    for name in ("image.py", "archive.py", "first"):
        with open(os.path.join(HERE, name), "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()[:12]


class _Build:
    def __init__(self, release, work):
        self.release, self.work = release, work
        self.root, self.image = os.path.join(work, "root"), os.path.join(work, "image")
        self.packages = os.path.join(work, "packages")

    def run(self):
        for folder in (self.root, self.image, self.packages):
            os.mkdir(folder)
        self.fetch()
        modules = self.unpack()
        self.settle()
        self.make_initrd(modules)

    # Packages

    def fetch(self):
        state = os.path.join(self.work, "apt")
        for name in ("lists/partial", "archives/partial"):
            os.makedirs(os.path.join(state, name))
        self._write("apt/sources", "deb [signed-by=%s] %s %s main\n" % (KEYRING, _mirror(), self.release))
        self._write("apt/status", "")
        self.apt = [
            "apt-get", "-q", "-o", "Dir::Etc::SourceList=%s/sources" % state, "-o",
            "Dir::Etc::SourceParts=/dev/null", "-o", "Dir::State=" + state, "-o",
            "Dir::State::status=%s/status" % state, "-o", "Dir::Cache=" + state, "-o",
            "APT::Install-Recommends=0", "-o", "APT::Sandbox::User=root", "-o", "APT::Architecture=amd64", "-o",
            "Acquire::Languages=none", "-o", "Acquire::Check-Valid-Until=false", "-o", "Acquire::Retries=2",
            "-o", "Acquire::http::Timeout=20",
        ]
        _do([*self.apt, "-o", "APT::Update::Error-Mode=any", "update"])
        names = [name for name in self._chosen(PACKAGES) if not LEFT_OUT.match(name)]
        kernels = [name for name in self._chosen([KERNEL]) if re.match(r"linux-image-\d", name)]
        _do([*self.apt, "download", *names, *kernels], self.packages)

    def _chosen(self, names):
        """These and all that they depend on."""
        text = _do([*self.apt, "--simulate", "install", *names])
        return re.findall(r"^Inst (\S+)", text, re.M)

    def unpack(self):
        """The root; returns the kernel's modules in the order of loading."""
        for name in ("bin", "sbin", "lib", "lib64"):
            os.makedirs(os.path.join(self.root, "usr", name))
            os.symlink("usr/" + name, os.path.join(self.root, name))
        modules = None
        for package in sorted(glob.glob(self.packages + "/*.deb")):
            if os.path.basename(package).startswith("linux-image-"):
                modules = self._unpack_kernel(package)
            else:
                _untar(package, self.root, *("--exclude=" + pattern for pattern in NEVER_READ))
        return modules

    def _unpack_kernel(self, package):
        folder = os.path.join(self.work, "linux")
        os.mkdir(folder)
        _untar(package, folder, "--wildcards", "./boot/vmlinuz-*", "*.ko", "*.ko.xz", "--exclude=*/drivers/gpu",
               "--exclude=*/drivers/net", "--exclude=*/drivers/media", "--exclude=*/sound")
        with open(glob.glob(folder + "/boot/vmlinuz-*")[0], "rb") as file:
            _write_bytes(os.path.join(self.image, "kernel"), _uncompressed(file.read()))
        files = {}
        for folder, _, names in os.walk(folder):
            for name in names:
                files[name.split(".")[0].replace("-", "_")] = os.path.join(folder, name)
        return _in_order(files)

    def settle(self):
        """What the packages' scripts would have made."""
        for folder in ("proc", "sys", "dev", "run", "tmp", "root", "share/job", "var/lib/mosquitto", "var/log", "etc"):
            os.makedirs(os.path.join(self.root, folder), exist_ok=True)
        users = ["%s:x:%d:%d::/:/bin/sh" % (name, number, number) for name, number in USERS]
        groups = ["%s:x:%d:" % user for user in USERS]
        groups += ["%s:x:%d:" % (name, 200 + number) for number, name in enumerate(GROUPS)]
        self._write("root/etc/passwd", "\n".join(users) + "\n")
        self._write("root/etc/group", "\n".join(groups) + "\n")
        self._write("root/etc/hosts", "127.0.0.1 localhost\n::1 localhost\n")
        self._write("root/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\n")
        self._write("root/etc/machine-id", "0123456789abcdef0123456789abcdef\n")
        shell = os.path.join(self.root, "usr/bin/sh")
        if not os.path.lexists(shell):
            os.symlink("busybox", shell)

    # What the machine starts from

    def make_initrd(self, modules):
        """All of it is in memory: what waits for a disk would see the guest's time leap (see machine.py)."""
        with open(os.path.join(self.image, "initrd"), "wb") as file:
            archive = Archive(file)
            archive.add_tree(self.root, "")
            for number, (name, content) in enumerate(modules):
                archive.add("modules/%02d-%s.ko" % (number, name), 0o100644, content)
            with open(os.path.join(HERE, "first"), "rb") as first:
                archive.add("init", 0o100755, first.read())
            archive.close()

    def _write(self, name, text):
        _write_bytes(os.path.join(self.work, name), text.encode())


def _mirror():
    """Where this machine's own apt takes Debian from: other machines have other ways to it."""
    targets = _do(["apt-get", "indextargets", "--format", "$(REPO_URI) $(COMPONENT) $(CREATED_BY)"])
    for line in targets.splitlines():
        uri, component, kind = line.split()
        if component == "main" and kind == "Packages" and "security" not in uri and "/debian" in uri:
            return uri
    raise CannotBuild("apt knows no Debian mirror here: add one to /etc/apt/sources.list")


def _do(command, folder=None):
    """Its output; CannotBuild with the last line of what it said."""
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=dict(os.environ, LC_ALL="C"))
    except FileNotFoundError:
        raise CannotBuild("%s is missing" % command[0])
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip() or "no reason given").splitlines()[-1]
        raise CannotBuild("%s: %s" % (command[0], said))
    return done.stdout


def _untar(package, folder, *options):
    unpacked = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", package], stdout=subprocess.PIPE)
    # No tar of its own can say "not found" here: a pattern may match nothing in this release.
    subprocess.run(["tar", "-x", "--keep-directory-symlink", "-C", folder, *options], stdin=unpacked.stdout,
                   stderr=subprocess.DEVNULL)
    unpacked.stdout.close()
    if unpacked.wait():
        raise CannotBuild("%s cannot be unpacked" % os.path.basename(package))


def _uncompressed(kernel):
    """The ELF file inside an x86 kernel, which starts seconds earlier under emulation; else the kernel itself."""
    start = (kernel[0x1F1] + 1) * 512 + struct.unpack_from("<I", kernel, 0x248)[0]
    packed = kernel[start:start + struct.unpack_from("<I", kernel, 0x24C)[0]]
    if packed.startswith(b"\xfd7zXZ"):
        return lzma.LZMADecompressor().decompress(packed)
    if packed.startswith(b"\x28\xb5\x2f\xfd") and shutil.which("zstd"):
        return subprocess.run(["zstd", "-dcq"], input=packed, capture_output=True).stdout or kernel
    return kernel


def _in_order(files):
    """(name, content) of MODULES and of what they name in their own headers, each after what it needs."""
    order = {}

    def add(name):
        if name in order or name not in files:
            return  # built into this kernel, or called otherwise in it
        with open(files[name], "rb") as file:
            content = file.read()
        if files[name].endswith(".xz"):
            content = lzma.decompress(content)
        needed = re.search(rb"\0depends=([^\0]*)\0", content) or re.search(rb"depends=([^\0]*)\0", content)
        for other in needed.group(1).decode().split(",") if needed else []:
            add(other.replace("-", "_"))
        order[name] = content

    for name in MODULES:
        add(name)
    return list(order.items())


def _write_bytes(path, content):
    with open(path, "wb") as file:
        file.write(content)
