import Glibc

/// The addresses of a broker's name, and which of them were tried. In the order that the resolver gives, but the one of
/// the last connection comes first.
struct BrokerAddresses: Sendable {
  /// For the next attempt.
  enum Choice: Hashable, Sendable {
    /// All are tried anew.
    case first
    /// The one that was tried last.
    case again
    /// One that was not tried.
    case next
  }

  private var host = ""
  private var tried: [String] = []
  /// The one in use, as text.
  private(set) var present: String?
  /// That of the last connection.
  private var proven: String?
  private var isAgain = false
  /// There is one that was not tried.
  private(set) var hasOthers = false

  mutating func choose(_ choice: Choice, of host: String) {
    if host != self.host { self = BrokerAddresses() }
    self.host = host
    isAgain = choice == .again && present != nil
    if choice == .first { tried = [] }
    if choice != .again { present = nil }
    hasOthers = false
  }

  /// A connection stands over the present one.
  mutating func proved() { proven = present }

  /// Another connection stands over this one.
  mutating func prefer(_ address: String?, of host: String) {
    choose(.first, of: host)
    proven = address
  }

  /// Those of `found` that are to be tried now. Empty: none of them is one of IPv4, and `isIPv4Forced`.
  mutating func candidates(_ found: [String], isIPv4Forced: Bool) -> [String] {
    let usable = found.filter { !isIPv4Forced || BrokerSocket.isIPv4($0) }
    if isAgain, let present, usable.contains(present) { return [present] + usable.filter(isNew) }
    var new = usable.filter(isNew)
    // The name has other addresses by now.
    if new.isEmpty, !isIPv4Forced { (tried, new) = ([], usable) }
    guard let proven, let place = new.firstIndex(of: proven), place > 0 else { return new }
    new.remove(at: place)
    return [proven] + new
  }

  mutating func trying(_ address: String, of found: [String]) {
    present = address
    if isNew(address) { tried.append(address) }
    hasOthers = found.contains(where: isNew)
  }

  private func isNew(_ address: String) -> Bool { !tried.contains(address) }

  /// Either the addresses as text, or the resolver's code. An address is its own.
  static func look(_ host: String) -> (found: [String], code: Int32) {
    if host.contains(":") || BrokerSocket.isIPv4(host) { return ([host], 0) }
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, nil, &hints, &list)
    guard code == 0 else { return ([], code) }
    defer { freeaddrinfo(list) }
    var found: [String] = []
    var next = list
    while let entry = next?.pointee {
      if let text = text(entry), !found.contains(text) { found.append(text) }
      next = entry.ai_next
    }
    return (found, 0)
  }

  private static func text(_ entry: addrinfo) -> String? {
    guard entry.ai_family == AF_INET || entry.ai_family == AF_INET6 else { return nil }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(NI_MAXHOST)) { buffer in
      guard let start = buffer.baseAddress,
        getnameinfo(
          entry.ai_addr, entry.ai_addrlen, start, socklen_t(buffer.count), nil, 0, NI_NUMERICHOST) == 0
      else { return nil }
      return String(cString: start)
    }
  }
}
