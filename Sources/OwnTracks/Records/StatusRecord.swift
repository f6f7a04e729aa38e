/// `status`: the state of everything. Tracker and adapters each fill in their part; a replay has the tracker's alone.
public final class StatusRecord: AnswerRecord {
  /// `quiet`, `manual`, `significant` or `move`.
  public var mode: String?
  /// The mode with the notes of an automatic change.
  public var label: String?
  /// Why it is in force, for people; nil: since before this start.
  public var modeCause: String?
  /// The time of day.
  public var clock: Clock?
  /// The board's identity.
  public var identity: Identity?
  /// The newest position; nil: there has never been one.
  public var fix: Position?
  /// The messages that wait for the server.
  public var queue: Queue?
  /// How many there are, pins included.
  public var regions: Int?
  /// Full names of those that the board is inside of.
  public var inside: [String]?
  /// `unknown`, `none`, `wifi`, `mobile` or `wired`.
  public var network: String?
  /// Cost of the connection to the server; nil: no clock is believed.
  public var data: DataUsed?
  /// Points of the own track.
  public var history: Int?
  /// Of the board; nil: none, or not known.
  public var battery: Battery?
  /// Why it is not known.
  public var batteryCause: String?
  /// How far the board has stepped down to spare a battery; nil: it never does.
  public var batteryStep: String?
  /// Programs that were to read it and did not end.
  public var batteryHung: Int?
  /// Kilometres; nil: switched off.
  public var odometer: Double?
  /// The one under way.
  public var trip: Trip?
  /// The parked vehicle is watched; otherwise nil.
  public var guarded: Bool?
  /// The anchor watch; nil: off.
  public var anchor: Anchor?
  /// The vehicle is too fast now.
  public var speeding: Speeding?
  /// A call for help that is not acknowledged; nil: there is none.
  public var sos: SOS?
  /// The receiver says that it is jammed; nil: it does not.
  public var jamming: Disturbance?
  /// The receiver says that it is spoofed; nil: it does not.
  public var spoofing: Disturbance?
  /// Hours that the ignition has been on in all; nil: nothing says whether it is.
  public var engineHours: Double?
  /// How well harsh driving can be told; nil: it is not looked for, or positions have only begun to come.
  public var harshDriving: HarshDriving?
  /// The state of its wires; nil: nothing is wired.
  public var vehicle: Vehicle?
  /// Entities that Home Assistant still shows and that nothing can take back by the settings in force.
  public var leftDescriptions: Int?
  /// Changes made by commands; nil: none.
  public var remote: Remote?
  /// The way to the server.
  public var connection: Connection?
  /// The source of positions and its receiver.
  public var gps: Receiver?
  /// The radio that hears beacons.
  public var scanner: Scanner?
  /// Messages from outside.
  public var messages: Messages?
  /// The store on the board.
  public var store: Store?
  /// How the page draws differently; nil: it does not.
  public var page: Page?
  /// Supply, heat and storage.
  public var board: Board?
  /// The owner's program; nil: there is none.
  public var onEvent: Hook?
  /// Of the daemon.
  public var version: String?
  /// Seconds since its start.
  public var uptime: Int?

  /// Nothing is known.
  public init() {}

  public func keys(_ keys: inout AnswerKeys) {
    keys("mode", &mode)
    keys("label", &label)
    keys("modeCause", &modeCause)
    keys("clock", &clock)
    keys("identity", &identity)
    keys("fix", &fix)
    keys("queue", &queue)
    keys("regions", &regions)
    keys("inside", &inside)
    keys("network", &network)
    keys("data", &data)
    keys("history", &history)
    keys("battery", &battery)
    keys("batteryCause", &batteryCause)
    keys("batteryStep", &batteryStep)
    keys("batteryHung", &batteryHung)
    keys("odometer", &odometer)
    keys("trip", &trip)
    keys("guarded", &guarded)
    keys("anchor", &anchor)
    keys("speeding", &speeding)
    keys("sos", &sos)
    keys("jamming", &jamming)
    keys("spoofing", &spoofing)
    keys("engineHours", &engineHours)
    keys("harshDriving", &harshDriving)
    keys("vehicle", &vehicle)
    keys("leftDescriptions", &leftDescriptions)
    keys("remote", &remote)
    keys("connection", &connection)
    keys("gps", &gps)
    keys("scanner", &scanner)
    keys("messages", &messages)
    keys("store", &store)
    keys("page", &page)
    keys("board", &board)
    keys("onEvent", &onEvent)
    keys("version", &version)
    keys("uptime", &uptime)
  }
}

extension StatusRecord {
  /// The time of day.
  public struct Clock: AnswerRecord {
    /// Known from the system, or proven by a receiver.
    public var trusted: Bool?

    /// Nothing is known.
    public init() {}

    public mutating func keys(_ keys: inout AnswerKeys) {
      keys("trusted", &trusted)
    }
  }

  /// The board's identity.
  public struct Identity: AnswerRecord {
    /// `username` and `deviceId` are known; nothing is published before.
    public var valid: Bool?
    /// The base topic.
    public var topic: String?
    /// The tracker id.
    public var tid: String?
    /// At the broker.
    public var clientId: String?
    /// Where it comes from.
    public var clientIdForm: String?

