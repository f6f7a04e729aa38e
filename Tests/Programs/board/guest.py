"""A board in an emulator: the card's own kernel, initramfs, command line and root, on qemu's virtual machine.

Its only ways out are one port of the broker on this machine, a serial line on USB with a receiver at the other
end, and two ports of ours that lead to its SSH and its page.
"""
import os
import socket
import subprocess
import time

from servers import Server

BROKER = ("10.0.2.100", 1883)  # as the guest knows it
EPOCH_LENGTH = 1.0


class Guest(Server):
    def __init__(self, folder, card, broker_port, ports, key):
        super().__init__("guest", folder)
        self.card, self.broker_port, self.key = card, broker_port, key
        self.ssh_port, self.page_port = ports
        self.line_path, self.qmp = os.path.join(folder, "receiver"), os.path.join(folder, "qmp")
        self.console = os.path.join(folder, "console.log")
        self.started, self._line, self._listener = 0.0, None, None

    def start(self):
        for name in ("vmlinuz", "initrd.img"):
            with open(os.path.join(self.folder, name), "wb") as file:
                file.write(self.card.get(name))
        words = [w for w in self.card.get("cmdline.txt").decode().split() if not w.startswith(("console", "quiet"))]
        self._listen()
        relay = os.path.join(os.path.dirname(os.path.abspath(__file__)), "relay")
        network = "user,id=net,restrict=on,guestfwd=tcp:%s:%d-cmd:%s %d,hostfwd=tcp:127.0.0.1:%d-:22,hostfwd=tcp:127.0.0.1:%d-:80" % (
            *BROKER, relay, self.broker_port, self.ssh_port, self.page_port)
        self.started = time.monotonic()
        self.spawn([
            "qemu-system-aarch64", "-M", "virt", "-cpu", "cortex-a53", "-smp", "2", "-m", "512",
            "-kernel", os.path.join(self.folder, "vmlinuz"), "-initrd", os.path.join(self.folder, "initrd.img"),
            "-append", " ".join(words + ["console=ttyAMA0"]), "-display", "none", "-monitor", "none", "-no-reboot",
            "-serial", "file:" + self.console,
            "-drive", "file=%s,if=virtio,format=raw,cache=writeback" % self.card.path,
            "-netdev", network, "-device", "virtio-net-pci,netdev=net,romfile=",
            "-device", "virtio-rng-pci", "-device", "qemu-xhci",
            # A watchdog that is fed and does not bite: on a busy machine the guest may stand still for 14 s.
            "-device", "i6300esb", "-watchdog-action", "none",
            "-qmp", "unix:%s,server=on,wait=off" % self.qmp,
            "-chardev", "socket,id=gps,path=" + self.line_path, "-device", "usb-serial,chardev=gps",
        ])
        self._line, _ = self._listener.accept()
        self._line.setblocking(False)

    def _listen(self):
        if os.path.exists(self.line_path):
            os.remove(self.line_path)
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(self.line_path)
        self._listener.listen(1)
        self._listener.settimeout(30)

    def write(self, data):
        """What the receiver says; lost, as on a line, while nobody reads."""
        try:
            self._line.send(data)
            while self._line.recv(4096):
                pass
        except (BlockingIOError, BrokenPipeError, ConnectionError, AttributeError):
            pass

    def ssh(self, command, seconds=60, stdin=subprocess.DEVNULL):
        """What a command in the guest says, None where it does not answer."""
        try:
            done = subprocess.run(
                ["ssh", "-i", self.key, "-p", str(self.ssh_port), "-o", "StrictHostKeyChecking=no", "-o",
                 "UserKnownHostsFile=/dev/null", "-o", "LogLevel=ERROR", "-o", "BatchMode=yes", "-o",
                 "ConnectTimeout=%d" % seconds, "root@127.0.0.1", command],
                stdin=stdin, capture_output=True, timeout=seconds, check=False)
        except subprocess.TimeoutExpired:
            return None
        return None if done.returncode == 255 else done.stdout.decode(errors="replace").strip()

    def copy(self, path, place):
        """A file of this machine's into the guest."""
        with open(path, "rb") as file:
            size = self.ssh("cat >%s && stat -c %%s %s" % (place, place), 300, file)
        assert size == str(os.path.getsize(path)), "%s did not get into the guest: %s" % (path, size)

    def has_ssh(self, seconds=5):
        """Whether somebody answers at its port 22."""
        try:
            with socket.create_connection(("127.0.0.1", self.ssh_port), seconds) as probe:
                probe.settimeout(seconds)
                return probe.recv(4) == b"SSH-"
        except OSError:
            return False

    def press(self):
        """Line 3 of the board's GPIO chip is high for a tenth of a second: here it is the power switch."""
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(self.qmp)
            with line.makefile("rw") as talk:
                talk.readline()
                for command in ("qmp_capabilities", "system_powerdown"):
                    talk.write('{"execute":"%s"}\n' % command)
                    talk.flush()
                    talk.readline()

    def cut(self):
        """The power goes."""
        self.kill()
        for end in (self._line, self._listener):
            if end:
                end.close()

    def last_words(self):
        try:
            with open(self.console, errors="replace") as file:
                return "".join(file.readlines()[-25:])
        except OSError:
            return ""
