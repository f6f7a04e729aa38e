#!/bin/bash
# Home Assistant 2024.3.3 (PyPI), owntracks: after an "enter" every location is ignored until the "leave" of that name.
#
# A location says by itself which regions the device is in ("inregions"), so one expects that a lost "leave" is put
# right by the next location. The integration keeps a list of entered regions per device, drops each location while the
# list is not empty, whatever its place and "inregions" say, and empties it by transitions alone. The name counts even
# where there is no zone of that name. "home" lasts until a leave of exactly that name, or a restart.
#
# Seen: location at 48.2 -> shown; enter Depot (no such zone) at 48.1 -> shown; location at 48.3, inregions [] ->
# ignored; leave Yard at 48.4 -> shown; location at 48.5 -> ignored; leave Depot at 48.6 -> shown; location at 48.7 ->
# shown
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
software homeassistant "2024.3.3 (PyPI), its owntracks/messages.py alone, Python 3.11 of Debian 12"
finding "locations after an enter are ignored until a leave of the same name, whatever their inregions say"
debian bookworm python3.11 python3-pip
# 35 megabytes, of which one module is run. What it imports of the rest are names; they have stand-ins here, but for
# the registry of handlers, which is Home Assistant's own.
pypi homeassistant==2024.3.3

cat >"$work/play.py" <<'PYTHON'
import asyncio, collections, json, sys, types, zipfile
wheel = zipfile.ZipFile(sys.argv[1])

def module(name, **names):
    made = types.ModuleType(name)
    made.__dict__.update(names)
    made.__path__ = []
    sys.modules[name] = made
    return made

def load(name, path):
    loaded = module(name)
    loaded.__package__ = name.rpartition(".")[0]
    exec(compile(wheel.read("homeassistant/" + path), path, "exec"), loaded.__dict__)
    return loaded

for name in "homeassistant", "homeassistant.components", "homeassistant.components.owntracks", "nacl":
    module(name)
module("nacl.encoding", Base64Encoder=None)
module("nacl.secret", SecretBox=None)
sys.modules["homeassistant.components"].zone = module("homeassistant.components.zone")
module("homeassistant.components.device_tracker", SourceType=types.SimpleNamespace(GPS="gps", BLUETOOTH_LE="ble"))
module("homeassistant.const", ATTR_LATITUDE="latitude", ATTR_LONGITUDE="longitude", STATE_HOME="home")
module("homeassistant.components.owntracks.helper", supports_encryption=lambda: False)
util = module("homeassistant.util", slugify=lambda text: text.lower().replace(" ", "_"))
util.decorator = load("homeassistant.util.decorator", "util/decorator.py")
messages = load("homeassistant.components.owntracks.messages", "components/owntracks/messages.py")

class Context:
    "What the integration keeps of a device, as messages.py uses it."
    mqtt_topic, events_only, region_mapping = "owntracks/#", False, {}
    def __init__(self):
        self.regions_entered = collections.defaultdict(list)
        self.mobile_beacons_active = collections.defaultdict(set)
        self.shown = None
    def async_valid_accuracy(self, message): return message["acc"] > 0
    def async_see(self, gps=None, **rest): self.shown = gps[0]
    def async_see_beacons(self, *rest): pass

zones = types.SimpleNamespace(states=types.SimpleNamespace(get=lambda name: None))
context = Context()
for line in sys.stdin:
    message = {"topic": "owntracks/jane/van", "lon": 11.5, "acc": 10, "tst": 1795780800, **json.loads(line)}
    context.shown = None
    asyncio.run(messages.async_handle_message(zones, context, message))
    print(message["lat"], "ignored" if context.shown is None else "shown")
PYTHON
python "$work/play.py" "$work"/wheels/homeassistant-*.whl >"$work/shown" <<'JSON'
{"_type": "location", "lat": 48.2, "inregions": []}
{"_type": "transition", "lat": 48.1, "event": "enter", "desc": "Depot"}
{"_type": "location", "lat": 48.3, "inregions": []}
{"_type": "transition", "lat": 48.4, "event": "leave", "desc": "Yard"}
{"_type": "location", "lat": 48.5, "inregions": []}
{"_type": "transition", "lat": 48.6, "event": "leave", "desc": "Depot"}
{"_type": "location", "lat": 48.7, "inregions": []}
JSON
line() { sed -n "$1p" "$work/shown"; }
holds "location" "48.2 shown" "$(line 1)"
holds "enter Depot" "48.1 shown" "$(line 2)"
holds "location far away, inregions []" "48.3 ignored" "$(line 3)"
holds "leave Yard" "48.4 shown" "$(line 4)"
holds "location" "48.5 ignored" "$(line 5)"
holds "leave Depot" "48.6 shown" "$(line 6)"
holds "location" "48.7 shown" "$(line 7)"
verdict
