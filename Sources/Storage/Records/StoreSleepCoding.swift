import Model
import Timebase

/// A sleep of the board, and what it does to spare a battery, as bytes and back.
extension StoreRecord {
  /// Nil for other kinds, where the board is awake on purpose, and where bytes are missing or no sleep.
  var sleep: Sleep? {
    guard kind == .sleep else { return nil }
    var fields = fields
    let sleep = fields.optional { reader in
      let since = reader.optionalDouble().map { WallTime(seconds: $0) }
      var sleep = Sleep(since: since, span: Int(reader.number(Int32.self)), isBatteryLow: reader.flag())
      sleep.missed = Int(reader.number(Int32.self))
      sleep.lastMissed = MissedCheckIn(rawValue: reader.number(UInt8.self))
      return sleep
    }
    guard !fields.isShort, let sleep, sleep.span > 0, sleep.missed >= 0, sleep.since?.seconds.isFinite ?? true
    else { return nil }
    return sleep
  }

  /// Nil for other kinds, and where bytes are missing; of a later version's steps none.
  var batterySteps: BatterySteps? {
    guard kind == .batterySteps else { return nil }
    var fields = fields
    let (board, vehicle) = (fields.number(UInt8.self), fields.number(UInt8.self))
    guard !fields.isShort else { return nil }
    return BatterySteps(board: BatteryStep(rawValue: board), vehicle: BatteryStep(rawValue: vehicle))
  }
}

extension ByteWriter {
  mutating func steps(_ steps: BatterySteps) {
    for step in [steps.board, steps.vehicle] { number(step?.rawValue ?? 0) }
  }

  mutating func sleep(_ sleep: Sleep?) {
    optional(sleep) { writer, sleep in
      writer.optional(sleep.since?.seconds)
      writer.number(Int32(clamping: sleep.span))
      writer.flag(sleep.isBatteryLow)
      writer.number(Int32(clamping: sleep.missed))
      writer.number(sleep.lastMissed?.rawValue ?? 0)
    }
  }
}
