import Model

/// Cost of the connection, as bytes and back.
extension StoreRecord {
  /// Nil for other kinds, and where bytes are missing or no count.
  var volume: DataVolume? {
    guard kind == .volume else { return nil }
    var fields = fields
    var volume = DataVolume()
    volume.day = fields.optional { CalendarDay(number: Int($0.number(Int32.self))) }
    volume.today = Int(fields.number(Int64.self))
    volume.month = Int(fields.number(Int64.self))
    volume.undated = Int(fields.number(Int64.self))
    // A damaged record must not make a sum run over.
    let counts = [volume.today, volume.month, volume.undated]
    return fields.isShort || counts.contains { !(0...1 << 50).contains($0) } ? nil : volume
  }
}

extension ByteWriter {
  mutating func volume(_ volume: DataVolume) {
    optional(volume.day) { $0.number(Int32(clamping: $1.number)) }
    for count in [volume.today, volume.month, volume.undated] { number(Int64(count)) }
  }
}
