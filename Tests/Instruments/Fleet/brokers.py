"""Brokers of Debian 13 as a fleet may have them, each node in a network of its own."""
import os
import shutil
import signal
import socket
import ssl
import struct
import subprocess

import packets
from debian import Missing, Process, prepare, user, version
from engines import Engines, certificate, own, until
from network import Network

LIGHT = dict(
    name="brokers", packages="nats-server mosquitto iproute2 procps".split(),
    programs=("usr/sbin/nats-server", "usr/sbin/mosquitto"))
LISTENER = "listener"


class Disk:
    """A file system of a node's own, in a file: what is in that file and no more survives a power cut."""

    def __init__(self, folder, name):
        self.place, self.image = os.path.join(folder, name), os.path.join(folder, name + ".image")
        os.makedirs(self.place, exist_ok=True)
        with open(self.image, "wb") as file:
            file.truncate(1 << 30)
        self.run("mkfs.ext4", "-q", "-F", self.image)
        self.mount()

    def run(self, *words):
        try:
            subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
        except (OSError, subprocess.CalledProcessError) as error:
            raise Missing("a disk of its own for each node: %s" % error)

    def mount(self):
        self.run("mount", "-o", "loop", self.image, self.place)

    def close(self):
        # Who lives in another space of mounts keeps it for as long.
        self.run("umount", "--lazy", self.place)

    def freeze(self):
        """As it is without power."""
        self.run("cp", "--sparse=always", self.image, self.image + ".frozen")

    def thaw(self):
        self.close()
        os.rename(self.image + ".frozen", self.image)
        self.mount()


class Powered:
    """Nodes with disks of their own, by their numbers, whose power can be cut."""

    count = 1

    def give_disks(self, folder, name):
        self.disks = {number: Disk(folder, name % number) for number in range(1, self.count + 1)}

    def cut_power(self, numbers):
        """Of all these at one moment."""
        for number in numbers:
            os.kill(self.pid(number), signal.SIGSTOP)
        for number in numbers:
            self.disks[number].freeze()
        for number in numbers:
            self.kill(number)
            self.disks[number].thaw()

    def take_disks(self):
        for disk in self.disks.values():
            disk.close()


class Nodes(Powered):
    """Of one program. A subclass says what its settings are and how it is started."""

    package = program = as_user = None

    def __init__(self, folder, debian, out):
        self.root, self.folder, self.out = prepare(debian, **LIGHT), folder, out
        self.version, self.network = version(self.root, self.package), Network(self.count)
        self.places = [(self.network.address(number), 8883) for number in range(1, self.count + 1)]
        self.host, self.port = ", ".join(host for host, _ in self.places), 8883
        self.hosts = os.path.join(folder, "hosts")
        with open(self.hosts, "w") as file:
            file.write(self.network.hosts())
        self.shared, self.processes = os.path.join(folder, "settings"), {}
        self.give_disks(folder, "state%d")
        certificate(out + "/ca", self.shared, "broker", *[host for host, _ in self.places])
        shutil.copy(out + "/ca/ca.pem", self.shared)

    def owned(self):
        own(self.shared, user(self.root, self.as_user))

    def start(self, boards):
        self.write(boards)
        self.owned()
        for number in range(1, self.count + 1):
            state = self.disks[number].place
            own(state, user(self.root, self.as_user))
            self.processes[number] = Process(
                "broker%d" % number, self.root, os.path.join(self.folder, "broker%d.log" % number),
                [(self.hosts, "etc/hosts"), (self.shared, "mnt"), (state, "srv")], net=self.network.space(number),
                user=self.as_user)
            self.begin(number)
        for number in range(1, self.count + 1):
            self.await_node(number)

    def begin(self, number):
        self.processes[number].start(self.command(number), NODE="broker%d" % number)

    def await_node(self, number):
        until(lambda: self.greets(number), "broker%d" % number)

    def see_to(self, number):
        """Nothing: as the service manager would leave it."""

    def greets(self, number):
        """Whether a client of this node hears CONNACK."""
        context = ssl.create_default_context(cafile=self.shared + "/ca.pem")
        context.check_hostname = False
        context.load_cert_chain(self.out + "/listener/check.pem", self.out + "/listener/check.key")
        try:
            with socket.create_connection(self.places[number - 1], 5) as plain, context.wrap_socket(plain) as line:
                line.sendall(packets.connect("check"))
                kind, _, body = packets.read(line.makefile("rb"))
                return kind == packets.CONNACK and body[1] == 0
        except (OSError, EOFError, struct.error):
            return False

    def kill(self, number):
        self.processes[number].kill()

    def pid(self, number):
        return self.processes[number].find(self.program)

    def is_whole(self):
        return all(self.greets(number) for number in range(1, self.count + 1))

    def close(self):
        for process in self.processes.values():
            process.kill()
        self.network.close()
        self.take_disks()


