"""Three nodes on one machine, each with a network of its own, on a bridge that leads nowhere else."""
import os
import subprocess

from debian import die_with_parent

PREFIX = "hwfleet"


def ip(*words):
    done = subprocess.run(["ip", *words], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError("ip %s: %s" % (" ".join(words), done.stderr.strip()))
    return done.stdout


def remove_left_over():
    """Bridges of those who were killed."""
    for name in os.listdir("/sys/class/net"):
        number = name[len(PREFIX):]
        if name.startswith(PREFIX) and number.isdigit() and not os.path.exists("/proc/" + number):
            ip("link", "del", name)


class Network:
    """`broker1` and so on; names are of no meaning outside."""

    def __init__(self, count=3):
        remove_left_over()
        self.bridge, self.holders = "%s%d" % (PREFIX, os.getpid()), []
        self.base = "10.213.%d" % (os.getpid() % 250)
        ip("link", "add", self.bridge, "type", "bridge")
        ip("addr", "add", self.base + ".254/24", "dev", self.bridge)
        ip("link", "set", self.bridge, "up")
        for number in range(1, count + 1):
            self.add(number)

    def add(self, number):
        holder = subprocess.Popen(
            ["unshare", "--net", "sh", "-c", "echo; exec sleep infinity"], stdout=subprocess.PIPE,
            preexec_fn=die_with_parent)
        self.holders.append(holder)
        holder.stdout.readline()
        end = self.end(number)
        ip("link", "add", end, "type", "veth", "peer", "name", "eth0", "netns", str(holder.pid))
        ip("link", "set", end, "master", self.bridge, "up")
        for words in (["addr", "add", self.address(number) + "/24", "dev", "eth0"], ["link", "set", "eth0", "up"],
                      ["link", "set", "lo", "up"]):
            subprocess.run(["nsenter", "--net=/proc/%d/ns/net" % holder.pid, "ip", *words], check=True)

    def end(self, number):
        """Of the cable, at the bridge."""
        return "hwf%de%d" % (os.getpid(), number)

    def address(self, number):
        return "%s.%d" % (self.base, number)

    def space(self, number):
        """Somebody who lives in the node's network."""
        return self.holders[number - 1].pid

    def cut(self, number):
        ip("link", "set", self.end(number), "down")

    def mend(self, number):
        ip("link", "set", self.end(number), "up")

    def way(self, one, other, verb):
        space = "--net=/proc/%d/ns/net" % self.space(one)
        words = ["ip", "route", verb, "blackhole", self.address(other) + "/32"]
        subprocess.run(["nsenter", space, *words], check=True)

    def between(self, number, verb):
        """Of a node and the others, both ways: from outside each can still be reached."""
        for other in range(1, len(self.holders) + 1):
            if other != number:
                self.way(number, other, verb)
                self.way(other, number, verb)

    def split(self, number):
        self.between(number, "add")

    def join(self, number):
        self.between(number, "del")

    def hosts(self):
        return "127.0.0.1 localhost\n" + "".join(
            "%s broker%d\n" % (self.address(number), number) for number in range(1, len(self.holders) + 1))

    def close(self):
        for number in range(1, len(self.holders) + 1):
            ip("link", "del", self.end(number))
        for holder in self.holders:
            holder.kill()
            holder.wait()
        ip("link", "del", self.bridge)
