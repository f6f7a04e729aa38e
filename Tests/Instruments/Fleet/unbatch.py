"""`homeward unbatch` as a client of its own at the fleet's brokers: its certificate, its rights, its end."""
import json
import os
import shutil

from engines import certificate, until
from servers import Server
from tracker import COMMAND_LINE

NAME = "unbatch"


class Expander(Server):
    def __init__(self, engines):
        folder = engines.made(NAME)
        super().__init__(NAME, folder)
        certificate(engines.authority, folder, NAME)
        shutil.copy(os.path.join(engines.authority, "ca.pem"), folder)
        queue = "mqtt-subscription-homeward-unbatch.*"
        engines.control(1, "add_user", NAME, "of-no-use")
        engines.control(
            1, "set_permissions", NAME, "^%s" % queue, "^(amq\\.topic|%s)" % queue, "^(amq\\.topic|%s)" % queue)
        engines.control(1, "set_topic_permissions", NAME, "amq.topic", "^owntracks\\.", "^owntracks\\..*\\.batch$")
        self.path = os.path.join(folder, "unbatch.otrc")
        with open(self.path, "w") as file:
            json.dump({
                "_type": "configuration", "host": "127.0.0.1", "port": engines.mqtt, "tls": True, "auth": False,
                "username": NAME, "deviceId": "server", "tlsCaFile": folder + "/ca.pem",
                "tlsClientCert": folder + "/unbatch.pem", "tlsClientKey": folder + "/unbatch.key"}, file)
        os.chmod(self.path, 0o600)

    def begin(self):
        before = self.log().count("takes apart")
        self.spawn([COMMAND_LINE, "unbatch", self.path])
        until(lambda: self.log().count("takes apart") > before, "unbatch at the broker")
