import Glibc
import OwnTracks
import Timebase

/// The certificates and keys of a fleet, as they lie in its folder.
struct FleetCertificates {
  /// A line each.
  private(set) var faults: [String] = []

  private static let warningDays = 30

  /// `authority`: the folder of one that signed and is not in the fleet's.
  init(_ folder: FleetFolder, authority: String? = nil) throws {
    let holders = folder.kept.filter(\.board.hasCertificate)
    let present = holders.filter { kept in
      let missing = [FleetBoard.certificateFile, FleetBoard.keyFile].filter {
        !folder.has($0, in: kept.folder)
      }
      for file in missing {
        faults.append("\(kept.folder)/\(file): is missing, expected one: make the fleet again")
      }
      return missing.isEmpty
    }
    let own = folder.path + "/" + FleetAuthority.folderName
    let trusted = (authority ?? own) + "/" + FleetBoard.authorityFile
    var hasAuthority = authority != nil || access(trusted, F_OK) == 0
    let soon = SystemClock.rawWall().advanced(byDays: Self.warningDays)
    if hasAuthority {
      let end = Certificate(try OpenSSL.run([Certificate.words(trusted)])[0].text).end
      hasAuthority = end != nil
      look(end, soon, authority == nil ? "\(FleetAuthority.folderName)/\(FleetBoard.authorityFile)" : trusted)
    }
    let papers = try Self.papers(present.map { "\(folder.path)/\($0.folder)/" })
    let ends = try Self.ends(present, in: folder)
    var keys: [String: [String]] = [:]
    for (index, kept) in present.enumerated() {
      let certificate = papers[index].certificate
      look(certificate.end == nil ? nil : ends[index], soon, "\(kept.folder)/\(FleetBoard.certificateFile)")
      guard let key = papers[index].key else {
        faults.append("\(kept.folder)/\(FleetBoard.keyFile): cannot be read, expected a private key as PEM")
        continue
      }
      keys[key, default: []].append(kept.folder)
      guard certificate.end != nil else { continue }
      if certificate.key != key {
        faults.append("\(kept.folder)/\(FleetBoard.keyFile): does not match \(FleetBoard.certificateFile)")
      }
      if certificate.name != kept.board.user {
        faults.append(
          "\(kept.folder)/\(FleetBoard.certificateFile): is for \(certificate.name), expected \(kept.board.user)"
        )
      }
    }
    for folders in keys.values.filter({ $0.count > 1 }).sorted(by: { $0[0] < $1[0] }) {
      faults.append("\(folders.joined(separator: ", ")): equal key, expected one for each board")
    }
    if hasAuthority {
      let readable = zip(present, papers).filter { $0.1.certificate.end != nil }.map(\.0.folder)
      try lookForStrangers(readable, folder.path, trusted)
    }
    faults = faults.map(\.plainLine)
  }

  /// Certificates that the authority has not signed.
  private mutating func lookForStrangers(_ boards: [String], _ path: String, _ trusted: String) throws {
    let files = boards.map { "\(path)/\($0)/\(FleetBoard.certificateFile)" }
    // As many as the words of one program may be.
    for start in stride(from: 0, to: files.count, by: Self.mostAtOnce) {
      let some = start..<min(start + Self.mostAtOnce, files.count)
      let words = ["verify", "-no_check_time", "-CAfile", trusted] + files[some]
      let verified = try OpenSSL.run([words])[0].text
      let good = Set(verified.split(separator: "\n").map(String.init))
      for index in some where !good.contains(files[index] + ": OK") {
        faults.append(
          "\(boards[index])/\(FleetBoard.certificateFile): is not of the authority in \(trusted), which brokers ask "
            + "for: remove it, and have it made again")
      }
    }
  }

  private static let mostAtOnce = 500
  /// Bytes; a certificate and a key have one thousand.
  private static let limit = 1 << 20

