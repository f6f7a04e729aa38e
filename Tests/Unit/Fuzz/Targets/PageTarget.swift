import Access
import OwnTracks
import Timebase
import Web

/// What browsers, and those who pretend to be one, send to the page's server. The first byte chooses the piece.
enum PageTarget {
  private static let pieces: [@Sendable (String) -> Void] = [
    cookie, host, range, code, words, template, tile, files,
  ]

  @Sendable static func feed(_ input: UnsafeRawBufferPointer) {
    guard let first = input.first else { return }
    pieces[Int(first) % pieces.count](String(decoding: input.dropFirst(), as: UTF8.self))
  }

  @Sendable private static func cookie(_ text: String) {
    guard let key = Cookie.key(in: text) else { return }
    claim(text.contains("homeward=" + key), "a key that is not there: \(key)")
    claim(key.utf8.count == 32 && key.utf8.allSatisfy { $0 < 128 }, "a key of \(key)")
    claim(Sessions().session(ofKey: key, at: 0) == nil, "nobody has a session")
  }

  /// Whatever it is called: what ends in a name that others can own is not ours.
  @Sendable private static func host(_ text: String) {
    claim(!HostName.isOurs(text + ".example", names: ["van"]), "ours: \(text).example")
    claim(!HostName.isOurs(text + ".example:80", names: ["van"]), "ours: \(text).example:80")
    if HostName.isOurs(text, names: ["van"]) {
      claim(text.utf8.allSatisfy { $0 > 32 && $0 < 127 }, "ours: \(text)")
      claim(HostName.isOwn(origin: "http://" + text, host: text), "a page of ours that is not")
    }
  }

  @Sendable private static func range(_ text: String) {
    for size in [0, 1, 100, Int.max / 2] {
      for header in [text, "bytes=" + text] {
        guard case .part(let part) = ByteRange(header, size: size) else { continue }
        claim(!part.isEmpty && part.lowerBound >= 0 && part.upperBound <= size, "\(part) of \(size)")
      }
    }
  }

  @Sendable private static func code(_ text: String) {
    let now = Instant(nanoseconds: 1)
    guard
      let code = OneTimeCode(
        file: Array(#"{"code":"\#(Secret.hash(of: "ABCDEFGH"))","failures":0,"#.utf8)
          + Array(#""made":1,"may":"look"}"#.utf8))
    else { return claim(false, "a code that is none") }
    claim(code.isGood(at: now), "a new code is not good")
    guard code.isOpened(by: text) else { return }
    let letters = text.uppercased().filter { $0 != "-" && $0 != " " }
    claim(letters == "ABCDEFGH", "opened by \(text)")
  }

  @Sendable private static func words(_ text: String) {
    guard let words = try? AllowedWords.words(Array(text.utf8)) else { return }
    claim(!words.isEmpty, "no word is allowed")
    claim(!["wipe", "reload", "withdraw", "status"].contains(words[0]), "allowed: \(words)")
    claim((try? JSON.parse(text)) == .array(words.map(JSON.string)), "other words: \(words)")
  }

  /// What is put into a header ends nothing in it, and names one host.
  @Sendable private static func template(_ text: String) {
    for template in [text, "https://" + text] {
      guard let source = TemplateHost.source(of: template) else { continue }
      claim(
        source.utf8.allSatisfy { $0 > 32 && $0 < 127 && $0 != 59 && $0 != 44 && $0 != 39 }, "source \(source)"
      )
      claim(source.hasPrefix("http://") || source.hasPrefix("https://"), "source \(source)")
      claim(source.split(separator: "*").count <= 2 && !source.hasSuffix("*"), "source \(source)")
    }
  }

  @Sendable private static func tile(_ text: String) {
    for path in [text, "/tiles/" + text] {
      guard let place = TilePath(path) else { continue }
      let side = 1 << place.zoom
      claim((0..<side).contains(place.column) && (0..<side).contains(place.rowFromSouth), "\(path): \(place)")
    }
  }

  @Sendable private static func files(_ text: String) {
    let sessions = Sessions(file: Array(text.utf8))
    claim(sessions.all.count <= Sessions.limit, "\(sessions.all.count) sessions")
    for session in sessions.all { Claim.isPlain(session.device + ".", "a session") }
    if sessions.file.count <= Sessions.fileLimit {
      claim(Sessions(file: sessions.file) == sessions, "sessions that are written are others")
    }
    if let code = OneTimeCode(file: Array(text.utf8)) {
      claim(OneTimeCode(file: code.file) == code, "a code that is written is another")
    }
    if let json = try? JSON.parse(text) {
      claim(StatusSections.changes(from: json, to: json) == nil, "a status differs from itself")
    }
  }
}
