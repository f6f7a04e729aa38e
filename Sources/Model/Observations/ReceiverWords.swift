/// The receiver's own statements about its fix: its NMEA sentences, or the packets of a u-blox, as gpsd repeats them
/// (`"raw":1`: sentences as they are, packets in hexadecimal, one a line).
///
/// Different sentences say it in different places, and one that says "void" is believed, whatever the others say. Only
/// where several talkers (GP, GL, GN …) use the same sentence do all of them have to: a receiver that sees no satellite
/// of one system says so of that system.
public struct ReceiverWords: Sendable {
  /// Several satellite systems, and all sentences below of each.
  static let limit = 48

  private enum Kind: UInt8 { case rmc, gga, gsa, gll, gns, vtg, pubx, pvt, sol, status }

  private struct Word {
    var kind: Kind
    /// First letters of a sentence's name; 0 where a system does not count.
    var talker: UInt16
    var isVoid: Bool
    var round: Int
  }

  private var words: [Word] = []
  private var round = 0
  /// A sentence right after a GSA that is a GSA too is of another system.
  private var isInGSA = false

  /// The last date of an RMC, with the century that it means: 1980 to 2079.
  public private(set) var day: (year: Int, month: Int, day: Int)?

  /// Nothing has been said yet.
  public init() {}

  /// Whether anything was understood.
  public var isEmpty: Bool { words.isEmpty }
  /// Whether the receiver has said all that it says of one moment.
  public var isWhole: Bool { round > 0 }

  /// Whether it says that it has no fix.
  public var saysVoid: Bool {
    let fresh = words.filter { $0.round >= round - 1 }
    return fresh.contains { word in
      word.isVoid && fresh.allSatisfy { $0.kind != word.kind || $0.isVoid }
    }
  }

  /// Whether a line has a receiver's own words in it, as it begins.
  public static func canBe(_ line: some Collection<UInt8>) -> Bool {
    line.first == UInt8(ascii: "$") || line.first == UInt8(ascii: "!") || line.starts(with: "b562".utf8)
  }

  /// One line without its end. Lines without a statement about the fix are skipped.
  public mutating func take(_ line: UnsafeRawBufferPointer) {
    if line.first == UInt8(ascii: "$") {
      sentence(Sentence(line))
    } else {
      packet(line)
    }
  }

  /// The same of a line that is kept.
  public mutating func take(_ line: [UInt8]) { line.withUnsafeBytes { take($0) } }

  private mutating func note(_ kind: Kind, talker: UInt16 = 0, isVoid: Bool) {
    let wasInGSA = isInGSA
    isInGSA = kind == .gsa
    guard let index = words.firstIndex(where: { $0.kind == kind && $0.talker == talker }) else {
      if words.count < Self.limit {
        words.append(Word(kind: kind, talker: talker, isVoid: isVoid, round: round))
      }
      return
    }
    if kind == .gsa, wasInGSA {
      words[index].isVoid = words[index].isVoid && isVoid
      return
    }
    // The second time: another moment.
    if words[index].round == round { round += 1 }
    words[index].isVoid = isVoid
    words[index].round = round
  }

  // MARK: - Sentences

  /// From its name to its checksum.
  private struct Sentence {
    private let text: UnsafeRawBufferPointer

    init(_ line: UnsafeRawBufferPointer) {
      let end = line.dropFirst().firstIndex { $0 == UInt8(ascii: "*") || $0 < 32 } ?? line.endIndex
      text = UnsafeRawBufferPointer(rebasing: line[1..<end])
    }

    /// A field, 0: the name; empty where there is none.
    subscript(_ wanted: Int) -> UnsafeRawBufferPointer {
      var (start, index) = (0, 0)
      for end in text.indices where text[end] == UInt8(ascii: ",") {
        if index == wanted { return UnsafeRawBufferPointer(rebasing: text[start..<end]) }
        (start, index) = (end + 1, index + 1)
      }
      return UnsafeRawBufferPointer(rebasing: text[(index == wanted ? start : text.endIndex)...])
    }
  }

  private mutating func sentence(_ said: Sentence) {
    let name = said[0]
    guard name.count >= 4 else { return }
    let talker = UInt16(name[0]) << 8 | UInt16(name[1])
    switch String(decoding: name[2...], as: UTF8.self) {
    case "RMC":
      judge(.rmc, talker, said[2].first, void: "V", orMode: said[12].first)
      date(said[9])
    case "GGA": judge(.gga, talker, said[6].first, void: "0")
    case "GSA": judge(.gsa, 0, said[2].first, void: "1")
    case "GLL": judge(.gll, talker, said[6].first, void: "V", orMode: said[7].first)
    case "VTG": judge(.vtg, talker, said[9].first, void: "N")
    case "GNS":
      // A letter for each system.
      guard !said[6].isEmpty else { return }
      note(.gns, talker: talker, isVoid: said[6].allSatisfy { $0 == UInt8(ascii: "N") })
    case "BX" where name.starts(with: "PU".utf8) && said[1].elementsEqual("00".utf8) && !said[8].isEmpty:
      note(.pubx, isVoid: said[8].elementsEqual("NF".utf8) || said[8].elementsEqual("TT".utf8))
    default: break
    }
  }

  /// `ddmmyy`.
  private mutating func date(_ digits: UnsafeRawBufferPointer) {
    guard digits.count == 6, digits.allSatisfy({ (48...57).contains($0) }) else { return }
    func pair(_ index: Int) -> Int { Int(digits[index] - 48) * 10 + Int(digits[index + 1] - 48) }
    day = (year: pair(4) + (pair(4) < 80 ? 2000 : 1900), month: pair(2), day: pair(0))
  }

  /// An empty field says nothing. `orMode`: the letter that NMEA 2.3 has added, N for "not valid".
  private mutating func judge(
    _ kind: Kind, _ talker: UInt16, _ value: UInt8?, void: Unicode.Scalar, orMode mode: UInt8? = nil
  ) {
    guard let value = value ?? mode else { return }
    note(kind, talker: talker, isVoid: value == UInt8(ascii: void) || mode == UInt8(ascii: "N"))
  }

  // MARK: - Packets of a u-blox

  /// Two digits a byte: b5 62, class, identity, length in two bytes, and what it is about. Bit 0 of its flags is
  /// gnssFixOK, which is 0 for a place that is not to be used.
  private mutating func packet(_ digits: UnsafeRawBufferPointer) {
    guard digits.starts(with: "b56201".utf8), digits.count >= 8 else { return }
    let found: (kind: Kind, flags: Int)
    switch (digits[6], digits[7]) {
    case (UInt8(ascii: "0"), UInt8(ascii: "7")): found = (.pvt, 6 + 21)
    case (UInt8(ascii: "0"), UInt8(ascii: "6")): found = (.sol, 6 + 11)
    case (UInt8(ascii: "0"), UInt8(ascii: "3")): found = (.status, 6 + 5)
    default: return
    }
    let last = 2 * found.flags + 1
    guard last < digits.count, let value = Self.digit(digits[last]) else { return }
    note(found.kind, isVoid: value & 1 == 0)
  }

  private static func digit(_ letter: UInt8) -> UInt8? {
    switch letter {
    case 48...57: letter - 48
    case 97...102: letter - 87
    default: nil
    }
  }
}
