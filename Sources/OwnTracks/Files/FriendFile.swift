import Model

/// The owner's name and picture for a friend: `{"name":"Jane","face":"BASE64"}`, either of which may be missing.
public enum FriendFile {
  /// Bytes of a file.
  public static let limit = 64 << 10

  /// In plain words: found and expected.
  public struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
    public var description: String

    init(_ description: String) { self.description = description.plainLine }
  }

  /// Of a file that could not be read, in the system's words.
  public static func unreadable(_ why: String) -> Refusal { Refusal(why) }

  /// Name and face as a card has them; other keys are passed over.
  public static func parse(_ bytes: [UInt8]) throws(Refusal) -> FriendCard {
    let json: JSON
    do {
      json = try JSON.parse(bytes)
    } catch {
      throw Refusal("no JSON: \(error)")
    }
    guard json.members != nil else { throw Refusal("expected an object with name and face") }
    let card = FriendCard(
      name: try text("name", of: json, longest: FriendMessage.longestName),
      face: try text("face", of: json, longest: FriendMessage.longestFace))
    if let face = card.face, !face.utf8.allSatisfy({ Base64.isDigit($0) }) {
      throw Refusal("face is no base64, expected a PNG or JPEG as base64")
    }
    guard card != FriendCard() else { throw Refusal("neither name nor face, expected one of them at least") }
    return card
  }

  /// Empty is none.
  private static func text(_ key: String, of json: JSON, longest: Int) throws(Refusal) -> String? {
    guard let value = json[key], !value.isNull else { return nil }
    guard let text = value.text else {
      throw Refusal("\(key) is \(ConfigurationFile.brief(value.description)), expected a text")
    }
    guard text.utf8.count <= longest else {
      throw Refusal("\(key) has \(text.utf8.count) bytes, expected \(longest) at most")
    }
    return text.isEmpty ? nil : text
  }
}
