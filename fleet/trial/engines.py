"""The engines of a fleet with the files of this folder, on one machine."""
import json
import os
import shutil
import signal
import socket
import subprocess
import time

from debian import Process, user
from network import Network

FLEET = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
NODES = 3
# Until all three nodes have started, on a busy machine.
AT_LAST = 240


def until(happens, name, seconds=AT_LAST):
    end = time.monotonic() + seconds
    while not happens():
        if time.monotonic() > end:
            raise RuntimeError("%s: not within %d s" % (name, seconds))
        time.sleep(0.2)


def free_ports(count):
    """None of them for anybody else, as long as all are asked for at once."""
    probes = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    try:
        return [probe.getsockname()[1] for probe in probes]
    finally:
        for probe in probes:
            probe.close()


def certificate(authority, out, name, *hosts):
    os.makedirs(out, exist_ok=True)
    if not os.path.exists(os.path.join(out, name + ".pem")):
        done = subprocess.run(
            [os.path.join(FLEET, "certificate"), authority, out, name, *hosts], capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip())


def own(path, owner):
    """Folder and files for this user."""
    for base, _, names in os.walk(path):
        for one in [base] + [os.path.join(base, name) for name in names]:
            os.chown(one, *owner)


class Engines:
    """All of them. `authority`: the folder of the fleet's ca.pem and ca.key."""

    def __init__(self, root, folder, authority):
        self.root, self.folder, self.authority = root, folder, authority
        self.mqtt, self.amqp, self.sql = free_ports(3)
        self.network, self.processes = Network(NODES), {}
        self.run = self.made("run")
        for name, owner in (("haproxy", "haproxy"), ("postgresql", "postgres")):
            own(self.made("run", name), user(root, owner))
        os.chmod(folder, 0o711)
        self.hosts = os.path.join(folder, "hosts")
        with open(self.hosts, "w") as file:
            file.write(self.network.hosts())

    def made(self, *names):
        path = os.path.join(self.folder, *names)
        os.makedirs(path, exist_ok=True)
        return path

    def process(self, name, binds, **more):
        binds = [(self.hosts, "etc/hosts"), (self.run, "run")] + binds
        return Process(name, self.root, os.path.join(self.folder, name + ".log"), binds, **more)

    # RabbitMQ

    def start_brokers(self, change=None):
        """All three; `change` may change the definitions before."""
        settings = self.made("rabbitmq")
        for name in ("rabbitmq.conf", "enabled_plugins"):
            shutil.copy(os.path.join(FLEET, "rabbitmq", name), settings)
        with open(os.path.join(FLEET, "rabbitmq", "definitions.json")) as file:
            definitions = json.load(file)
        if change:
            change(definitions)
        with open(os.path.join(settings, "definitions.json"), "w") as file:
            json.dump(definitions, file, indent=1)
        hosts = ["broker%d" % number for number in range(1, NODES + 1)]
        certificate(self.authority, settings, "broker", "localhost", "127.0.0.1", *hosts)
        shutil.copy(os.path.join(self.authority, "ca.pem"), settings)
        owner = user(self.root, "rabbitmq")
        own(settings, owner)
        for number in range(1, NODES + 1):
            name = "broker%d" % number
            state, logs = self.made(name), self.made(name + "-logs")
            cookie = os.path.join(state, ".erlang.cookie")
            with open(cookie, "w") as file:
                file.write("of-this-trial-alone")
            os.chmod(cookie, 0o400)
            own(state, owner)
            own(logs, owner)
            self.processes[name] = self.process(
                name, [(settings, "etc/rabbitmq"), (state, "var/lib/rabbitmq"), (logs, "var/log/rabbitmq")],
                net=self.network.space(number), user="rabbitmq")
        # Each waits a while for the others.
        for number in range(1, NODES + 1):
            self.start_broker(number)
        for number in range(1, NODES + 1):
            self.await_broker(number)

    # As little beside the work as one machine has room for.
    ERLANG = {"HOME": "/var/lib/rabbitmq", "RABBITMQ_LOGS": "-",
              "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "+sbwt none +sbwtdcpu none +sbwtdio none"}

    def start_broker(self, number):
        name = "broker%d" % number
        self.processes[name].start(["/usr/lib/rabbitmq/bin/rabbitmq-server"], NODE=name, **self.ERLANG)

    def await_broker(self, number):
        process, starts = self.processes["broker%d" % number], [1]

        def listens():
            if not process.is_alive():
                # The first of three to come may find nobody; systemd starts it again as well.
                if starts[0] == 3:
                    raise RuntimeError("%s has ended, see %s" % (process.name, process.log_path))
                process.kill()
                self.start_broker(number)
                starts[0] += 1
            with socket.socket() as probe:
                probe.settimeout(1)
                return probe.connect_ex((self.network.address(number), 8883)) == 0
        until(listens, process.name)

    def controller(self, number):
        """The words that run rabbitmqctl on a node."""
        first = self.processes["broker%d" % number].first
        owner = user(self.root, "rabbitmq")
        return ["nsenter", "--target=%d" % first, "--mount", "--pid", "--uts", "--net", "chroot", self.root, "env", "-i",
                "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8", "HOME=/var/lib/rabbitmq", "setpriv",
                "--reuid=%d" % owner[0], "--regid=%d" % owner[1], "--clear-groups",
                "/usr/lib/rabbitmq/bin/rabbitmqctl"]

    def control(self, number, *words):
        """What rabbitmqctl says on a node."""
        done = subprocess.run([*self.controller(number), "--quiet", *words], capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError("rabbitmqctl %s: %s" % (" ".join(words), (done.stdout + done.stderr)[-1500:]))
        return done.stdout

    def is_threefold(self):
        """The first node that comes makes the queue, and the others get their copies some seconds later."""
        rows = self.control(1, "list_queues", "name", "members", "--formatter=json")
        return any(row["name"] == "record" and len(row["members"]) == NODES for row in json.loads(rows))

    def import_definitions(self, path):
        """More users and rights, of `homeward fleet make`."""
        shutil.copy(path, os.path.join(self.folder, "broker1", "more.json"))
        os.chown(os.path.join(self.folder, "broker1", "more.json"), *user(self.root, "rabbitmq"))
        return self.control(1, "import_definitions", "/var/lib/rabbitmq/more.json")

    # HAProxy

    def start_balancer(self):
        settings = self.made("haproxy")
        shutil.copy(os.path.join(FLEET, "haproxy", "haproxy.cfg"), settings)
        shutil.copy(os.path.join(self.authority, "ca.pem"), settings)
        certificate(self.authority, self.made("certificates"), "check")
        with open(os.path.join(settings, "check.pem"), "w") as file:
            for name in ("check.pem", "check.key"):
                with open(os.path.join(self.folder, "certificates", name)) as part:
                    file.write(part.read())
        for path in (settings, os.path.join(self.run, "haproxy")):
            own(path, user(self.root, "haproxy"))
        process = self.processes["haproxy"] = self.process(
            "haproxy", [(settings, "etc/haproxy")], user="haproxy")
        process.start(
            ["/usr/sbin/haproxy", "-db", "-f", "/etc/haproxy/haproxy.cfg"], FLEET_ADDRESS="127.0.0.1",
            FLEET_MQTT=self.mqtt, FLEET_AMQP=self.amqp)

    def servers(self):
        """The state of each node as the load balancer sees it."""
        with socket.socket(socket.AF_UNIX) as line:
            if line.connect_ex(os.path.join(self.run, "haproxy", "admin.sock")) != 0:
                return {}
            line.sendall(b"show stat\n")
            answer = b""
            while piece := line.recv(65536):
                answer += piece
        rows = [row.split(",") for row in answer.decode().splitlines() if row.startswith("mqtt,broker")]
        return {row[1]: row[17] for row in rows}

    # PostgreSQL

    def start_database(self):
        data = self.made("postgresql")
        own(data, user(self.root, "postgres"))
        os.chmod(data, 0o700)
        process = self.processes.get("postgres") or self.process(
            "postgres", [(data, "var/lib/postgresql")], user="postgres")
        self.processes["postgres"] = process
        where = "/var/lib/postgresql/data"
        if not os.path.exists(os.path.join(data, "data", "PG_VERSION")):
            process.run(
                ["/usr/lib/postgresql/17/bin/initdb", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", where])
        process.start(["/usr/lib/postgresql/17/bin/postgres", "-D", where, "-c", "listen_addresses=127.0.0.1",
                       "-c", "port=%d" % self.sql])
        until(self.has_database, "PostgreSQL")

    def has_database(self):
        try:
            return self.query("select 1", "postgres") == "1"
        except RuntimeError:
            return False

    def query(self, text, database="fleet"):
        """Rows as psql prints them for programs."""
        client = self.process("psql", [], user="postgres")
        return client.run(
            ["psql", "--no-psqlrc", "--no-align", "--tuples-only", "--quiet", "--set=ON_ERROR_STOP=1",
             "--host=/run/postgresql", "--port=%d" % self.sql, "--dbname", database], text=text).strip()

    def make_database(self):
        if self.query("select count(*) from pg_database where datname = 'fleet'", "postgres") == "0":
            self.query("create database fleet", "postgres")
        with open(os.path.join(FLEET, "postgresql", "schema.sql")) as file:
            self.query("set client_min_messages = warning;\n" + file.read())

    def stop_database(self):
        self.processes["postgres"].stop(signal.SIGINT)

    # The record

    def start_record(self, *command, folder=None):
        """`command`: another one, in a folder that is seen as /opt."""
        settings = self.made("record")
        shutil.copy(os.path.join(self.authority, "ca.pem"), settings)
        certificate(self.authority, settings, "record")
        process = self.processes["record"] = self.process(
            "record", [(os.path.join(FLEET, "consumer"), "mnt"), (folder or settings, "opt"), (settings, "srv")])
        process.start(
            ["/usr/bin/python3", "-B", *(command or ["/mnt/homeward-record"])], RECORD_CERTIFICATES="/srv",
            RECORD_BROKERS="127.0.0.1:%d" % self.amqp,
            RECORD_DATABASE="host=/run/postgresql port=%d dbname=fleet user=homeward-record" % self.sql)

    # All of it

    def start(self, change=None):
        self.start_database()
        self.make_database()
        self.start_brokers(change)
        # Once for a cluster's life; to say it again does nothing.
        self.control(1, "enable_feature_flag", "--experimental", "khepri_db")
        until(self.is_threefold, "the third copy of the record's queue")
        self.start_balancer()
        until(lambda: list(self.servers().values()) == ["UP"] * NODES, "the load balancer's checks")
        self.start_record()

    def close(self):
        """Ends everything that this has started."""
        if "record" in self.processes:
            self.processes["record"].stop()
        if "postgres" in self.processes:
            self.stop_database()
        for process in self.processes.values():
            process.kill()
        self.network.close()
