import CLinux
import Glibc
import Loop

/// One message of a netlink datagram.
struct NetlinkMessage {
  static let headerSize = 16
  static let error: UInt16 = 2
  static let done: UInt16 = 3
  /// The dump was overtaken by a change and has holes.
  static let interrupted: UInt16 = 0x10
  static let request: UInt16 = 0x01
  static let dump: UInt16 = 0x300

  var type: UInt16
  var flags: UInt16
  var sequence: UInt32
  var port: UInt32
  var payload: ArraySlice<UInt8>

  /// The messages of a datagram; one that is cut off at the end is left out.
  static func all(in datagram: ArraySlice<UInt8>) -> [NetlinkMessage] {
    var messages: [NetlinkMessage] = []
    var rest = datagram
    while let length = rest.word32(at: 0).map(Int.init), length >= headerSize, length <= rest.count,
      let type = rest.word16(at: 4), let flags = rest.word16(at: 6), let sequence = rest.word32(at: 8),
      let port = rest.word32(at: 12)
    {
      let payload = rest.dropFirst(headerSize).prefix(length - headerSize)
      messages.append(
        NetlinkMessage(type: type, flags: flags, sequence: sequence, port: port, payload: payload))
      rest = rest.dropFirst(aligned(length))
    }
    return messages
  }

  /// The error number of an error message, positive; 0 is an acknowledgement.
  var errorNumber: Int32? {
    guard type == Self.error, let word = payload.word32(at: 0) else { return nil }
    return 0 &- Int32(bitPattern: word)
  }

  /// The bytes of a request.
  static func bytes(type: UInt16, flags: UInt16, sequence: UInt32, payload: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(word: UInt32(headerSize + payload.count))
    bytes.append(word: type)
    bytes.append(word: flags | request)
    bytes.append(word: sequence)
    bytes.append(word: UInt32(0))
    return bytes + payload
  }

  static func attribute(_ type: UInt16, _ value: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(word: UInt16(4 + value.count))
    bytes.append(word: type)
    bytes += value
    bytes += [UInt8](repeating: 0, count: aligned(value.count) - value.count)
    return bytes
  }

  fileprivate static func aligned(_ length: Int) -> Int { (length + 3) & ~3 }
}

/// The attributes after a message's fixed part, or nested in another attribute.
struct NetlinkAttributes {
  private var values: [UInt16: ArraySlice<UInt8>] = [:]

  /// Ends at the first attribute that is cut off. If one occurs twice, the last counts.
  init(_ bytes: ArraySlice<UInt8>) {
    var rest = bytes
    while let length = rest.word16(at: 0).map(Int.init), let type = rest.word16(at: 2), length >= 4,
      length <= rest.count
    {
      // The two highest bits say "nested" and "network order"; the reader knows that anyway.
      values[type & 0x3FFF] = rest.dropFirst(4).prefix(length - 4)
      rest = rest.dropFirst(NetlinkMessage.aligned(length))
    }
  }

  subscript(type: UInt16) -> ArraySlice<UInt8>? { values[type] }

  func word32(_ type: UInt16) -> UInt32? { values[type]?.word32(at: 0) }
}

extension ArraySlice where Element == UInt8 {
  /// A word in the machine's byte order; nil if it is incomplete.
  func word16(at offset: Int) -> UInt16? { word(at: offset) }
  func word32(at offset: Int) -> UInt32? { word(at: offset) }

  private func word<Word: FixedWidthInteger>(at offset: Int) -> Word? {
    guard offset >= 0, count >= offset + MemoryLayout<Word>.size else { return nil }
    return withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Word.self) }
  }
}

extension Array where Element == UInt8 {
  mutating func append<Word: FixedWidthInteger>(word: Word) {
    Swift.withUnsafeBytes(of: word) { append(contentsOf: $0) }
  }
}

/// A netlink socket in the loop.
final class NetlinkSocket {
  enum Received {
    case datagram(ArraySlice<UInt8>)
    /// The kernel's messages did not fit into the buffer: some were lost.
    case overrun
  }

  /// The kernel sizes its dumps to the reader's buffer, and single messages are far smaller.
  private static let room = 16_384
  /// Datagrams per wake-up: a flood must leave others their turn.
  private static let datagramsPerWakeUp = 32

  /// This socket's address, which answers to its requests carry.
  let port: UInt32
  private let descriptor: Int32
  private var watch: Watch?

  init(
    loop: EventLoop, _ family: clinux_netlink_family, groups: UInt32 = 0,
    _ handler: @escaping (Received) -> Void
  ) throws(LoopError) {
    var port: UInt32 = 0
    descriptor = clinux_netlink(family, groups, &port)
    guard descriptor >= 0 else { throw LoopError("open a netlink socket") }
    self.port = port
    watch = loop.watch(descriptor, for: .read) { [unowned self] _ in read(handler) }
  }

  deinit { close() }

  /// Whether the kernel accepted it.
  func send(_ bytes: [UInt8]) -> Bool {
    watch != nil && clinux_send(descriptor, bytes, bytes.count) == bytes.count
  }

  func close() {
    guard let watch else { return }
    watch.cancel()
    self.watch = nil
    Glibc.close(descriptor)
  }

  private func read(_ handler: (Received) -> Void) {
    for _ in 0..<Self.datagramsPerWakeUp where watch != nil {
      var failure: Int32 = 0
      let bytes = [UInt8](unsafeUninitializedCapacity: Self.room) { buffer, count in
        let received = clinux_netlink_receive(descriptor, buffer.baseAddress, buffer.count)
        failure = received < 0 ? errno : 0
        count = max(0, received)
      }
      switch failure {
      case 0: handler(.datagram(bytes[...]))
      case ENOBUFS: handler(.overrun)
      case EINTR: continue
      default: return
      }
    }
  }
}
