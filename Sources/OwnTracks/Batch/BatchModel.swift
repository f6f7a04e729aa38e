/// Which bits a message becomes, for the writer and for the reader: both go through the same lines, and learn the same.
///
/// First the keys of a message, with all that is text; then its numbers, time and speed ahead of those that follow from
/// them.
struct BatchModel<Coder: BitCoder> {
  /// A number of this message that is still to be coded.
  private struct Pending {
    var place: Int
    var isDecimal: Bool
    /// Where it belongs among the members.
    var index: Int
  }

  var coder: Coder
  private var keys = BatchKeys()
  private var isObject = LearnedBit(chance: 65_000, count: 4)
  private var keyTree = [LearnedBit](repeating: LearnedBit(), count: 1 << BatchKeys.bits)
  private var texts = BatchTexts()
  private var travel = DeadReckoning()
  private var latitude: Int64 = 0
  private var time: Int64?

  init(coder: Coder) { self.coder = coder }

  mutating func code(_ payloads: [[UInt8]], isRetained: Bool) throws(BatchError) -> ([[UInt8]], Bool) {
    let isRetained = try coder.code(isRetained, chance: 1 << 15)
    let count = Int(try coder.code(UInt64(payloads.count), bits: 8))
    guard count <= Batch.most else { throw .damaged }
    var coded: [[UInt8]] = []
    for index in 0..<count {
      let payload = try code(index < payloads.count ? payloads[index] : [])
      guard payload.count <= Batch.longest else { throw .damaged }
      coded.append(payload)
    }
    return (coded, isRetained)
  }

  private mutating func code(_ payload: [UInt8]) throws(BatchError) -> [UInt8] {
    let members = members(of: payload)
    guard try coder.code(members != nil, &isObject) else {
      return try texts.code(payload[...], with: &coder)
    }
    var coded: [BatchMember] = []
    var pending: [Pending] = []
    var place = 0
    while let next = try key(members ?? [], coded.count, after: place) {
      place = next
      let wanted = members.map { $0[coded.count].value }
      coded.append(try member(wanted, at: place, index: coded.count, pending: &pending))
      guard coded.count <= Batch.longest else { throw .damaged }
    }
    try numbers(&coded, members, pending)
    return write(coded)
  }

  /// Nil where it is no object, or has more new keys than there is room for.
  private func members(of payload: [UInt8]) -> [BatchMember]? {
    guard var members = BatchText.members(of: payload, decimals: keys.decimals) else { return nil }
    let new = members.count { keys.place(of: $0.key) == nil }
    guard keys.entries.count + new <= BatchKeys.new else { return nil }
    for index in members.indices where members[index].key.elementsEqual(keys[BatchKeys.course].key) {
      // It goes round.
      if case .whole(0..<360) = members[index].value { continue }
      var text: [UInt8] = []
      BatchText.write(members[index].value, decimals: keys[BatchKeys.course].decimals, to: &text)
      members[index].value = .text(text[...])
    }
    return members
  }

  /// The place of the next key; nil: the message ends.
  private mutating func key(
    _ members: [BatchMember], _ index: Int, after previous: Int
  ) throws(BatchError) -> Int? {
    let wanted = index < members.count ? keys.place(of: members[index].key) ?? BatchKeys.new : BatchKeys.end
    let entry = keys[previous]
    let row = entry.wasFollowed ? 0 : 1
    var place = entry.follower
    entry.wasFollowed = try coder.code(place == wanted, &entry.isFollowed[row])
    if !entry.wasFollowed { place = try coder.code(wanted, bits: BatchKeys.bits, &keyTree) }
    if place == BatchKeys.new {
      let key = try texts.code(index < members.count ? members[index].key : [], with: &coder)
      guard let added = keys.add(key) else { throw .damaged }
      place = added
    }
    guard place < keys.entries.count else { throw .damaged }
    entry.follower = place
    return place == BatchKeys.end ? nil : place
  }

  /// Numbers come later.
  private mutating func member(
    _ value: BatchMember.Value?, at place: Int, index: Int, pending: inout [Pending]
  ) throws(BatchError) -> BatchMember {
    let entry = keys[place]
    let (isText, isDecimal) =
      switch value {
      case .text: (true, false)
      case .decimal: (false, true)
      case .whole, nil: (false, false)
      }
    if try coder.code(isText, &entry.isText) {
      var text: ArraySlice<UInt8> = []
      if case .text(let wanted) = value { text = wanted }
      return BatchMember(
        key: entry.key[...], value: .text(try texts.code(text, of: entry, with: &coder)[...]))
    }
    let isDecimalToo = try coder.code(isDecimal, &entry.isDecimal)
    pending.append(Pending(place: place, isDecimal: isDecimalToo, index: index))
    return BatchMember(key: entry.key[...], value: .whole(0))
  }

  private mutating func numbers(
    _ coded: inout [BatchMember], _ members: [BatchMember]?, _ pending: [Pending]
  ) throws(BatchError) {
    let before = time
    var (speed, course): (Int64?, Int64?)
    var hasMoved = false
    let first = [BatchKeys.time, BatchKeys.speed, BatchKeys.course]
    let ordered = first.flatMap { place in pending.filter { $0.place == place } }
    for (turn, one) in (ordered + pending.filter { !first.contains($0.place) }).enumerated() {
      let seconds = time.flatMap { time in before.map { time - $0 } } ?? 0
      if turn >= ordered.count, !hasMoved {
        travel.moved(speed: speed, course: course, latitude: latitude, seconds: seconds)
        hasMoved = true
      }
      let number = try number(of: members?[one.index].value, one, seconds: seconds)
      switch one.place {
      case BatchKeys.time: time = number
      case BatchKeys.speed: speed = number
      case BatchKeys.course: course = number
      case BatchKeys.latitude: latitude = number
      default: break
      }
      coded[one.index].value = one.isDecimal ? .decimal(number) : .whole(number)
    }
    if !hasMoved { travel.moved(speed: nil, course: nil, latitude: 0, seconds: 0) }
  }

  private mutating func number(
    of value: BatchMember.Value?, _ one: Pending, seconds: Int64
  ) throws(BatchError) -> Int64 {
    let entry = keys[one.place]
    let wanted: Int64 =
      switch value {
      case .whole(let number), .decimal(let number): number
      case .text, nil: 0
      }
    let column = one.isDecimal ? entry.decimal : entry.whole
    switch one.place {
    case BatchKeys.course: return try column.code(angle: wanted, seconds: seconds, with: &coder)
    case BatchKeys.time: return try column.code(wanted, seconds: 1, travelled: nil, with: &coder)
    case BatchKeys.latitude:
      return try column.code(wanted, seconds: seconds, travelled: travel.travelled?.north, with: &coder)
    case BatchKeys.longitude:
      return try column.code(wanted, seconds: seconds, travelled: travel.travelled?.east, with: &coder)
    default: return try column.code(wanted, seconds: seconds, travelled: nil, with: &coder)
    }
  }

  private func write(_ members: [BatchMember]) -> [UInt8] {
    var bytes: [UInt8] = [UInt8(ascii: "{")]
    for (index, member) in members.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      bytes += member.key
      if !member.key.isEmpty { bytes.append(UInt8(ascii: ":")) }
      BatchText.write(member.value, decimals: keys.decimals(of: member.key), to: &bytes)
    }
    bytes.append(UInt8(ascii: "}"))
    return bytes
  }
}
