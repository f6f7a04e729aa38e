import Testing

@testable import OwnTracks

// behaviour: Encryption
struct EncryptionTests {
  /// A known answer: the secret is s1kr3t, the nonce 0, 1, 2 … 23.
  static let plain = #"{"_type":"location","acc":5,"lat":48.0,"lon":11.0,"tid":"JJ","tst":1700000000}"#
  static let data =
    "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXV/voxzZzQTMqLE7cojtto0yVcCtxL3hYTQGqovKOHm9W3SktT9kMzu+6xzJPPLWSUu5F"
    + "mxnlEGmbVFG9sdxt1e0fAiUOQdr/ZFGvRJv3zESA1t4oDxRnE/XBHadH0w=="
  let encryption: Encryption

  init() throws { encryption = try Encryption(secret: "s1kr3t") }

  private func refusal(_ envelope: JSON) -> Encryption.Refusal? {
    do {
      _ = try encryption.opened(envelope)
      return nil
    } catch {
      return error
    }
  }

  @Test func aKnownMessageIsSealed() {
    let sealed = encryption.sealed(Array(Self.plain.utf8), nonce: Array(0..<24))
    #expect(String(decoding: sealed, as: UTF8.self) == #"{"_type":"encrypted","data":"\#(Self.data)"}"#)
  }

  @Test func aKnownMessageIsOpened() throws {
    let opened = try encryption.opened(["_type": "encrypted", "data": .string(Self.data)])
    #expect(String(decoding: opened, as: UTF8.self) == Self.plain)
  }

  @Test func noTwoEnvelopesAreAlike() throws {
    let (first, second) = (encryption.sealed([1, 2, 3]), encryption.sealed([1, 2, 3]))
    #expect(first != second)
    #expect(try encryption.opened(JSON.parse(second)) == [1, 2, 3])
  }

  @Test func dataWithBrokenLinesIsOpened() throws {
    let broken = Self.data.prefix(76) + "\r\n" + Self.data.dropFirst(76) + "\n"
    #expect(try encryption.opened(["data": .string(String(broken))]).count == Self.plain.utf8.count)
  }

  @Test(arguments: [
    ("", Encryption.Refusal.tooShort), ("AAAA", .tooShort),
    (String(repeating: "A", count: 52), .tooShort), (String(repeating: "A", count: 56), .forged),
    ("=", .noBase64), ("AAA", .noBase64), ("äöü", .noBase64), (data + "AAAA", .noBase64),
    (String(data.dropFirst(4)), .forged), ("BBBB" + data.dropFirst(4), .forged),
  ])
  func invalidCiphertextIsRefused(_ data: String, _ reason: Encryption.Refusal) {
    #expect(refusal(["_type": "encrypted", "data": .string(data)]) == reason)
  }

  @Test(arguments: [JSON.null, 5, ["a"]])
  func dataMustBeAText(_ data: JSON) {
    #expect(refusal(["_type": "encrypted", "data": data]) == .noData)
  }

  @Test func anotherSecretDoesNotOpen() throws {
    let other = try Encryption(secret: "s1kr3t2")
    #expect(throws: Encryption.Refusal.forged) { try other.opened(["data": .string(Self.data)]) }
  }

  @Test func aSecretCountsInBytesAndEndsAfter32() throws {
    let sealed = try JSON.parse(Encryption(secret: String(repeating: "ä", count: 16)).sealed([7]))
    let longer = try Encryption(secret: String(repeating: "ä", count: 16) + "x")
    #expect(try longer.opened(sealed) == [7])
    #expect(throws: Encryption.Refusal.forged) {
      try Encryption(secret: String(repeating: "ä", count: 15)).opened(sealed)
    }
  }

  @Test func nothingCanBeSealedToo() throws {
    #expect(try encryption.opened(JSON.parse(encryption.sealed([]))) == [])
  }
}
