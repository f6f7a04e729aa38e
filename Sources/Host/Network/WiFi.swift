import CLinux
import Loop
import Model

/// Asks nl80211 which network and which access point a wireless interface is connected to.
///
/// Three short questions, one after the other, each answered through the loop: the number of the
/// nl80211 family, the interface (SSID), the last scan (BSSID of the station it is associated with).
/// Kernels without nl80211 answer with an error, and then nothing is known.
final class WiFi {
  struct Station: Hashable {
    var interface: UInt32
    var ssid: String?
    var bssid: String?
    /// Of its channel.
    var megahertz: Int?
  }

  private enum Stage: Hashable { case idle, family, interface, scan }

  private let loop: EventLoop
  private let post: (Station) -> Void
  /// Made when the first wireless interface appears: most boards on a cable never need it.
  private var socket: NetlinkSocket?
  private var family: UInt16?
  private var stage = Stage.idle
  private var sequence: UInt32 = 0
  private var station: Station?
  /// Look once more when the pending questions are answered.
  private var isStale = false

  init(loop: EventLoop, post: @escaping (Station) -> Void) {
    self.loop = loop
    self.post = post
  }

  /// The answer comes through `post`; none comes if the kernel knows nothing.
  func look(at interface: UInt32) {
    guard stage == .idle || station?.interface != interface else {
      isStale = true
      return
    }
    if socket == nil {
      socket = try? NetlinkSocket(loop: loop, clinux_generic) { [unowned self] in received($0) }
    }
    isStale = false
    station = Station(interface: interface)
    ask(family == nil ? .family : .interface)
  }

  /// A pending answer is no longer wanted.
  func forget() {
    stage = .idle
    station = nil
  }

  func close() {
    forget()
    socket?.close()
  }

  private func ask(_ next: Stage) {
    sequence &+= 1
    stage = next
    let request = request(for: next)
    if socket?.send(request) != true { stage = .idle }
  }

  private func request(for stage: Stage) -> [UInt8] {
    var index: [UInt8] = []
    index.append(word: station?.interface ?? 0)
    let which = NetlinkMessage.attribute(NL80211.Attribute.interface, index)
    switch stage {
    case .idle, .family: return NL80211.familyRequest(sequence: sequence)
    case .interface:
      return NL80211.request(NL80211.getInterface, family ?? 0, dump: false, sequence: sequence, which)
    case .scan: return NL80211.request(NL80211.getScan, family ?? 0, dump: true, sequence: sequence, which)
    }
  }

  private func received(_ what: NetlinkSocket.Received) {
    switch what {
    case .datagram(let bytes):
      for message in NetlinkMessage.all(in: bytes)
      where message.sequence == sequence && message.port == socket?.port && stage != .idle {
        answered(message)
      }
    case .overrun:
      // The end of the scan may be lost: the answer is whatever is known so far.
      if stage != .idle { finish() }
    }
  }

  private func answered(_ message: NetlinkMessage) {
    switch message.type {
    case NetlinkMessage.error:
      // 0 would be an acknowledgement that was not requested.
      if message.errorNumber != 0 { questionFailed() }
    case NetlinkMessage.done: finish()
    default: take(NetlinkAttributes(message.payload.dropFirst(NL80211.headerSize)))
    }
  }

  private func take(_ attributes: NetlinkAttributes) {
    switch stage {
    case .idle: break
    case .family:
      guard let number = attributes[NL80211.Attribute.familyNumber]?.word16(at: 0) else { return forget() }
      family = number
      ask(.interface)
    case .interface:
      station?.ssid = attributes[NL80211.Attribute.ssid].flatMap(NL80211.ssid)
      ask(.scan)
    case .scan:
      guard let found = attributes[NL80211.Attribute.bss].flatMap(NL80211.Association.init) else { return }
      station?.bssid = found.bssid
      station?.megahertz = found.megahertz
      if station?.ssid == nil { station?.ssid = found.ssid }
    }
  }

  private func questionFailed() {
    switch stage {
    case .idle: break
    case .family: forget()
    case .interface: ask(.scan)
    case .scan: finish()
    }
  }

  private func finish() {
    stage = .idle
    guard let station else { return }
    post(station)
    if isStale { look(at: station.interface) }
  }
}

/// The constants of generic netlink's nl80211 family that are needed here (linux/nl80211.h).
enum NL80211 {
  /// struct genlmsghdr
  static let headerSize = 4
  static let getInterface: UInt8 = 5
  static let getScan: UInt8 = 32

  enum Attribute {
    static let familyNumber: UInt16 = 1
    static let familyName: UInt16 = 2
    static let interface: UInt16 = 3
    static let bss: UInt16 = 47
    static let ssid: UInt16 = 52
  }

  private static let control: UInt16 = 0x10
  private static let getFamily: UInt8 = 3

  static func familyRequest(sequence: UInt32) -> [UInt8] {
    request(
      getFamily, control, dump: false, sequence: sequence,
      NetlinkMessage.attribute(Attribute.familyName, Array("nl80211".utf8) + [0]))
  }

  static func request(
    _ command: UInt8, _ family: UInt16, dump: Bool, sequence: UInt32, _ attributes: [UInt8]
  ) -> [UInt8] {
    NetlinkMessage.bytes(
      type: family, flags: dump ? NetlinkMessage.dump : 0, sequence: sequence,
      payload: [command, 1, 0, 0] + attributes)
  }

  /// A name may be any 1 to 32 bytes; what is not UTF-8 is shown with replacement marks. A hidden
  /// network has none, or zeros.
  static func ssid(_ bytes: ArraySlice<UInt8>) -> String? {
    guard (1...32).contains(bytes.count), bytes.contains(where: { $0 != 0 }) else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The entry of a scan that the interface is associated with.
  struct Association: Hashable {
    var bssid: String
    var ssid: String?
    var megahertz: Int?

    private static let address: UInt16 = 1
    private static let frequency: UInt16 = 2
    private static let elements: UInt16 = 6
    private static let status: UInt16 = 9
    /// NL80211_BSS_STATUS_ASSOCIATED and _IBSS_JOINED; 0 is authenticated only.
    private static let connected: ClosedRange<UInt32> = 1...2

    init(bssid: String, ssid: String?) {
      self.bssid = bssid
      self.ssid = ssid
    }

    /// Nil for the other stations of the scan.
    init?(_ bytes: ArraySlice<UInt8>) {
      let attributes = NetlinkAttributes(bytes)
      guard let status = attributes.word32(Self.status), Self.connected.contains(status),
        let address = attributes[Self.address], address.count == 6
      else { return nil }
      bssid = address.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined(separator: ":")
      ssid = attributes[Self.elements].flatMap(Self.name)
      megahertz = attributes.word32(Self.frequency).map { Int($0) }
    }

    /// Information elements are type, length, value; type 0 is the SSID.
    private static func name(_ elements: ArraySlice<UInt8>) -> String? {
      var rest = Array(elements)[...]
      while rest.count >= 2 {
        let length = Int(rest[rest.startIndex + 1])
        guard rest.count >= 2 + length else { return nil }
        if rest.first == 0 { return NL80211.ssid(rest.dropFirst(2).prefix(length)) }
        rest = rest.dropFirst(2 + length)
      }
      return nil
    }
  }
}
