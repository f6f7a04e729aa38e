import OwnTracks

/// Any text: what is taken can be written and read again as the same, and a refusal names a place in it.
enum JSONTarget {
  @Sendable static func feed(_ input: UnsafeRawBufferPointer) {
    let bytes = Array(input)
    do {
      let value = try JSON.parse(bytes)
      claim(depth(of: value) <= JSON.maximumDepth, "deeper than \(JSON.maximumDepth) levels")
      claim(reread(value.serialised(sortingKeys: false)) == value, "written compactly it is another")
      claim(reread(value.pretty()) == value, "written for people it is another")
      let sorted = reread(value.serialised())
      claim(sorted.map { $0.serialised() } == value.serialised(), "sorting a second time changes it")
      claim(sorted?.members?.count == value.members?.count, "sorting loses a member")
    } catch {
      refused(error, bytes)
    }
    if let strict = try? JSON.parse(bytes, refusingDuplicates: true) {
      claim(strict == (try? JSON.parse(bytes)), "without duplicates it is another")
    }
  }

  private static func reread(_ bytes: [UInt8]) -> JSON? { try? JSON.parse(bytes) }

  private static func refused(_ error: JSONError, _ bytes: [UInt8]) {
    Claim.isPlain(error.description, "JSON")
    let lines = bytes.count { $0 == UInt8(ascii: "\n") } + 1
    claim((1...lines).contains(error.line), "line \(error.line) of \(lines)")
    claim((1...(bytes.count + 1)).contains(error.column), "column \(error.column) of \(bytes.count)")
  }

  private static func depth(of value: JSON) -> Int {
    switch value {
    case .array(let elements): 1 + (elements.map(depth).max() ?? 0)
    case .object(let members): 1 + (members.map { depth(of: $0.value) }.max() ?? 0)
    case .null, .boolean, .integer, .real, .string: 0
    }
  }
}
