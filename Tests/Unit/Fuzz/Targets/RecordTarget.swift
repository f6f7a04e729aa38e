import Model
import Timebase

@testable import Storage

/// One record of the store: the first byte is its kind, the rest its fields. The sum is made right, as a
/// flaw of ours or a hand that edits would have it: what is read of it is good or nothing, and what is
/// written of that is read back as the same.
enum RecordTarget {
  @Sendable static func feed(_ input: UnsafeRawBufferPointer) {
    let bytes = Array(input)
    if let found = StoreRecord(checking: bytes) { read(found, bytes.count) }
    guard let first = bytes.first, let kind = StoreRecord.Kind(rawValue: first) else { return }
    let made = StoreRecord(kind, revision: 7) { $0.raw(Array(bytes.dropFirst())) }
    claim(StoreRecord(checking: made.bytes)?.bytes == made.bytes, "a sound record is not recognised")
    read(made, bytes.count)
  }

  private static func read(_ record: StoreRecord, _ size: Int) {
    if let message = record.message { check(message, record) }
    if let known = record.knownRegion { check(known, record) }
    if let fix = record.fix { check(fix, record) }
    if let point = record.historyPoint { check(point.report, point.id) }
    if let state = record.modeState {
      claim(again(.mode(state)).modeState == state, "the mode is not read back")
    }
    claim(record.removedRanges.map { $0.count <= size / 16 } ?? true, "more ranges than bytes")
    if let counters = StoreCounters(record) {
      claim(StoreCounters(counters.record()) == counters, "the counts are not read back")
    }
    if record.kind == .tag { claim(again(.tag(record.tag)).tag == record.tag, "the tag is not read back") }
    if let rid = record.rid, record.kind == .regionRemoved {
      claim(again(.regionRemoved(rid: rid)).rid == rid, "the rid is not read back")
    }
    if let journey = record.journey {
      Claim.isFinite([journey.odometer, journey.trip?.distance, journey.speeding?.top], "journey")
      claim(again(.journey(journey)).journey == journey, "\(journey) is not read back")
    }
    if let dropped = record.dropped { claim(again(.dropped(dropped)).dropped == dropped, "not read back") }
    if let (keep, since) = record.pruning {
      let back = again(.pruneHistory(keep: keep, since: since)).pruning
      claim(
        back?.keep == keep && back?.since?.bitPattern == since?.bitPattern, "the pruning is not read back")
    }
    if let part = record.removedPart {
      claim(again(.removePoints(part)).removedPart == part, "\(part) is not read back")
    }
  }

  private static func again(_ write: StoreWrite, _ id: Int64 = 0) -> StoreRecord {
    StoreRecord.encoding(write, revision: 8, historyID: id)
  }

  private static func check(_ message: Message, _ record: StoreRecord) {
    claim((0...2).contains(message.qos), "QoS \(message.qos)")
    claim(again(.insert(message)).message == message, "\(message) is not read back")
    claim(record.messageHead?.sequence == message.sequence, "its head has another number")
    claim(record.messageHead?.time == message.time, "its head has another time")
    claim(record.messageHead?.isEvent == message.isEvent, "its head is of another kind")
  }

  private static func check(_ known: Snapshot.KnownRegion, _ record: StoreRecord) {
    Claim.isFinite([known.region.radius], "region")
    let back = again(.region(known.region, known.presence))
    claim(back.knownRegion == known, "\(known) is not read back")
    claim(record.rid == known.region.rid, "the key is another than the region's")
  }

  private static func check(_ fix: Fix, _ record: StoreRecord) {
    isSound(fix)
    let back = record.kind == .position ? again(.position(fix)) : again(.reference(fix))
    claim(back.fix == fix, "\(fix) is not read back")
  }

  private static func isSound(_ fix: Fix) {
    Claim.isFinite(
      [
        fix.time.seconds, fix.accuracy, fix.altitude, fix.verticalAccuracy, fix.speed, fix.speedError,
        fix.course,
      ], "fix")
    claim(fix.time.seconds.magnitude < 1e11, "a fix at \(fix.time.seconds)")
  }

  private static func check(_ report: LocationReport, _ id: Int64) {
    isSound(report.fix)
    Claim.isFinite([report.time.seconds, report.created?.seconds, report.pressure], "history")
    claim((0...100).contains(report.battery?.level ?? 0), "battery \(report.battery?.level ?? 0)")
    let back = again(.history(report), id).historyPoint
    claim(back?.id == id && back?.report == report, "\(report) is not read back")
  }
}
