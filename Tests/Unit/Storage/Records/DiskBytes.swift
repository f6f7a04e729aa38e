import Model
import Timebase

@testable import Storage

/// What a record looks like on the disk, told once more and without the code that writes it.
enum DiskBytes {
  private static func little(_ bits: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: bits >> (8 * UInt64($0))) }
  }

  static func u8(_ value: UInt8) -> [UInt8] { [value] }
  static func u16(_ value: UInt16) -> [UInt8] { little(UInt64(value), 2) }
  static func u32(_ value: UInt32) -> [UInt8] { little(UInt64(value), 4) }
  static func i64(_ value: Int) -> [UInt8] { little(UInt64(bitPattern: Int64(value)), 8) }
  static func real(_ value: Double) -> [UInt8] { little(value.bitPattern, 8) }
  static func text(_ value: String) -> [UInt8] { u32(UInt32(value.utf8.count)) + Array(value.utf8) }
  static func some(_ parts: [UInt8]...) -> [UInt8] { [1] + parts.joined() }
  static let none: [UInt8] = [0]

  /// CRC-32 of zip, bit by bit.
  static func crc32(_ bytes: [UInt8]) -> UInt32 {
    var value = UInt32.max
    for byte in bytes {
      value ^= UInt32(byte)
      for _ in 0..<8 { value = value % 2 == 1 ? (value / 2) ^ 0xEDB8_8320 : value / 2 }
    }
    return ~value
  }

  static func record(kind: UInt8, revision: UInt32, fields: [UInt8]) -> [UInt8] {
    let head = [0x48, 0x77, kind, 1] + u32(UInt32(fields.count)) + u32(revision)
    return head + u32(crc32(head + fields)) + fields
  }

  /// A fix whose altitude and course alone are known.
  static func fix(_ number: Int) -> [UInt8] {
    real(1_700_000_000 + Double(number)) + real(52.5) + real(13.4) + real(4.5) + some(real(33)) + none + none
      + none + some(real(271.5))
  }

  static func point(_ number: Int) -> [UInt8] {
    real(1_700_000_000 + Double(number)) + real(52.5) + real(13.4) + real(0)
  }
}

/// A write, and the kind and the fields of the record that it has always become.
struct StoredForm {
  let write: StoreWrite
  let kind: UInt8
  let fields: [UInt8]

  /// The fields in any number of parts.
  init(_ write: StoreWrite, _ kind: UInt8, _ fields: [UInt8]...) {
    (self.write, self.kind, self.fields) = (write, kind, Array(fields.joined()))
  }

  /// A record of this kind with other fields.
  func record(_ fields: [UInt8], as kind: StoreRecord.Kind? = nil) -> StoreRecord? {
    guard let kind = kind ?? StoreRecord.Kind(rawValue: self.kind) else { return nil }
    return StoreRecord(kind, revision: 1) { $0.raw(fields) }
  }

  /// The write that a record tells of, by its own kind or as if it were of this one.
  func reading(_ record: StoreRecord) -> StoreWrite? {
    switch write {
    case .insert: record.message.map { .insert($0) }
    case .remove, .removeRange: record.removedRanges.map { .remove($0.flatMap(Array.init)) }
    case .region: record.knownRegion.map { .region($0.region, $0.presence) }
    case .regionRemoved: record.rid.map { .regionRemoved(rid: $0) }
    case .mode: record.modeState.map { .mode($0) }
    case .position: record.fix.map { .position($0) }
    case .reference: record.fix.map { .reference($0) }
    case .history: record.historyPoint.map { .history($0.report) }
    case .pruneHistory: record.pruning.map { .pruneHistory(keep: $0.keep, since: $0.since) }
    case .removePoints: record.removedPart.map { .removePoints($0) }
    case .tag: record.tag.map { .tag($0) }
    case .imported: record.tag.map { .imported($0) }
    case .remoteSettings: record.remoteSettings.map { .remoteSettings($0) }
    case .commandsSeen: record.commandsSeen.map { .commandsSeen($0) }
    case .clientIDForm: record.clientIDForm.map { .clientIDForm($0) }
    case .journey: record.journey.map { .journey($0) }
    case .entered: record.entered.map { .entered($0) }
    case .announced: record.announced.map { .announced($0) }
    case .volume: record.volume.map { .volume($0) }
    case .sleep: record.sleep.map { .sleep($0) }
    case .batterySteps: record.batterySteps.map { .batterySteps($0) }
    case .dropped: record.dropped.map { .dropped($0) }
    }
  }
}
