import Glibc

/// By which addresses a phone may reach this board.
enum BoardAddresses {
  struct Address: Hashable {
    /// Of the interface: `wlan0`.
    var interface: String
    /// Numeric.
    var text: String

    /// Where a phone most probably is: on the board's own WiFi.
    var isWireless: Bool {
      interface.hasPrefix("wl") || interface.hasPrefix("ap") || interface.hasPrefix("uap")
    }

    /// Of private networks: 10/8, 172.16/12, 192.168/16, 100.64/10.
    var isPrivate: Bool {
      let parts = text.split(separator: ".").compactMap { Int($0) }
      guard parts.count == 4 else { return false }
      return switch (parts[0], parts[1]) {
      case (10, _), (192, 168), (172, 16...31), (100, 64...127): true
      default: false
      }
    }
  }

  /// IPv4, those that a phone is asked to try first in front.
  static func all() -> [Address] {
    var first: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&first) == 0 else { return [] }
    defer { freeifaddrs(first) }
    var found: [Address] = []
    var next = first
    while let entry = next {
      next = entry.pointee.ifa_next
      guard let address = entry.pointee.ifa_addr, address.pointee.sa_family == sa_family_t(AF_INET),
        entry.pointee.ifa_flags & UInt32(IFF_LOOPBACK) == 0,
        entry.pointee.ifa_flags & UInt32(IFF_UP) != 0
      else { continue }
      var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      guard
        getnameinfo(
          address, socklen_t(MemoryLayout<sockaddr_in>.size), &text, socklen_t(text.count), nil, 0,
          NI_NUMERICHOST) == 0
      else { continue }
      found.append(
        Address(
          interface: String(cString: entry.pointee.ifa_name),
          text: String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)))
    }
    return sorted(found)
  }

  /// The server takes no clients from elsewhere: those addresses are not listed.
  static func sorted(_ addresses: [Address]) -> [Address] {
    let own = addresses.filter(\.isPrivate)
    return own.filter(\.isWireless) + own.filter { !$0.isWireless }
  }

  /// `board.local`.
  static func localName() -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard gethostname(&buffer, buffer.count - 1) == 0 else { return "homeward.local" }
    let name = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return String(name.prefix { $0 != "." }).lowercased() + ".local"
  }
}
