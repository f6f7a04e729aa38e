import Model
import Timebase

/// Other people's messages, as far as a tracker keeps them.
enum FriendMessage {
  enum Read: Hashable {
    case news(FriendNews)
    /// A line for the journal: a friend came or went.
    case notice(String)
    case nothing
    /// Why it is not believed.
    case refused(String)
  }

  /// Bytes. Base64 of a face of 192 by 192 points is half of it.
  static let longestFace = 32 << 10
  /// Bytes of UTF-8.
  static let longestName = 256
  private static let longestTrackerID = 32

  static func read(_ json: JSON, type: String) -> Read {
    switch type {
    case "location": location(json)
    case "transition": transition(json)
    case "card": card(json)
    case _: .nothing
    }
  }

  /// One optional key of the wrong type costs the whole message: a sender who writes it so means something else. Some
  /// trackers write their numbers as texts.
  private static func location(_ json: JSON) -> Read {
    guard let time = time(json) else { return .refused("tst is missing or no time") }
    guard let latitude = number(json["lat"]), let longitude = number(json["lon"]) else {
      return .refused("lat or lon is missing or no number")
    }
    guard let coordinate = Coordinate(latitude: latitude, longitude: longitude),
      latitude != 0 || longitude != 0
    else { return .refused("lat \(latitude), lon \(longitude) is no place") }
    for key in ["acc", "alt", "vac", "vel", "cog", "batt", "bs", "m", "p", "rad", "created_at"] {
      if let value = json[key], !value.isNull, number(value) == nil { return .refused("\(key) is no number") }
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
    location.accuracy = number(json["acc"])
    location.altitude = number(json["alt"])
    location.speed = whole(json["vel"])
    location.course = whole(json["cog"])
    location.battery = whole(json["batt"])
    location.trigger = text(json["t"], longest: 5)
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

  /// The message without what `face` holds, where that is a text. A face may be many times what is kept of one: so it
  /// is cut out before anything is decoded, and the name stays.
  static func withoutFace(_ payload: [UInt8]) -> [UInt8] {
    let quote = UInt8(ascii: "\"")
    let key = Array("\"face\"".utf8)
    var index = 0
    while let start = payload[index...].firstIndex(of: quote) {
      index = end(ofText: start, in: payload)
      guard payload[start..<index] == key[...], let colon = word(in: payload, from: index),
        payload[colon] == UInt8(ascii: ":"), let value = word(in: payload, from: colon + 1),
        payload[value] == quote
      else { continue }
      return payload[..<value] + Array("null".utf8) + payload[end(ofText: value, in: payload)...]
    }
    return payload
  }

  /// Behind the quotation mark that ends it.
  private static func end(ofText start: Int, in payload: [UInt8]) -> Int {
    var index = start + 1
    while index < payload.count, payload[index] != UInt8(ascii: "\"") {
      index += payload[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(index + 1, payload.count)
  }

  private static func word(in payload: [UInt8], from index: Int) -> Int? {
    payload[index...].firstIndex { ![9, 10, 13, 32].contains($0) }
  }

  private static func time(_ json: JSON) -> WallTime? {
    guard let seconds = number(json["tst"]), (0..<1e11).contains(seconds) else { return nil }
    return WallTime(seconds: seconds)
  }

  private static func number(_ value: JSON?) -> Double? {
    value?.double ?? value?.text.flatMap { DecimalText.number($0) }
  }

  private static func whole(_ value: JSON?) -> Int? {
    number(value).flatMap { Int(exactly: $0.rounded()) }.flatMap { $0.magnitude < 1_000_000_000 ? $0 : nil }
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
