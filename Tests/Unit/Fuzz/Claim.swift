import Glibc

/// What a target says of the parser behind it, beyond "it does not trap".
func claim(_ holds: Bool, _ what: @autoclosure () -> String) {
  if !holds { Claim.broken(what()) }
}

enum Claim {
  /// In the fuzzer the program ends, which is how libFuzzer knows to keep the input; the unit tests turn
  /// it into an issue.
  nonisolated(unsafe) static var broken: (String) -> Void = { what in
    let line = Array("claim broken: \(what)\n".utf8)
    _ = write(2, line, line.count)
    abort()
  }

  /// What every refusal has to be: something, in one line, that cannot move a terminal's cursor.
  static func isPlain(_ text: String, _ whose: String) {
    claim(!text.isEmpty, "\(whose): an empty refusal")
    let isClean = text.unicodeScalars.allSatisfy { scalar in
      !(scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value)
        || [0x2028, 0x2029].contains(scalar.value))
    }
    claim(isClean, "\(whose): control characters in \(text.debugDescription)")
  }

  static func isFinite(_ numbers: [Double?], _ whose: String) {
    claim(numbers.allSatisfy { $0?.isFinite ?? true }, "\(whose): a number that is none in \(numbers)")
  }
}