    /// Nothing is known.
    public init() {}

    public mutating func keys(_ keys: inout AnswerKeys) {
      keys("valid", &valid)
      keys("topic", &topic)
      keys("tid", &tid)
      keys("clientId", &clientId)
      keys("clientIdForm", &clientIdForm)
    }
  }

  /// Cost of the connection to the server, with the headers of TCP and IP.
  public struct DataUsed: AnswerRecord {
    /// Bytes of the local day.
    public var today: Int?
    /// Bytes of the local month.
    public var month: Int?
    /// Bytes that it may cost in a month; nil: as many as it likes.
    public var budget: Int?
    /// Seconds that positions are sent apart at least, for the sake of the budget; nil: as they come.
    public var spacing: Int?

    /// Nothing is known.
    public init() {}

    public mutating func keys(_ keys: inout AnswerKeys) {
      keys("today", &today)
      keys("month", &month)
      keys("budget", &budget)
      keys("spacing", &spacing)
    }
  }

  /// A position, as a location would publish it.
  public struct Position: AnswerRecord {
    /// Degrees.
    public var latitude: Double?
    /// Degrees.
    public var longitude: Double?
    /// Metres.
    public var accuracy: Double?
    /// Unix seconds.
    public var time: Int?
    /// Seconds since the last usable fix; nil: none since the start.
    public var age: Double?
    /// Kilometres an hour.
    public var speed: Int?
    /// Degrees.
    public var course: Int?
    /// Metres.
    public var altitude: Int?

    /// Nothing is known.
    public init() {}

    public mutating func keys(_ keys: inout AnswerKeys) {
      keys("lat", &latitude)
      keys("lon", &longitude)
      keys("acc", &accuracy)
      keys("tst", &time)
      keys("age", &age)
      keys("vel", &speed)
      keys("cog", &course)
      keys("alt", &altitude)
    }
  }

  /// The board's battery.
  public struct Battery: AnswerRecord {
    /// Per cent.
    public var level: Int?
    /// `charging`, `unplugged`, `full` or `unknown`.
    public var state: String?

    /// Nothing is known.
    public init() {}

    public mutating func keys(_ keys: inout AnswerKeys) {
      keys("level", &level)
      keys("state", &state)
    }
  }

  /// Changes made by commands.
  public struct Remote: AnswerRecord {
    /// Keys and values; secrets are hidden.
    public var settings: JSON?
    /// A part of it has still to be proven by the server.
    public var trial: Bool?

    /// Nothing is known.
    public init() {}

    public mutating func keys(_ keys: inout AnswerKeys) {
      keys("settings", &settings)
      keys("trial", &trial)
    }
  }

  /// Messages from outside.
  public struct Messages: AnswerRecord {
    /// Messages since the start.
    public var received: Int?
    /// Those that made no sense.
    public var malformed: Int?
    /// The last of them, with its topic.
    public var lastMalformed: String?
    /// Encrypted ones that the key does not open; nil: no key.
    public var unopened: Int?
    /// The last of them.
    public var lastUnopened: String?
    /// Places of others since a person last looked.
    public var friendUpdates: Int?

    /// Nothing is known.
    public init() {}

    public mutating func keys(_ keys: inout AnswerKeys) {
      keys("received", &received)
      keys("malformed", &malformed)
      keys("lastMalformed", &lastMalformed)
      keys("unopened", &unopened)
      keys("lastUnopened", &lastUnopened)
      keys("friendUpdates", &friendUpdates)
    }
  }

  /// The store on the board.
  public struct Store: AnswerRecord {
    /// Its folder.
    public var path: String?
    /// Why it does not take what it should; nil: it does.
    public var cause: String?
    /// Seconds until it is tried again.
    public var nextAttempt: Double?
    /// Since the start.
    public var bytesWritten: Int?
    /// Bytes; nil: it is not open.
    public var size: Int?
    /// Records that were damaged, and set aside.
    public var quarantined: Int?

    /// Nothing is known.
    public init() {}

    public mutating func keys(_ keys: inout AnswerKeys) {
      keys("path", &path)
      keys("cause", &cause)
      keys("nextAttempt", &nextAttempt)
      keys("bytesWritten", &bytesWritten)
      keys("size", &size)
      keys("quarantined", &quarantined)
    }
  }

  /// How the page draws differently.
  public struct Page: AnswerRecord {
    /// The address of map tiles.
    public var template: String?
    /// The map's attribution.
    public var copyright: String?
    /// How speeds are drawn.
    public var tacho: String?

    /// Nothing is known.
    public init() {}

    public mutating func keys(_ keys: inout AnswerKeys) {
      keys("template", &template)
      keys("copyright", &copyright)
      keys("tacho", &tacho)
    }
  }

  /// The owner's program for events.
  public struct Hook: AnswerRecord {
    /// Started so many times.
    public var run: Int?
    /// Ended with an error.
    public var failed: Int?
    /// Not done in time.
    public var killed: Int?
    /// Events that it was not told of.
    public var dropped: Int?

    /// Nothing is known.
    public init() {}

    public mutating func keys(_ keys: inout AnswerKeys) {
      keys("run", &run)
      keys("failed", &failed)
      keys("killed", &killed)
      keys("dropped", &dropped)
    }
  }
}
