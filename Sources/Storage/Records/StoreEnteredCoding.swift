import Model

/// Records of the regions reported as entered, and of the topics announced.
extension StoreRecord {
  /// Nil for other kinds, and where one cannot be read: then it is unknown.
  var entered: [EnteredRegion]? {
    guard kind == .entered else { return nil }
    var fields = fields
    let count = Int(fields.number(UInt32.self))
    // Each takes more bytes than one.
    guard count <= fields.left else { return nil }
    let entered = (0..<count).compactMap { _ in fields.entered() }
    return fields.isShort || entered.count < count ? nil : entered
  }

  /// Topics; nil for other kinds.
  var announced: [String]? {
    guard kind == .announced else { return nil }
    var fields = fields
    let count = Int(fields.number(UInt32.self))
    guard count <= fields.left else { return nil }
    let topics = (0..<count).map { _ in fields.text() }
    return fields.isShort ? nil : topics
  }
}

extension ByteWriter {
  mutating func texts(_ all: [String]) {
    number(UInt32(all.count))
    for text in all { self.text(text) }
  }

  mutating func entered(_ all: [EnteredRegion]) {
    number(UInt32(all.count))
    for entered in all {
      flag(entered.isChanged)
      text(entered.region.rid)
      text(entered.region.name)
      double(entered.region.coordinate.latitude)
      double(entered.region.coordinate.longitude)
      double(entered.region.radius)
      identity(entered.region.beacon)
      number(Int64(entered.region.created))
      flag(entered.region.isPrivate)
    }
  }
}

extension ByteReader {
  fileprivate mutating func entered() -> EnteredRegion? {
    let isChanged = flag()
    let (rid, name) = (text(), text())
    guard let coordinate = Coordinate(latitude: double(), longitude: double()) else { return nil }
    let radius = double()
    guard radius.isFinite else { return nil }
    let beacon = identity()
    let region = Region(
      rid: rid, name: name, coordinate: coordinate, radius: radius, beacon: beacon,
      created: Int(number(Int64.self)), isPrivate: flag())
    return EnteredRegion(region: region, isChanged: isChanged)
  }
}
