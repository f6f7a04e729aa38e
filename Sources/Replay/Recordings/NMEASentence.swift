import OwnTracks

/// One sentence whose checksum is right, as fields: 0 is talker and type.
struct NMEASentence {
  struct Fault: Error {
    var text: String
  }

  private let fields: [String]
  /// The last three letters of the first field; `GN`, `GP` and the like before it do not matter.
  let type: String

  /// `$GPRMC,...*4A`, perhaps with white space behind it.
  static func parsed(_ bytes: ArraySlice<UInt8>) -> Result<NMEASentence, Fault> {
    let line = bytes.dropFirst().prefix { $0 != 13 && $0 != 10 }
    guard let star = line.lastIndex(of: UInt8(ascii: "*")) else {
      return .failure(Fault(text: "no checksum"))
    }
    let body = line[..<star]
    let digits = String(decoding: line[(star + 1)...].prefix(2), as: UTF8.self)
    let sum = body.reduce(0) { $0 ^ $1 }
    guard let expected = UInt8(digits, radix: 16), expected == sum else {
      let computed = String(sum, radix: 16, uppercase: true)
      return .failure(Fault(text: "the checksum is \(digits), expected \(sum < 16 ? "0" : "")\(computed)"))
    }
    return .success(NMEASentence(fields: String(decoding: body, as: UTF8.self)))
  }

  private init(fields text: String) {
    fields = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    type = String(fields[0].suffix(3))
  }

  /// Empty beyond the end.
  subscript(field: Int) -> String { fields.indices.contains(field) ? fields[field] : "" }

  /// Nil for what no receiver means; far less than where knots become infinite metres a second.
  func number(_ field: Int) -> Double? {
    guard let number = Double(self[field]), number.magnitude < 1e12 else { return nil }
    return number
  }

  func whole(_ field: Int) -> Int? { Int(self[field]) }

  /// `hhmmss.sss` as seconds since midnight.
  func timeOfDay(_ field: Int) -> Double? {
    guard let packed = number(field), packed >= 0, packed < 240_000 else { return nil }
    let whole = Int(packed)
    let (hours, minutes) = (whole / 10_000, whole / 100 % 100)
    guard minutes < 60 else { return nil }
    // Thousandths are what receivers give; more are noise of the binary fraction.
    let seconds = ((packed - Double(hours * 10_000 + minutes * 100)) * 1000).rounded() / 1000
    return seconds <= 60 ? Double(hours * 3600 + minutes * 60) + seconds : nil
  }

  /// `ddmm.mmmm` or `dddmm.mmmm` and the letter of the hemisphere in the next field.
  func degrees(_ field: Int, negative: String) -> Double? {
    guard let packed = number(field), packed >= 0, packed <= 18_000 else { return nil }
    let degrees = (packed / 100).rounded(.down)
    let value = degrees + (packed - degrees * 100) / 60
    return self[field + 1] == negative ? -value : value
  }

  /// The beginning of `ddmmyy`, Unix seconds; years 80 to 99 are of the last century.
  func packedMidnight(_ field: Int) -> Int? {
    guard self[field].utf8.count == 6, let packed = whole(field) else { return nil }
    let year = packed % 100
    return Self.midnight(year: year < 80 ? 2000 + year : 1900 + year, packed / 100 % 100, packed / 10_000)
  }

  /// The same of three fields.
  func midnight(day: Int, month: Int, year: Int) -> Int? {
    guard let day = whole(day), let month = whole(month), let year = whole(year) else { return nil }
    return Self.midnight(year: year, month, day)
  }

  /// A receiver that tells a day of another time knows none.
  private static func midnight(year: Int, _ month: Int, _ day: Int) -> Int? {
    (1970...2200).contains(year) ? UTC.midnight(year: year, month: month, day: day) : nil
  }
}