  /// Of each folder of a board, in their order.
  private static func papers(_ folders: [String]) throws -> [(certificate: Certificate, key: String?)] {
    var papers: [(certificate: Certificate, key: String?)] = []
    var unknown: [Int] = []
    for folder in folders {
      let certificate = read(folder + FleetBoard.certificateFile).flatMap(Certificate.init(pem:))
      let key = read(folder + FleetBoard.keyFile).flatMap(CurveKey.publicHalf).map(Base64.text)
      if certificate == nil || key == nil { unknown.append(papers.count) }
      papers.append((certificate ?? Certificate(""), key))
    }
    let found = try OpenSSL.run(
      unknown.flatMap { index in
        [
          Certificate.words(folders[index] + FleetBoard.certificateFile),
          ["pkey", "-in", folders[index] + FleetBoard.keyFile, "-passin", "pass:", "-pubout"],
        ]
      })
    for (number, index) in unknown.enumerated() {
      let (certificate, key) = (found[2 * number], found[2 * number + 1])
      papers[index] = (Certificate(certificate.text), key.isGood ? Certificate.printedKey(key.text) : nil)
    }
    return papers
  }

  private static func read(_ file: String) -> [UInt8]? { try? FileText.read(file, atMost: limit) }

  /// When the certificate that each of them has ends, as openssl writes dates: one that was renewed from afar counts.
  static func ends(_ holders: [FleetFolder.Kept], in folder: FleetFolder) throws -> [String?] {
    let files = holders.flatMap { kept in
      [FleetBoard.certificateFile, FleetBoard.renewedFile].map { "\(folder.path)/\(kept.folder)/\($0)" }
    }
    var ends: [String: String] = [:]
    var unknown: [String] = []
    for file in files where access(file, F_OK) == 0 {
      if let certificate = read(file).flatMap(Certificate.init(pem:)) {
        ends[file] = certificate.end
      } else {
        unknown.append(file)
      }
    }
    let found = try OpenSSL.run(unknown.map { Certificate.words($0) })
    for (file, outcome) in zip(unknown, found) { ends[file] = Certificate(outcome.text).end }
    return holders.indices.map { index in files[2 * index...2 * index + 1].compactMap { ends[$0] }.max() }
  }

  private mutating func look(_ end: String?, _ soon: String, _ file: String) {
    guard let end else {
      faults.append("\(file): cannot be read, expected a certificate as PEM")
      return
    }
    if end < soon { faults.append("\(file): ends \(end.prefix(10)): remove it, and have it made again") }
  }

  /// One of them.
  struct Certificate {
    /// `2036-11-26 13:08:20Z`; nil: it is none.
    var end: String?
    /// Whom it is for.
    var name = ""
    /// The public one, in base64.
    var key = ""

    static func words(_ file: String) -> [String] {
      [
        "x509", "-in", file, "-noout", "-subject", "-nameopt", "sep_multiline,utf8", "-enddate", "-dateopt",
        "iso_8601",
        "-pubkey",
      ]
    }

    /// As openssl describes it.
    init(_ text: String) {
      for line in text.split(separator: "\n") {
        let words = String(line).trimmed
        if words.hasPrefix("notAfter=") { end = String(words.dropFirst(9)) }
        if words.hasPrefix("CN="), name.isEmpty { name = String(words.dropFirst(3)) }
      }
      key = Self.printedKey(text)
    }

    /// As it is read without a program, which thousands of boards would need twice each; nil: of another kind, and
    /// openssl's business.
    init?(pem file: [UInt8]) {
      guard let certificate = BoardCertificate(pem: file), CurveKey.isPoint(certificate.holder.key),
        let name = certificate.holder.commonName
      else { return nil }
      self.name = name
      end = WallTime(seconds: Double(certificate.end)).asOpenSSLWrites
      key = Base64.text(of: certificate.holder.key)
    }

    /// The lines of a public key that openssl has printed, as one.
    static func printedKey(_ text: String) -> String {
      let lines = text.split(separator: "\n").map { String($0).trimmed }
      guard let first = lines.firstIndex(where: { $0.hasPrefix("-----BEGIN") }),
        let last = lines[first...].firstIndex(where: { $0.hasPrefix("-----END") })
      else { return "" }
      return lines[(first + 1)..<last].joined()
    }
  }
}

extension WallTime {
  /// So that two can be compared, of which one is openssl's.
  var asOpenSSLWrites: String { ISO8601.text(self).replacing("T", with: " ") }

  func advanced(byDays days: Int) -> String {
    WallTime(seconds: seconds + Double(days) * 86_400).asOpenSSLWrites
  }
}
