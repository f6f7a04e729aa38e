"""A board in a chroot, with packages that are healthy or not to update it with."""
import os
import re
import shutil

from debian import Debian, package, variant

PROGRAM = "/usr/libexec/homeward/homeward-update"
FOLDER = "/var/lib/homeward-update"
CONFIGURATION = '{"_type":"configuration","host":"a.example","username":"u","password":"p","deviceId":"d"}\n'
CONFIG, STORE = "/etc/homeward/homeward.otrc", "/var/lib/homeward/mark"
# What `homeward health` of a package says. `update` runs the real program.
HEALTH = """#!/bin/sh
# %s
echo "$@" >>/root/asked
case "$*" in *"--within 60"*) ;; *) test -e /root/sick && echo "fault gpsd: gone" && exit 1 ;; esac
%s
"""
GOOD, BAD = "echo good", "echo 'fault store: it is not open'; exit 1"


class Board(Debian):
    """With the key that it trusts, a configuration, and something in its store."""

    def prepare(self, folder):
        deb = package(folder)
        self.folder, self.deb = folder, deb
        for name in ("trusted", "stranger"):
            self.shell("minisign -G -W -p /root/%s.pub -s /root/%s.key" % (name, name))
        self.install(self.make("1.0-1", GOOD))
        shutil.copy(self.path("/root/trusted.pub"), self.path("/etc/homeward/update.pub"))
        self.write(CONFIG, CONFIGURATION)
        self.write(STORE, "kept\n")

    def real(self, version, files=None):
        """The package of this commit under another version, signed: its path there."""
        return self._sign(variant(self.deb, self.folder, version, files), "trusted")

    def make(self, version, health, key="trusted", **more):
        """A package of that version in the board's /root, signed: its path there."""
        texts = {"usr/bin/homeward": HEALTH % (version, health),
                 "usr/sbin/homewardd": "#!/bin/sh\n# %s\n" % version}
        texts.update(more.pop("files", {}))
        return self._sign(variant(self.deb, self.folder, version, texts, **more), key)

    def _sign(self, deb, key):
        place = "/root/" + os.path.basename(deb)
        shutil.copy(deb, self.path(place))
        self.shell("minisign -S -W -s /root/%s.key -m %s" % (key, place))
        return place

    def install(self, place):
        """By apt, as at the first time."""
        done = self.inside("apt-get", "install", "-y", "-qq", "--allow-downgrades", place)
        left = self.shell("ls /var/lib/dpkg/updates; cat %s/state %s/log %s/last" % (FOLDER, FOLDER, FOLDER)).stdout
        assert done.returncode == 0, "%s\n%s\n%s" % (done.stdout, self.version(), left)

    def update(self, *words, seconds=300):
        return self.inside(PROGRAM, *words, seconds=seconds)

    def resume(self):
        """With the rights that its unit leaves it, and no more."""
        return self.inside(*self.rights("homeward-update.service"), PROGRAM, "--resume")

    def rights(self, unit):
        """What runs a command with those of that unit."""
        text = self.read("/usr/lib/systemd/system/" + unit)
        rights = re.search(r"^CapabilityBoundingSet=(.*)$", text, re.M).group(1).lower().split()
        return ["setpriv", "--no-new-privs", "--inh-caps=-all", "--bounding-set",
                ",".join(["-all"] + ["+" + right.removeprefix("cap_") for right in rights])]

    def version(self):
        return self.shell("dpkg-query -W -f='${Version} ${db:Status-Status}' homeward").stdout.strip()

    def fault(self, *versions):
        """What is wrong with a board that ought to have one of these versions, whole."""
        version, _, state = self.version().partition(" ")
        programs = {self.read(name).splitlines()[1] for name in ("/usr/bin/homeward", "/usr/sbin/homewardd")}
        audit = self.shell("dpkg --audit").stdout.strip()
        wrong = [
            (version not in versions or state != "installed", "dpkg has %s %s" % (version, state)),
            (programs != {"# " + version}, "programs %s of %s" % (programs, version)),
            (audit, audit),
            (self.read(CONFIG) != CONFIGURATION or self.read(STORE) != "kept\n", "configuration or store"),
            (self.has(FOLDER + "/state"), "a state is left"),
        ]
        return "; ".join(str(text) for is_wrong, text in wrong if is_wrong)
