/// The keys of a batch, those of a location and those that turned up on the way, and what is known of the values of each.
struct BatchKeys {
  /// Keys that writer and reader know before the first message, in the order of a location. Part of the format: another
  /// list is another version.
  private static let known: [(key: StaticString, kind: Kind, texts: [StaticString], decimals: Int)] = [
    ("\"_type\"", .text, ["\"location\""], 6), ("\"acc\"", .whole, [], 6), ("\"alt\"", .whole, [], 6),
    ("\"batt\"", .whole, [], 6), ("\"bs\"", .whole, [], 6), ("\"cog\"", .whole, [], 6),
    ("\"conn\"", .text, ["\"m\"", "\"w\"", "\"o\""], 6), ("\"created_at\"", .whole, [], 6),
    ("\"ign\"", .text, ["true", "false"], 6), ("\"inregions\"", .text, ["[]"], 6),
    ("\"inrids\"", .text, ["[]"], 6), ("\"lat\"", .decimal, [], 6), ("\"lon\"", .decimal, [], 6),
    ("\"m\"", .whole, [], 6), ("\"motion\"", .text, ["true", "false"], 6), ("\"odometer\"", .decimal, [], 1),
    ("\"p\"", .decimal, [], 3), ("\"poi\"", .text, [], 6),
    ("\"t\"", .text, ["\"t\"", "\"v\"", "\"p\"", "\"u\""], 6), ("\"tag\"", .text, [], 6),
    ("\"tid\"", .text, [], 6), ("\"tst\"", .whole, [], 6), ("\"uext\"", .decimal, [], 2),
    ("\"vac\"", .whole, [], 6), ("\"vel\"", .whole, [], 6), ("\"BSSID\"", .text, [], 6),
    ("\"SSID\"", .text, [], 6), ("\"_demo\"", .text, ["true"], 6), ("\"_id\"", .text, [], 6),
  ]

  /// As the values of a key are at first taken to be.
  enum Kind {
    case text, whole, decimal
  }

  /// Places of the keys that others follow from, in the list with the beginning in front.
  static let course = 6
  static let latitude = 12
  static let longitude = 13
  static let time = 22
  static let speed = 25

  /// Not a key: the message ends.
  static let end = 0
  /// Not a key: a key follows that is not in the list yet.
  static let new = 127
  static let bits = 7

  /// One key, with all that is known of it.
  final class Entry {
    let key: [UInt8]
    let decimals: Int
    /// Whether the key that followed last time follows again, after it did, and after it did not.
    var isFollowed = [LearnedBit](repeating: LearnedBit(chance: 60_000, count: 2), count: 2)
    var wasFollowed = true
    var follower: Int
    var isText: LearnedBit
    var isDecimal: LearnedBit
    var texts: [[UInt8]]
    var lastText = 0
    var isSameText = LearnedBit(chance: 60_000, count: 2)
    var isKnownText = LearnedBit()
    var whole = NumberColumn()
    var decimal = NumberColumn()

    /// `kind`: nil: nothing is known of the key.
    init(
      key: [UInt8], kind: Kind? = nil, texts: [[UInt8]] = [], decimals: Int = 6, follower: Int = BatchKeys.end
    ) {
      self.key = key
      isText = kind.map { LearnedBit(chance: $0 == .text ? 64_000 : 1_500, count: 4) } ?? LearnedBit()
      isDecimal = kind.map { LearnedBit(chance: $0 == .decimal ? 64_000 : 1_500, count: 4) } ?? LearnedBit()
      self.texts = texts
      self.decimals = decimals
      self.follower = follower
    }
  }

  /// The first stands for the beginning of a message.
  private(set) var entries: [Entry]
  private var places: [ArraySlice<UInt8>: Int] = [:]

  init() {
    entries = [Entry(key: [], follower: 1)]
    for (index, one) in Self.known.enumerated() {
      let entry = Entry(
        key: Self.bytes(one.key), kind: one.kind, texts: one.texts.map(Self.bytes), decimals: one.decimals,
        follower: index + 2 < Self.known.count ? index + 2 : Self.end)
      places[entry.key[...]] = entries.count
      entries.append(entry)
    }
  }

  private static func bytes(_ text: StaticString) -> [UInt8] {
    Array(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  subscript(_ place: Int) -> Entry { entries[place] }

  func place(of key: ArraySlice<UInt8>) -> Int? { places[key] }

  /// Decimals of the numbers of a key.
  func decimals(of key: ArraySlice<UInt8>) -> Int { places[key].map { entries[$0].decimals } ?? 6 }

  /// Nil: there is no room for more.
  mutating func add(_ key: [UInt8]) -> Int? {
    guard entries.count < Self.new else { return nil }
    places[key[...]] = entries.count
    entries.append(Entry(key: key))
    return entries.count - 1
  }
}
