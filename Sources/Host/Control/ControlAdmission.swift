/// Which clients of the control socket are served, wait, or are refused. One user of the group may hold any number of
/// connections: others still get their turn, and root always does.
struct ControlAdmission {
  /// Clients of all users but root that are served at a time, and of one of them.
  static let common = 16
  static let each = 8
  /// Clients of root: a script of his own that hangs must not cost all the descriptors.
  static let root = 16
  /// Clients of one user that wait for a seat, and of all of them but root. They cost a descriptor each.
  static let waitingEach = 16
  static let waitingCommon = 32

  enum Answer: Hashable {
    case seat, wait, no
  }

  /// By user, without users that have none.
  private var seated: [Int64: Int] = [:]
  private var waiting: [Int64: Int] = [:]

  /// A new client. `seat` and `wait` count at once.
  mutating func admit(_ user: Int64) -> Answer {
    if waiting[user] == nil, hasSeat(for: user) {
      seated[user, default: 0] += 1
      return .seat
    }
    let others = user == 0 ? 0 : waiting.reduce(0) { $0 + ($1.key == 0 ? 0 : $1.value) }
    guard waiting[user, default: 0] < Self.waitingEach, others < Self.waitingCommon else { return .no }
    waiting[user, default: 0] += 1
    return .wait
  }

  /// Seats a client that waited. False: there is no room for it.
  mutating func seat(_ user: Int64) -> Bool {
    guard hasSeat(for: user) else { return false }
    waiting[user] = Self.less(waiting[user])
    seated[user, default: 0] += 1
    return true
  }

  mutating func left(_ user: Int64) { seated[user] = Self.less(seated[user]) }

  private func hasSeat(for user: Int64) -> Bool {
    let own = seated[user, default: 0]
    if user == 0 { return own < Self.root }
    return own < Self.each && seated.reduce(0) { $0 + ($1.key == 0 ? 0 : $1.value) } < Self.common
  }

  private static func less(_ count: Int?) -> Int? { count.flatMap { $0 > 1 ? $0 - 1 : nil } }
}
