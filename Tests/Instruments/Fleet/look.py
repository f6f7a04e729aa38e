"""`homeward fleet check` at the live brokers: they are right, and what is made wrong on purpose is named."""
import os
import shlex
import subprocess

from boards import homeward
from engines import until


def complaints(fleet):
    """A line for each thing that is not as it should be."""
    engines, out, first = fleet.engines, fleet.out, sorted(os.listdir(fleet.out))[0].rpartition("-")[0]
    program = os.path.join(fleet.folder, "rabbitmqctl")
    with open(program, "w") as file:
        file.write('#!/bin/sh\nexec %s "$@"\n' % shlex.join(engines.controller(1)))
    os.chmod(program, 0o755)

    def check():
        return subprocess.run(
            [homeward(), "fleet", "check", out, "--broker", "127.0.0.1:%d" % engines.mqtt, "--rabbitmqctl", program],
            capture_output=True, text=True)

    faults = []
    done = check()
    print(done.stdout.strip(), flush=True)
    if done.returncode != 0 or "warning" in done.stdout:
        faults.append("fleet check complains of brokers that are right: %s" % (done.stdout + done.stderr).strip())
    # That wide, and with a policy that would have boards repeat.
    engines.control(1, "set_topic_permissions", first, "amq.topic", ".*", ".*")
    engines.control(1, "set_policy", "wrong", "^look\\.wrong$", '{"overflow":"reject-publish"}', "--apply-to", "queues")
    try:
        # Nodes hear of it one after the other.
        until(lambda: "may publish on" in check().stdout, "a right that is too wide in fleet check", 60)
        said = check()
    finally:
        engines.control(1, "clear_policy", "wrong")
        engines.import_definitions(os.path.join(out, "rabbitmq-definitions.json"))
    for words in ("%s-tracker may publish on owntracks/" % first, "%s-tracker may subscribe to #" % first,
                  "the user %s has other topic_permissions" % first, "the policy wrong has reject-publish"):
        if words not in said.stdout:
            faults.append("fleet check does not say %r: %s" % (words, said.stdout))
    if said.returncode != 1:
        faults.append("fleet check ends with %d where there are mistakes" % said.returncode)
    return faults
