import Model

/// Identity of this tracker on the broker: everything that follows from user, device and base topic.
public struct Topics: Hashable, Sendable {
  /// The last part of a topic below the base.
  public enum Suffix: String, CaseIterable, Sendable {
    /// Published, each with the messages of its name; but `transition` on event, `steps` on step, `card` on info.
    case event, waypoint, status, dump, waypoints, beacon, step, info, trip, alarm
    /// Several locations as one message, which `homeward unbatch` takes apart.
    case batch
    /// Where the first apps took the bare word `publish`; subscribed to with `legacyListento`.
    case listento
    /// Of the apps' tours; nothing of ours goes there.
    case request
    /// Where our commands come in.
    case command = "cmd"
    /// Outcomes of the commands that have an `id`.
    case result = "cmd/answer"
  }

  /// Where locations and the will go.
  public let base: String
  /// The setting as it is; without one letters, digits, `-` and `_`, see `ClientID`.
  public let clientId: String
  /// How the client id is composed, as a word for programs.
  public let clientIdForm: String
  /// `tid`: two characters at most; empty only where the base topic has no characters at all.
  public let trackerID: String
  /// Topic filters; empty: nothing is subscribed.
  public let subscriptions: [String]
  /// Whether user and device are known: nothing is published until they are.
  public let isIdentityValid: Bool
  /// The device's name: the setting, else the host's.
  public let device: String

  /// `hostName` stands in for an empty `deviceId`; what a topic level may not hold is taken out of it.
  public init(_ configuration: Configuration, hostName: String, clientIDForm: ClientIDForm = .apart) {
    let host = hostName.filter { !"/+#%\0".contains($0) }
    let user = configuration.identity.username
    let device = configuration.identity.deviceId.isEmpty ? host : configuration.identity.deviceId
    let names = Names(user: user.isEmpty ? "user" : user, device: device.isEmpty ? "device" : device)
    let pattern =
      configuration.messages.topicBase.isEmpty ? "owntracks/%u/%d" : configuration.messages.topicBase
    let base = names.filled(into: pattern)
    self.base = base
    self.device = device
    isIdentityValid = !user.isEmpty && !device.isEmpty
    trackerID = configuration.identity.tid.isEmpty ? Self.trackerID(of: base) : configuration.identity.tid
    let setting = ClientID.configured(configuration.identity.clientId)
    let isJoined = clientIDForm == .joined(user: user, device: device)
    clientId =
      setting ?? (isJoined ? ClientID.joined(user, device, host: host) : ClientID.apart(user, device))
    clientIdForm = setting != nil ? "configured" : isJoined ? "joined" : "apart"
    subscriptions = Self.subscriptions(configuration, base: base, names: names) + Self.births(configuration)
  }

  /// Below the base; friends see it as well.
  public func topic(_ suffix: Suffix) -> String { "\(base)/\(suffix.rawValue)" }

  /// The last two characters of the last level that has any, upper-cased.
  private static func trackerID(of base: String) -> String {
    let last = base.split(separator: "/").last ?? ""
    return String(String.UnicodeScalarView(last.uppercased().unicodeScalars.suffix(2)))
  }

  /// `subTopic` where it is set, and nothing else; else our own commands, and with `friends` the neighbours'
  /// locations, events and cards too.
  private static func subscriptions(_ configuration: Configuration, base: String, names: Names) -> [String] {
    guard configuration.broker.sub else { return [] }
    let wanted = configuration.broker.subTopic.split { $0.isWhitespace }
    guard wanted.isEmpty else { return wanted.map { names.filled(into: String($0)) } }
    let own = [base + "/cmd"] + (configuration.commands.legacyListento ? [base + "/listento"] : [])
    guard configuration.friends.isOn else { return own }
    let levels = base.split(separator: "/", omittingEmptySubsequences: false)
    let kept = base.utf8.first == UInt8(ascii: "/") ? 2 : 1
    let all = levels.enumerated().map { $0.offset < kept ? String($0.element) : "+" }.joined(separator: "/")
    return own + [all, all + "/event", all + "/info"]
  }

  /// Where Home Assistant says that it has started, whatever its prefix for discovery is.
  public static let birth = "homeassistant/status"

  /// It has to be told of us again then.
  private static func births(_ configuration: Configuration) -> [String] {
    let isHeard =
      configuration.broker.sub && configuration.dashboard.discovery
      && configuration.messages.encryptionKey.isEmpty
    return isHeard ? [birth] : []
  }

  private struct Names {
    var user: String
    var device: String

    /// `%u` and `%d` in one pass: a user called "%d" stays what he is.
    func filled(into pattern: String) -> String {
      var result = ""
      var isMarked = false
      for character in pattern {
        switch (isMarked, character) {
        case (true, "u"): result += user
        case (true, "d"): result += device
        case (true, "%"):
          result += "%"
          continue
        case (true, _): result += "%" + String(character)
        case (false, "%"):
          isMarked = true
          continue
        case (false, _): result.append(character)
        }
        isMarked = false
      }
      return isMarked ? result + "%" : result
    }
  }
}
