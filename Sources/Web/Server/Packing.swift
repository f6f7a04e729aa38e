import CZlib

/// Bytes in the form of gzip, for visitors who take it: a phone in a poor network waits for less of them.
final class Packing {
  /// Shorter answers are a packet in either form.
  private static let least = 512

  private let flow: OpaquePointer

  /// An answer that goes on. Nil: the visitor does not take it, or zlib is not there.
  init?(for accepted: String?) {
    guard Self.isTaken(accepted), let flow = czlib_begin(true) else { return nil }
    self.flow = flow
  }

  private init?(once: Void) {
    guard let flow = czlib_begin(false) else { return nil }
    self.flow = flow
  }

  deinit { czlib_end(flow) }

  /// They can be unpacked at once; empty: nothing more can be packed.
  func pack(_ bytes: [UInt8]) -> [UInt8] { pack(bytes, isEnd: false) }

  private func pack(_ bytes: [UInt8], isEnd: Bool) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: czlib_room(bytes.count)) { room, count in
      count = czlib_pack(flow, bytes, bytes.count, isEnd, room.baseAddress, room.count)
    }
  }

  /// A whole answer; nil: it is sent as it is.
  static func packed(_ bytes: [UInt8], for accepted: String?) -> [UInt8]? {
    guard bytes.count >= least, isTaken(accepted), let once = Packing(once: ()) else { return nil }
    let packed = once.pack(bytes, isEnd: true)
    return packed.isEmpty ? nil : packed
  }

  /// `accepted`: the header Accept-Encoding.
  static func isTaken(_ accepted: String?) -> Bool {
    (accepted ?? "").lowercased().split(separator: ",").contains { entry in
      let parts = entry.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
      guard parts.first == "gzip" else { return false }
      return !parts.dropFirst().contains { $0.hasPrefix("q=0") && $0.allSatisfy { "q=0.".contains($0) } }
    }
  }
}
