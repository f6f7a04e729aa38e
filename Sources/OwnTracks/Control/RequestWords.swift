import Model

/// Why a control line was not understood, with what would have been.
public struct ControlError: Error, Hashable, Sendable, CustomStringConvertible {
  /// One line, whatever the words hold.
  public var description: String

  /// Characters that would break the line are escaped.
  public init(_ description: String) { self.description = description.plainLine }
}

/// The words after a command, sorted into operands, options with a value and plain options. A single
/// dash begins no option: hold-down regions are called `-Keys`, and longitudes are `-0.1`.
struct RequestWords {
  private(set) var operands: [String] = []
  private var values: [String: String] = [:]
  private var flags: Set<String> = []
  private let usage: String

  init(
    _ words: some Sequence<String>, valued: Set<String> = [], flags allowed: Set<String> = [], usage: String
  ) throws(ControlError) {
    self.usage = usage
    var iterator = words.makeIterator()
    while let word = iterator.next() {
      // As typed: what follows is no option, whatever it begins with.
      if word == "--" {
        while let operand = iterator.next() { operands.append(operand) }
        return
      }
      guard word.hasPrefix("--") else {
        operands.append(word)
        continue
      }
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      if allowed.contains(word) {
        flags.insert(word)
      } else if valued.contains(parts[0]) {
        guard let value = parts.count == 2 ? parts[1] : iterator.next() else {
          throw ControlError("\(parts[0]) needs a value; expected: \(usage)")
        }
        values[parts[0]] = value
      } else {
        throw ControlError("unknown option \(word); expected: \(usage)")
      }
    }
  }

  func has(_ flag: String) -> Bool { flags.contains(flag) }

  /// The value of the first of these names that was given.
  func value(_ names: String...) -> String? {
    names.lazy.compactMap { values[$0] }.first
  }

  /// Exactly this number of operands.
  func operands(_ count: Int) throws(ControlError) -> [String] {
    if operands.count > count { throw ControlError("unexpected \"\(operands[count])\"; expected: \(usage)") }
    if operands.count < count { throw ControlError("too few words; expected: \(usage)") }
    return operands
  }

  func number(_ names: String..., within range: ClosedRange<Double>) throws(ControlError) -> Double? {
    guard let name = names.first(where: { values[$0] != nil }), let text = values[name] else { return nil }
    guard let number = DecimalText.number(text), range.contains(number) else {
      throw ControlError(
        "\(name) is \"\(text)\"; expected a number from \(DecimalText.plain(range.lowerBound))"
          + " to \(DecimalText.plain(range.upperBound))")
    }
    return number
  }
}

extension ArraySlice<String> {
  /// `request`, where nothing more is said.
  func standingFor<R>(_ request: R, _ usage: String) throws(ControlError) -> R {
    _ = try RequestWords(self, usage: usage).operands(0)
    return request
  }
}
