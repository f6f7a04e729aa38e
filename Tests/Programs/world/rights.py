"""A mosquitto that gives the tracker's user rights, which can change while it runs."""
import atexit
import os
import shutil
import signal
import subprocess
import tempfile

from servers import program
from waiting import in_the_end

USER, PASSWORD = "ute", "secret"


class Rights:
    """Access lists by name, in a folder of their own."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="hw-rights-")
        atexit.register(shutil.rmtree, self.folder, True)
        self.passwords = os.path.join(self.folder, "passwords")
        open(self.passwords, "w").close()
        os.chmod(self.passwords, 0o600)
        subprocess.run([program("mosquitto_passwd"), "-b", self.passwords, USER, PASSWORD], check=True)

    def settings(self, name, text):
        """mosquitto's, with these rights of the tracker's user; somebody without a login may do anything."""
        self.write(name, text)
        # Without a limit of its queue mosquitto 2.0 ends the connection over each message that it denies.
        return "acl_file %s\npassword_file %s\nlog_type all\nmax_queued_messages 100000" % (
            self.path(name), self.passwords)

    def path(self, name):
        return os.path.join(self.folder, name + ".acl")

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write("topic readwrite #\nuser %s\n%s\n" % (USER, text))

    def change(self, world, name, text):
        """Other rights, taken over by a broker that goes on."""
        self.write(name, text)
        before = world.broker.log().count("Reloading config")
        os.kill(world.broker.pid, signal.SIGHUP)
        has_read = in_the_end(lambda: world.broker.log().count("Reloading config") > before)
        assert has_read, "the broker does not read them"
