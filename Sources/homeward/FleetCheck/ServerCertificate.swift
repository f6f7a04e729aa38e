import Glibc
import Model
import OwnTracks
import Timebase

/// The broker's own certificate, looked at with openssl's client as a board would look at it.
struct ServerCertificate {
  /// openssl's number for what is wrong with it, and its words; nil: it said none.
  var verdict: (code: Int, words: String)?
  /// `2036-11-26 13:08:20Z`; nil: no certificate came.
  var end: String?
  /// The server took the connection and said nothing.
  var isSilent = false

  private static let patience = 10
  private static let warningDays = 30.0
  private static let wrongName: Set<Int> = [62, 64]
  private static let hasEnded = 10

  init(_ text: String) {
    for line in text.split(separator: "\n") {
      let words = String(line).trimmed
      let mark = "Verify return code: "
      guard words.hasPrefix(mark), let open = words.firstIndex(of: "(") else { continue }
      let number = words[..<open].dropFirst(mark.count)
      if let code = Int(String(number).trimmed) {
        verdict = (code, String(words[open...].dropFirst().prefix { $0 != ")" }))
      }
    }
    end = CertificateEnd.read(pem: Array(text.utf8)).map { WallTime(seconds: Double($0)).asOpenSSLWrites }
  }

  /// `name`: as boards call it.
  static func read(_ place: BrokerPlace, name: String, as identity: BoardIdentity) throws -> ServerCertificate
  {
    let isAddress = name.contains(":") || name.allSatisfy { $0 == "." || $0.isNumber }
    let host = place.host.contains(":") ? "[\(place.host)]" : place.host
    var words = ["\(patience)", "openssl", "s_client", "-connect", "\(host):\(place.port)"]
    words += isAddress ? ["-verify_ip", name] : ["-verify_hostname", name, "-servername", name]
    if let authority = identity.authority { words += ["-CAfile", authority] }
    if let certificate = identity.certificate, let key = identity.key {
      words += ["-cert", certificate, "-key", key, "-pass", "pass:"]
    }
    // It has no limit of its own.
    let program = OtherProgram(name: "timeout", package: "coreutils")
    let ended = OtherProgram.end(try program.start(words, joinsErrors: true), atMost: 1 << 20)
    var found = ServerCertificate(String(decoding: ended.output, as: UTF8.self))
    found.isSilent = ended.status == 124 && found.end == nil
    return found
  }

  /// Whether the rest can be looked at, too.
  enum Trust {
    case full
    /// It is another's name, or one that boards do not know.
    case withoutName
    case none
  }

  func trust(
    _ found: inout FleetFindings, _ place: BrokerPlace, name: String, authority: String, _ now: Double
  ) -> Trust {
    guard let end, let verdict else {
      found.blame(
        isSilent
          ? "\(place): takes the connection and says nothing: look whether the broker hangs, and whether it speaks TLS there"
          : "\(place): does not answer in TLS: look for its TLS listener (8883 as a rule), or set tls false on the boards"
      )
      return .none
    }
    let soon = ISO8601.text(WallTime(seconds: now + Self.warningDays * 86_400))
    if end < soon.map({ $0 == "T" ? " " : String($0) }).joined(), verdict.code != Self.hasEnded {
      found.warn("\(place): the broker's certificate ends \(end.prefix(10)): have it made again, and loaded")
    }
    switch verdict.code {
    case 0: return .full
    case _ where Self.wrongName.contains(verdict.code):
      found.blame(
        "\(place): the broker's certificate is not for \(name), as boards call it: make one that has this name"
      )
      return .withoutName
    case Self.hasEnded:
      found.blame(
        "\(place): the broker's certificate has ended on \(end.prefix(10)): have it made again, and loaded")
    default:
      found.blame(
        "\(place): the broker's certificate is not of the authority that boards trust, \(authority) (\(verdict.words)): "
          + "make one that this authority signs")
    }
    return .none
  }
}
