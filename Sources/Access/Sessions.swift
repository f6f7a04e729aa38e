import OwnTracks

/// A phone that has shown a code once.
public struct Session: Hashable, Sendable {
  /// SHA-256 of the key in its cookie.
  public var hash: String
  /// Applies to all its requests.
  public var permission: Permission
  /// Unix seconds by the board's clock, right or wrong.
  public var made: Int
  /// The browser's name for itself, without control characters that would steer a terminal.
  public var device: String

  /// `device` may be any text that a stranger has sent.
  public init(hash: String, permission: Permission, made: Int, device: String) {
    self.hash = hash
    self.permission = permission
    self.made = made
    self.device = String(device.plainLine.prefix(Self.longestDevice))
  }

  private static let longestDevice = 120

  /// Short enough to be typed.
  public var name: String { String(hash.prefix(8)) }
}

/// All sessions, as stored in the file.
public struct Sessions: Hashable, Sendable {
  /// In the state folder.
  public static let fileName = "sessions.json"
  /// Sessions of one household. Beyond that the oldest one is dropped: it can show a code again.
  public static let limit = 32
  /// Bytes of the file.
  public static let fileLimit = 65_536
  /// Seconds that a cookie lives: a year.
  public static let lifetime = 365 * 86_400
  /// Unix seconds. A board with an earlier clock does not know the time: sessions made then do not expire.
  private static let firstPlausible = 1_700_000_000

  /// The oldest first.
  public private(set) var all: [Session]

  /// No sessions.
  public init() { all = [] }

  /// An unreadable file gives no sessions, an unreadable entry is left out: those browsers have to show a code again.
  public init(file: [UInt8]) {
    let json = file.count <= Self.fileLimit ? try? JSON.parse(file) : nil
    all = (json?["sessions"]?.elements ?? []).compactMap { entry in
      guard let hash = entry["hash"]?.text, hash.utf8.count == 64, let made = entry["made"]?.int,
        let permission = entry["may"]?.text.flatMap(Permission.init(rawValue:))
      else { return nil }
      return Session(
        hash: hash, permission: permission, made: made, device: entry["device"]?.text ?? "")
    }
    all = Array(all.suffix(Self.limit))
  }

  /// One line of JSON.
  public var file: [UInt8] {
    let sessions: [JSON] = all.map {
      [
        "hash": .string($0.hash), "may": .string($0.permission.rawValue), "made": .integer(Int64($0.made)),
        "device": .string($0.device),
      ]
    }
    let json: JSON = ["sessions": .array(sessions)]
    return json.serialised() + [UInt8(ascii: "\n")]
  }

  /// The session with this key. Every session is compared in full, so that the time taken reveals nothing. `now`: Unix
  /// seconds; a session expires after a year, if the board knew the time when it was made.
  public func session(ofKey key: String, at now: Int) -> Session? {
    let hash = Secret.hash(of: key)
    var found: Session?
    for session in all where Secret.isSame(session.hash, hash) { found = session }
    guard let found, found.made >= Self.firstPlausible else { return found }
    return now - found.made < Self.lifetime ? found : nil
  }

  /// Drops the oldest session if there are too many.
  public mutating func add(_ session: Session) {
    all.append(session)
    all = Array(all.suffix(Self.limit))
  }

  /// False: there is no session of this name.
  public mutating func forget(_ name: String) -> Bool {
    let before = all.count
    all.removeAll { $0.name == name }
    return all.count < before
  }
}
