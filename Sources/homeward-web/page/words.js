// Everything that a person reads, but for what the board itself says. To translate the page, translate this file.

export const count = (number, one, many) => `${number.toLocaleString()} ${number === 1 ? one : many}`;

/** `45 s`, `12 min`, `3 h 20 min`, `4 d 2 h`: as the command line says it. */
export function span(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  if (!Number.isFinite(whole)) return "?";
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours} h` + (minutes % 60 ? ` ${minutes % 60} min` : "");
  return `${Math.floor(hours / 24)} d` + (hours % 24 ? ` ${hours % 24} h` : "");
}

/** A moment in Unix seconds; of another day with its date. */
export function time(seconds) {
  if (seconds === undefined || seconds === null) return "no clock yet";
  const moment = new Date(seconds * 1000), now = new Date();
  const clock = moment.toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
  return moment.toDateString() === now.toDateString() ? clock : `${moment.toLocaleDateString()} ${clock}`;
}

export function distance(metres) {
  return metres < 1000 ? `${Math.round(metres)} m` : `${(metres / 1000).toFixed(metres < 10000 ? 1 : 0)} km`;
}

/** The eighth of the compass that an angle in degrees, clockwise from north, belongs to. */
export const direction = degrees => words.directions[Math.round((degrees + 360) / 45) % 8];

export const bytes = number => number < 1000 ? `${number} B` : `${(number / 1000).toFixed(1)} kB`;

export const words = {
  // The bar
  light: { green: "connected", amber: "not connected", red: "error", blue: "idle" },
  disconnected: "disconnected",
  notReached: "not reached",
  trackerSilent: "no tracker",
  loading: "connecting",
  waitingCount: number => `${number.toLocaleString()} unsent`,
  onTrial: "on trial",
  age: text => `${text} ago`,
  noPosition: "no position",
  bannerNo: "This phone does not reach the board. What you see is what was known last; the page goes on trying.",
  bannerSilent: "The tracker on the board does not answer. What you see is what was known last.",
  bannerSOS: "SOS is open: it is published again until somebody acknowledges it (Now, SOS).",
  spoken: (state, mode) => `The tracker is ${state}. Mode: ${mode}.`,

  // The map
  map: "Map", mapButtons: "Map buttons",
  followNone: "Follow: off", followNorth: "Follow this board, north up", followAhead: "Follow this board, its course up", followAll: "Keep everybody in view",
  followed: { none: "Following is off", north: "Following, north up", ahead: "Following, course up", all: "Everybody in view" },
  noMap: "No map yet:", how: "how", beaconHeard: "A beacon is in range", beaconUnheard: "No beacon is in range",
  directions: ["N", "NE", "E", "SE", "S", "SW", "W", "NW"], nearTown: (name, far, way) => ` · ${name} ${far} ${way}`,
  showAll: "Show all",
  mapKind: name => `Map: ${name}`,
  kinds: { tracks: "tracks only", template: "online", file: "on the board" },
  publish: "Publish",
  grid: text => `grid ${text}`,
  north: "N",
  self: "This board",
  selfAt: (speed, course) => "This board" + (speed ? `, ${speed}` : "") + (course ? `, heading ${course}` : ""),
  friendAt: name => `Friend ${name}`,
  manual: "manual", automatic: "automatic",
  accuracy: text => `± ${text}`,
  speed: number => `${Math.round(number)} km/h`,
  course: number => `${Math.round(number)}°`,
  altitude: number => `${Math.round(number)} m`,
  inside: "inside", outside: "outside", unknown: "not known yet",
  heard: "in range", unheard: "not in range",
  pin: "pin", beacon: "beacon", circle: text => `circle of ${text}`, area: "area", follow: text => `follows the board, ${text}`,
  dragHint: "Drag the marker to move it. A tap beside it leaves it there.",

  // The sheet
  friendsSince: number => `${count(number, "update", "updates")} since you last looked`,
  sections: "Sections",
  tabs: { now: "Now", friends: "Friends", places: "Places", why: "Why", settings: "Settings" },
  larger: "Larger", smaller: "Smaller",
  move: "Move", cancel: "Cancel", save: "Save", remove: "Delete", edit: "Edit", more: "More",
  lookOnly: "Nothing can be changed here: this phone may only look.",
  failed: "The board did not answer.",
  done: "Done.",
};

// Read when the sheet or the card is opened: what is served is cut in two here.
Object.assign(words, {
  // The card of a board that has no position yet
  awaitsPosition: "Waiting for a position", awaitsReceiver: "Waiting for the receiver",
  sendsNothing: text => `It sends nothing, for ${text}.`, awaitedFor: (cause, text) => `${cause}, for ${text}.`,
  satellitesSeen: number => `${count(number, "satellite", "satellites")} so far.`, lastKnown: text => `The map shows where the board was ${text} ago.`,
  close: "Close", mapTitle: "A map for this page",
  mapHow: ["With a network: name a server of maps in the settings, group “This page” (osmTemplate, and whose map it is in osmCopyright).",
    "Without a network: put a file *.mbtiles or *.pmtiles on the board, and name it in PAGE_OPTIONS of homeward-web.service (--map FILE)."],

  // Now
  publishOnly: "This board is locked: you can publish and call for help here, and change nothing.",
  sos: "SOS", sosText: "Calls for help: an alarm and the position at once and each minute, in any mode, until somebody acknowledges it.",
  sosOpen: (times, since) => `Open: published ${times === 1 ? "once" : `${times} times`}${since ? `, since ${since}` : ""}.`,
  sosCall: "Call for help", sosAgain: "Call once more", sosConfirm: "An alarm with the position of this board is published now, also in quiet mode and inside of private places.",
  acknowledge: "Acknowledge", acknowledgeText: "Somebody cares for it: it is not published again.",
  mode: "Mode",
  modes: { quiet: "Quiet", manual: "Manual", significant: "Significant", move: "Move" },
  downgraded: "! changed by a low battery", adapted: "# changed because the vehicle stands",
  position: "Position", coordinates: "Coordinates", accuracyName: "Accuracy", ageName: "Measured", speedName: "Speed", courseName: "Course",
  altitudeName: "Altitude", regionsName: "Inside of", nowhere: "no region", neverAnyFix: "None yet. The receiver has to see the sky.",
  openGeo: "Open in maps", openMap: "OpenStreetMap", shareIt: "Share", copyIt: "Copy", copied: text => `Copied: ${text}`, copyYourself: "This browser lets no page copy: hold the coordinates.",
  modeMeaning: { quiet: "Nothing is published.", manual: "Only what is published by hand.", significant: "Only arrivals, departures and large moves.", move: "Everywhere while driving." },
  // Results of orders, where the tracker's own words name commands
  did: {
    connect: "Connecting. The light at the top says how it goes.", reconnect: "Connecting anew. The light at the top says how it goes.",
    disconnect: "Disconnected until Connect is pressed.",
  },
  setHere: key => `set ${key}`, toSetting: key => `Settings: ${key}`, atOnce: "now",
  clockUntrusted: "The time is not known yet.",
  connection: "Connection", server: "Server", since: "Since", cause: "Cause", remedy: "Remedy", lastError: "Last error",
  topic: "Topic", subscription: "Subscription", notHeard: "Not heard", nextAttempt: "Next attempt", delivery: "Encryption",
  encrypted: "messages are encrypted", tls: "TLS", plain: "not encrypted",
  connect: "Connect", disconnect: "Disconnect", reconnect: "Reconnect",
  disconnectText: "What is published waits on the board until it is connected again.",
  queue: "Queue", nothingWaits: "Nothing waits.",
  queueText: (number, size) => `${count(number, "message", "messages")} (${size})`,
  waitingName: "Waiting", inFlight: "In flight", inFlightOf: (number, window) => `${number} of ${window}`, confirmed: "Confirmed",
  confirmedText: text => `the last message ${text} ago`, dropped: "Dropped", refused: "Refused", held: "Held", passedBy: "Passed by", backlog: "Backlog",
  backlogText: number => `${count(number, "old location waits", "old locations wait")} for WiFi, a cable or their time`,
  together: "Together", togetherText: number => `${count(number, "location waits", "locations wait")} to travel together`,
  storeFailing: "Writing fails: what comes now waits in memory.", storeName: "Store",
  clearQueue: "Discard the queue", clearQueueText: "Everything that waits for the broker is discarded. This cannot be undone.",
  resend: "Send refused messages again",
  boardName: "Board", battery: "Battery", charge: (level, state) => `${level} % ${state}`,
  receiver: "Receiver", receiverFixes: ["unknown", "no fix", "2D fix", "3D fix"], receiverLost: name => `${name ?? "the receiver"} is not reached`,
  satellites: number => count(number, "satellite", "satellites"), network: "Network", odometer: "Odometer", trip: "Trip", anchor: "Anchor", vehicle: "Vehicle",
  ignition: isOn => `ignition ${isOn ? "on" : "off"}`, volts: number => `${number} V`, low: "low", version: "Version",
  networks: { wifi: "WiFi", mobile: "mobile", wired: "cable", none: "none", unknown: "unknown" },
  history: "History", historyCount: (shown, all) => shown < all ? `${shown.toLocaleString()} of ${all.toLocaleString()} places are on the map.` : `${count(all, "place is", "places are")} on the map.`,
  lastPlaces: number => `The last ${number}`, noHistory: "Nothing is kept yet.",
  moreTrack: "Load more of the track", removePoint: "Delete this place", removePointText: "It is deleted from the history. What was published stays with those who have it.",
  clearHistory: "Delete the history", clearHistoryText: "All places are deleted from the history on the board. What was published stays with those who have it.",
  exportGPX: "Download as GPX", from: "From", to: "To",
  anchorText: (isDragging, metres, when) => `${isDragging ? "drags, beyond" : "watched, within"} ${metres} m, set ${when}`,
  kilometres: number => `${number} km`, tripText: (way, when) => `${way} since ${when}`,

  // Publishing
  publishTitle: "Publish the position", publishText: "Publishes the newest position now, in any mode.",
  remark: "Remark", photo: "Photo, goes with a remark", photoText: size => `The photo is sent with ${size}.`, photoBad: "This file is no picture.", photoNeedsRemark: "A photo goes with a remark.",

  // Friends
  noFriends: "No friends seen yet. Others are listened to only if the setting friends is on.",
  seen: text => `seen ${text} ago`, never: "no place known", centre: name => `Show ${name} on the map`,
  allPlaces: "All places", places: name => `Places of ${name}`, forget: "Forget", forgetText: name => `${name} is forgotten, here and at the broker. A friend who goes on publishing comes back.`,
  forgetPlace: at => `Forget the place of ${at}`, forgetPlaceText: at => `The place of ${at} is forgotten here. The newest comes back as long as the broker keeps it.`,
  away: text => `${text} away`, reload: "Reload",

  // Places
  addPlace: "Add a place", addHint: "A long press on the map adds one, too.", noPlaces: "No places yet.",
  addTitle: "Add a place", editTitle: "Change the place", name: "Name", latitude: "Latitude", longitude: "Longitude", radius: "Radius in metres",
  radiusHint: "0: a pin, or a beacon's region", hereDefault: "Here", share: "Its name may be published", private: "Private: nothing reveals where the board is inside",
  uuid: "Beacon UUID", major: "Major", minor: "Minor", dwell: "Dwell in seconds", speedLimit: "Speed limit in km/h", expert: "For experts",
  useHere: "Use the board's position", removeText: name => `${name} is deleted. Nothing is published.`, moveText: (name, far) => `${name} is moved by ${far}.`,
  showOnMap: "Show on the map", placesCount: number => count(number, "place", "places"), namesHint: "+ at the beginning: it follows the board. Name|1|2 switches the mode on enter and on leave.",

  // Why
  whyText: "Why things were published, and why not. The newest at the top.", published: "published", withheld: "not published", whyNothing: "Nothing has happened yet.",
  times: (number, last) => `${number} times` + (last ? `, the last at ${last}` : ""), onlyWithheld: "Only what was not published",

  // Settings
  groups: { identity: "Identity", reporting: "Reporting", connection: "Connection", rules: "Remote control and filters", board: "Board and vehicle", page: "This page", "": "Others" },
  settingsText: "What is set here overrides the configuration file, as a remote command would.", lockedText: "This board is locked: nothing can be changed here.",
  folds: { modes: "Modes that change by themselves", turns: "Where the track turns", vehicle: "Vehicle and alarms" },
  titles: {
    username: "User", deviceId: "Device", tid: "Two letters on the map", clientId: "Name of the connection", monitoring: "Mode", preset: "Usual distances of",
    locatorDisplacement: "Distance in move mode", locatorInterval: "Time in move mode", significantDisplacement: "Distance in significant mode",
    significantInterval: "Time in significant mode", significantWindow: "Wait for a better position", reportFixLoss: "Say when the position is lost",
    ping: "Sign of life", ignoreInaccurateLocations: "Least accuracy", extendedData: "Altitude, course and speed", downgrade: "Save a low battery",
    adapt: "Significant mode while standing", networkModes: "Mode by WiFi", timeModes: "Mode by time of day", adaptive: "More where the track turns",
    odometer: "Count the distance", towAlarm: "Alarm when towed", overspeed: "Alarm when too fast", harshDriving: "Alarm of harsh driving", positions: "Places that are kept", days: "Days that are kept",
    ignoreStaleLocations: "Hide silent friends", host: "Server", tls: "Encrypted connection", friends: "Listen to friends", cmd: "Obey commands",
    osmTemplate: "Server of the map", osmCopyright: "Whose map it is", tacho: "Scale of the speed", encryptionKey: "Key for messages",
  },
  experts: number => `${count(number, "setting", "settings")} for experts`, standard: text => `default ${text}`, range: (least, most, unit) => `${least} to ${most}${unit}`,
  orWords: list => `or ${list.join(", ")}`, fileOnly: "only in the configuration file",
  isSet: "is set", isNotSet: "is not set", secretHint: "Leave it empty to keep it.", removeSecret: "Remove it", fromRemote: "changed by a command", fromFile: "from the file",
  review: "Review and save", saveTitle: "Save these settings?", nothingChanged: "Nothing is changed.", newSecret: "a new value", empty: "empty", on: "on", off: "off",
  portZero: "Port 0 reaches no server, so that it is always taken back after two minutes. To be offline for good, set it in the configuration file.",
  trialText: "The connection is changed on trial: if the server is not reached with it, the old settings return by themselves.", trialRuns: "Changed settings of the connection are on trial: if the server is not reached with them, the old ones return.",
  changedBy: "Changed by commands", clearRemote: "Back to the file", clearRemoteText: "Everything that commands and this page have changed is as in the configuration file again.", oneALine: "one a line",
});
