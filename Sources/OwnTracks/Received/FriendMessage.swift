import Model
import Timebase

/// Other people's messages, as far as a tracker keeps them.
enum FriendMessage {
  enum Read: Hashable {
    case news(FriendNews)
    /// A line for the journal: somebody came or went.
    case notice(String)
    case nothing
    /// Why it is not believed.
    case refused(String)
  }

  /// Bytes. Base64 of a face of 192 by 192 points is half of it.
  static let longestFace = 32 << 10
  /// Bytes of UTF-8.
  private static let longestName = 256
  private static let longestTrackerID = 32

  static func read(_ json: JSON, type: String) -> Read {
    switch type {
    case "location": location(json)
    case "transition": transition(json)
    case "card": card(json)
    case _: .nothing
    }
  }

  /// One optional key of the wrong type costs the whole message: a sender who writes it so means something else.
  private static func location(_ json: JSON) -> Read {
    guard let time = time(json) else { return .refused("tst is missing or no time") }
    guard let latitude = json["lat"]?.double, let longitude = json["lon"]?.double else {
      return .refused("lat or lon is missing or no number")
    }
    guard let coordinate = Coordinate(latitude: latitude, longitude: longitude),
      latitude != 0 || longitude != 0
    else { return .refused("lat \(latitude), lon \(longitude) is no place") }
    for key in ["acc", "alt", "vac", "vel", "cog", "batt", "bs", "m", "p", "rad", "created_at"] {
      if let value = json[key], !value.isNull, value.double == nil { return .refused("\(key) is no number") }
    }
    for key in ["tid", "t", "conn", "poi", "tag", "topic", "SSID", "BSSID"] {
      if let value = json[key], !value.isNull, value.text == nil { return .refused("\(key) is no text") }
    }
    for key in ["inregions", "inrids"] {
      if let value = json[key], !value.isNull, value.elements?.allSatisfy({ $0.text != nil }) != true {
        return .refused("\(key) is no list of texts")
      }
    }
    var location = FriendLocation(time: time, coordinate: coordinate)
    location.accuracy = json["acc"]?.double
    location.altitude = json["alt"]?.double
    location.speed = whole(json["vel"])
    location.course = whole(json["cog"])
    location.battery = whole(json["batt"])
    location.trigger = text(json["t"], longest: 1)
    location.tid = text(json["tid"], longest: longestTrackerID)
    return .news(.location(location))
  }

  private static func transition(_ json: JSON) -> Read {
    guard let time = time(json) else { return .refused("tst is missing or no time") }
    guard let event = json["event"]?.text, ["enter", "leave"].contains(event) else {
      return .refused("event is neither enter nor leave")
    }
    // Beacons come and go too often to be told of.
    if json["t"]?.text == "b" { return .nothing }
    let who = text(json["tid"], longest: longestTrackerID) ?? "somebody"
    let region = text(json["desc"], longest: longestName) ?? "a region"
    return .notice("\(who) \(event)s \(region) @ \(ISO8601.text(time))".plainLine)
  }

  private static func card(_ json: JSON) -> Read {
    for key in ["name", "face"] {
      if let value = json[key], !value.isNull, value.text == nil { return .refused("\(key) is no text") }
    }
    // A face that is too large costs the face, not the name.
    let face = json["face"]?.text.flatMap { $0.utf8.count <= longestFace ? $0 : nil }
    return .news(.card(FriendCard(name: text(json["name"], longest: longestName), face: face)))
  }

  private static func time(_ json: JSON) -> WallTime? {
    guard let seconds = json["tst"]?.double, (0..<1e11).contains(seconds) else { return nil }
    return WallTime(seconds: seconds)
  }

  private static func whole(_ value: JSON?) -> Int? {
    value?.double.flatMap { Int(exactly: $0.rounded()) }.flatMap { $0.magnitude < 1_000_000_000 ? $0 : nil }
  }

  /// At most `longest` bytes of UTF-8, cut between two characters of Unicode; one character for a person may be
  /// a hundred thousand of these.
  private static func text(_ value: JSON?, longest: Int) -> String? {
    guard let text = value?.text, !text.isEmpty else { return nil }
    guard text.utf8.count > longest else { return text }
    var kept = String.UnicodeScalarView()
    var bytes = 0
    for scalar in text.unicodeScalars {
      bytes += UTF8.width(scalar)
      guard bytes <= longest else { break }
      kept.append(scalar)
    }
    return kept.isEmpty ? nil : String(kept)
  }
}
