"""Home Assistant itself, asked over standard input. Run by the Python that it is installed for:

    house.py FOLDER BROKER-PORT HTTP-PORT LATITUDE LONGITUDE [NAME,LATITUDE,LONGITUDE,RADIUS ...]

Its core with the integrations `mqtt` (with discovery) and `owntracks`, both at once, as people have them; zone.home
lies at the place named, further zones where they are. What it keeps over a restart is in FOLDER. Each line that is read
asks for something, each line that is written is an answer:

    states                              {"entity": {"state": ..., "attributes": {...}}}
    call DOMAIN SERVICE {"key": ...}    {}
    history                             {"entity": [state, ...]} since the start, each change of it
    arrivals                            ["zone", "state", ...]: by which trigger an automation was told that a tracker of
                                        the board came home
    leap SECONDS                        {}: so much of the time is over for whatever waits
    complaints                          what it has logged of `mqtt` and `owntracks` so far, warnings and worse
    stop                                {}, and it ends in order
"""
import asyncio
import inspect
import json
import logging
import os
import sys

# As people write them, in words that old versions know as well.
TRACKERS = ["device_tracker.board_place", "device_tracker.ute_board"]
ARRIVAL = {
    "alias": "Arrival", "mode": "queued",
    "trigger": [{"platform": "state", "entity_id": TRACKERS, "to": "home"},
                *({"platform": "zone", "entity_id": entity, "zone": "zone.home", "event": "enter"} for entity in TRACKERS)],
    "action": [{"event": "arrived", "event_data": {"by": "{{ trigger.platform }} {{ trigger.entity_id }}"}}],
}
WATCHED = ("homeassistant.components.mqtt", "homeassistant.components.owntracks", "homeassistant.helpers.template")


class History:
    """Every state of every entity, and what automations were told."""

    def __init__(self):
        self.states, self.arrivals = {}, []

    def changed(self, event):
        new = event.data.get("new_state")
        told = self.states.setdefault(event.data["entity_id"], [])
        state = new.state if new else None
        if not told or told[-1] != state:
            told.append(state)

    def arrived(self, event):
        self.arrivals.append(event.data["by"])


class Complaints(logging.Handler):
    def __init__(self):
        super().__init__(logging.WARNING)
        self.lines = []

    def emit(self, record):
        if record.name.startswith(WATCHED):
            self.lines.append("%s %s: %s" % (record.levelname, record.name, record.getMessage()[:400]))


def entry_of(config_entries, domain, data):
    """A configuration entry; what a version wants beyond that is empty."""
    known = dict(version=1, minor_version=2, domain=domain, title=domain, data=data, source="user", options={},
                 entry_id=domain, unique_id=None)
    parameters = inspect.signature(config_entries.ConfigEntry).parameters
    for name, parameter in parameters.items():
        if name not in known and parameter.default is inspect.Parameter.empty:
            known[name] = {} if name == "discovery_keys" else None
    return config_entries.ConfigEntry(**{key: value for key, value in known.items() if key in parameters})


async def settle_core(hass, latitude, longitude):
    values = {"name": "Test", "latitude": latitude, "longitude": longitude, "elevation": 500,
              "unit_system": "metric", "time_zone": "UTC"}
    try:
        from homeassistant.core_config import async_process_ha_core_config as process
    except ImportError:
        from homeassistant.config import async_process_ha_core_config as process
    await process(hass, values)


async def begin(folder, broker_port, http_port, latitude, longitude, zones, history):
    from homeassistant import bootstrap, config_entries, core, loader
    from homeassistant.setup import async_setup_component
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "configuration.yaml"), "a"):
        pass
    hass = core.HomeAssistant(folder)
    hass.bus.async_listen("state_changed", core.callback(lambda event: history.changed(event)))
    hass.bus.async_listen("arrived", core.callback(lambda event: history.arrived(event)))
    hass.config.skip_pip = True
    loader.async_setup(hass)
    hass.config_entries = config_entries.ConfigEntries(hass, {})
    await bootstrap.async_load_base_functionality(hass)
    settings = {"homeassistant": {}, "http": {"server_host": "127.0.0.1", "server_port": http_port}, "zone": zones,
                "automation": [ARRIVAL]}
    for domain in ("homeassistant", "persistent_notification"):
        assert await async_setup_component(hass, domain, settings), "%s was not set up" % domain
    await settle_core(hass, latitude, longitude)
    for domain in ("http", "zone", "device_tracker", "automation"):
        assert await async_setup_component(hass, domain, settings), "%s was not set up" % domain
    entries = (("mqtt", {"broker": "127.0.0.1", "port": broker_port}),
               ("owntracks", {"webhook_id": "hook", "secret": "secret", "cloudhook": False}))
    for domain, data in entries:
        entry = hass.config_entries.async_get_entry(domain)
        if entry:  # of the last time
            await hass.config_entries.async_setup(domain)
        else:
            entry = entry_of(config_entries, domain, data)
            await hass.config_entries.async_add(entry)
        assert entry.state is config_entries.ConfigEntryState.LOADED, "%s: %s" % (domain, entry.reason)
    await hass.async_start()
    await hass.async_block_till_done()
    return hass


def leap(loop, seconds):
    """Its timers are due so much earlier; the time of day goes on as it does."""
    before = loop.time
    loop.time = lambda: before() + seconds


def answer(value):
    sys.stdout.write(json.dumps(value, default=str) + "\n")
    sys.stdout.flush()


async def serve(hass, complaints, history):
    loop = asyncio.get_running_loop()
    while True:
        line = await loop.run_in_executor(None, sys.stdin.readline)
        words = line.split(None, 3)
        if not words or words[0] == "stop":
            await hass.async_stop(force=True)
            return answer({})
        if words[0] == "states":
            answer({state.entity_id: {"state": state.state, "attributes": dict(state.attributes)}
                    for state in hass.states.async_all()})
        elif words[0] == "call":
            await hass.services.async_call(words[1], words[2], json.loads(words[3]), blocking=True)
            answer({})
        elif words[0] == "history":
            answer(history.states)
        elif words[0] == "arrivals":
            answer(history.arrivals)
        elif words[0] == "leap":
            leap(loop, float(words[1]))
            answer({})
        elif words[0] == "complaints":
            answer(complaints.lines)


async def main():
    folder, broker_port, http_port = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    complaints = Complaints()
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr)
    logging.getLogger().addHandler(complaints)
    zones = [dict(zip(("name", "latitude", "longitude", "radius"), (name, *map(float, numbers))))
             for name, *numbers in (zone.split(",") for zone in sys.argv[6:])]
    history = History()
    hass = await begin(folder, broker_port, http_port, float(sys.argv[4]), float(sys.argv[5]), zones, history)
    answer({})
    await serve(hass, complaints, history)


if __name__ == "__main__":
    asyncio.run(main())
    # Threads of its integrations may hold the end of the interpreter up.
    os._exit(0)
