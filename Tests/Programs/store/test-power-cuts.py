#!/usr/bin/env python3
# takes: 120 s
# busy
# touches: Sources/Storage Sources/CSQLite Sources/OwnTracks Sources/Model Sources/Loop Sources/Timebase
# touches: Sources/CLinux Package.swift Tests/Instruments/PowerCuts
# behaviour: A disk that fails, fills or lies
"""Some hundred of the power cuts that Tests/Instruments/PowerCuts/run makes by the hundred thousand. They are of the
store alone, on a real file system. The instrument is built here, and with it once more the few targets of the product
that it uses: it is in a package of its own."""
import os
import re
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../..")
CANNOT_MOUNT = 77
FEWEST = 100

run = subprocess.run([os.path.join(ROOT, "Tests/Instruments/PowerCuts/run"), "--seconds", "30", "--cuts", "2000"],
                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
print(run.stdout, end="")
end = re.search(r"^(\d+) passed, (\d+) failed$", run.stdout, re.MULTILINE)
if run.returncode == CANNOT_MOUNT:
    sys.exit(0)
if run.returncode == 0 and end and int(end[1]) >= FEWEST:
    print("ok %s power cuts: what was promised is there, nothing half, nothing else" % end[1])
else:
    print("not ok power cuts: status %d" % run.returncode)
    sys.exit(1)