class Mosquitto(Nodes):
    package = program = as_user = "mosquitto"
    extra = ()

    def write(self, boards):
        shutil.copy(self.out + "/mosquitto.acl", self.shared)
        with open(self.shared + "/mosquitto.acl", "a") as file:
            file.write("\nuser %s\ntopic read owntracks/#\n" % LISTENER)
        os.chmod(self.shared + "/mosquitto.acl", 0o600)
        lines = [
            "listener 8883", "cafile /mnt/ca.pem", "certfile /mnt/broker.pem", "keyfile /mnt/broker.key",
            "require_certificate true", "use_identity_as_username true", "acl_file /mnt/mosquitto.acl",
            # As Debian has it.
            "persistence true", "persistence_location /srv/", *self.extra]
        with open(self.shared + "/mosquitto.conf", "w") as file:
            file.write("\n".join(lines) + "\n")

    def command(self, number):
        return ["/usr/sbin/mosquitto", "-c", "/mnt/mosquitto.conf"]


class Saving(Mosquitto):
    extra = ("autosave_interval 1", "autosave_on_changes true")


class Nats(Nodes):
    package, program, as_user, count = "nats-server", "nats-server", "nats", 3
    jetstream = 'store_dir: "/srv", max_file: 500MB'

    def write(self, boards):
        # A subscription of QoS 1 comes by way of a subject of the server's own.
        own_ways = '"$MQTT.sub.>"'
        users = "".join(
            '{user: "CN=%s", permissions: {publish: ["owntracks.%s.>"], subscribe: ["owntracks.%s.>", %s]}}\n'
            % (name, name, name, own_ways) for name in boards)
        # With its #, a filter of MQTT hears the topic above as well.
        heard = ', '.join(['"owntracks"', '"owntracks.>"', own_ways])
        users += '{user: "CN=%s", permissions: {publish: [], subscribe: [%s]}}\n' % (LISTENER, heard)
        users += '{user: "CN=check", permissions: {publish: [], subscribe: []}}\n'
        routes = ", ".join("nats://broker%d:6222" % number for number in range(1, self.count + 1))
        for number in range(1, self.count + 1):
            with open(self.shared + "/broker%d.conf" % number, "w") as file:
                file.write("""
server_name: broker%d
listen: "127.0.0.1:4222"
jetstream { %s }
cluster { name: fleet, listen: "0.0.0.0:6222", routes: [%s] }
accounts { FLEET { jetstream: enabled, users: [
%s] } }
mqtt {
  listen: "0.0.0.0:8883"
  stream_replicas: 3
  tls { cert_file: "/mnt/broker.pem", key_file: "/mnt/broker.key", ca_file: "/mnt/ca.pem", verify_and_map: true }
}
""" % (number, self.jetstream, routes, users))

    def command(self, number):
        return ["/usr/sbin/nats-server", "-c", "/mnt/broker%d.conf" % number]


class Syncing(Nats):
    jetstream = Nats.jetstream + ", sync_interval: always"


class Rabbit(Powered):
    """With the files of `fleet`."""

    count, package = 3, "rabbitmq-server"

    def __init__(self, folder, debian, out):
        self.root, self.out = prepare(debian), out
        self.version = version(self.root, self.package)
        self.engines = Engines(self.root, folder, out + "/ca")
        self.give_disks(folder, "broker%d")
        self.network, self.processes = self.engines.network, self.engines.processes
        self.host, self.port = "127.0.0.1", self.engines.mqtt
        self.places = [(self.host, self.port)]

    def start(self, boards):
        engines = self.engines
        engines.start_brokers()
        engines.control(1, "enable_feature_flag", "--experimental", "khepri_db")
        until(engines.is_threefold, "the third copy of the record's queue")
        engines.start_balancer()
        until(self.is_whole, "the load balancer's checks")
        engines.import_definitions(self.out + "/rabbitmq-definitions.json")
        engines.control(1, "add_user", LISTENER, "of-no-use")
        queue = "^mqtt-subscription-%s" % LISTENER
        engines.control(1, "set_permissions", LISTENER, queue, queue, queue + "|^amq\\.topic$")
        engines.control(1, "set_topic_permissions", LISTENER, "amq.topic", "^$", "^owntracks\\.")

    def begin(self, number):
        self.engines.start_broker(number)

    def see_to(self, number):
        # It ends where it finds nobody, and is started again.
        self.engines.await_broker(number)

    def kill(self, number):
        self.processes["broker%d" % number].kill()

    def pid(self, number):
        return self.processes["broker%d" % number].find("beam.smp")

    def is_whole(self):
        return list(self.engines.servers().values()) == ["UP"] * self.count

    def close(self):
        self.engines.close()
        self.take_disks()
