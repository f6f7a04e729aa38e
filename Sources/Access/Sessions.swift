import OwnTracks

/// A phone that has shown a code once.
public struct Session: Hashable, Sendable {
  /// SHA-256 of the key in its cookie.
  public var hash: String
  /// Of everything that it asks for.
  public var permission: Permission
  /// Unix seconds by the board's clock, right or wrong.
  public var made: Int
  /// What the browser calls itself, without what would steer a terminal.
  public var device: String

  /// `device` may be whatever a stranger has sent.
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

/// All of them, as the file has them.
public struct Sessions: Hashable, Sendable {
  /// In the state folder.
  public static let fileName = "sessions.json"
  /// Of one household. The oldest one goes: it can show a code again.
  public static let limit = 32
  /// Bytes of the file.
  public static let fileLimit = 65_536
  /// Seconds that a cookie lives: a year.
  public static let lifetime = 365 * 86_400
  /// Unix seconds. A board that says less does not know the time: what was made then does not grow old.
  private static let firstPlausible = 1_700_000_000

  /// The oldest first.
  public private(set) var all: [Session]

  /// Nobody is known.
  public init() { all = [] }

  /// What cannot be read counts as nobody: who is left out shows a code again.
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

  /// The one that has this key. Every one is compared in full, so that the time it takes says nothing.
  /// `now`: Unix seconds; after a year a session is over, where the clock can say so.
  public func session(ofKey key: String, at now: Int) -> Session? {
    let hash = Secret.hash(of: key)
    var found: Session?
    for session in all where Secret.isSame(session.hash, hash) { found = session }
    guard let found, found.made >= Self.firstPlausible else { return found }
    return now - found.made < Self.lifetime ? found : nil
  }

  /// In the place of the oldest one where there are too many.
  public mutating func add(_ session: Session) {
    all.append(session)
    all = Array(all.suffix(Self.limit))
  }

  /// False: none is called so.
  public mutating func forget(_ name: String) -> Bool {
    let before = all.count
    all.removeAll { $0.name == name }
    return all.count < before
  }
}
