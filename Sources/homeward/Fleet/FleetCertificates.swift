import Glibc
import OwnTracks
import Timebase

/// The certificates and keys of a fleet, as they lie in its folder.
struct FleetCertificates {
  /// A line each.
  private(set) var faults: [String] = []

  private static let warningDays = 30

  init(_ folder: FleetFolder) throws {
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
    let authority = "\(folder.path)/\(FleetAuthority.folderName)/\(FleetBoard.authorityFile)"
    let hasAuthority = access(authority, F_OK) == 0
    guard hasAuthority || !present.isEmpty else { return }
    let soon = SystemClock.rawWall().advanced(byDays: Self.warningDays)
    if hasAuthority {
      let end = Certificate(try OpenSSL.run([Certificate.words(authority)])[0].text).end
      look(end, soon, "\(FleetAuthority.folderName)/\(FleetBoard.authorityFile)")
    }
    let read = try OpenSSL.run(
      present.flatMap { kept in
        let place = "\(folder.path)/\(kept.folder)/"
        return [
          Certificate.words(place + FleetBoard.certificateFile),
          ["pkey", "-in", place + FleetBoard.keyFile, "-passin", "pass:", "-pubout"],
        ]
      })
    var keys: [String: [String]] = [:]
    for (index, kept) in present.enumerated() {
      let certificate = Certificate(read[2 * index].text)
      look(certificate.end, soon, "\(kept.folder)/\(FleetBoard.certificateFile)")
      guard read[2 * index + 1].isGood else {
        faults.append("\(kept.folder)/\(FleetBoard.keyFile): cannot be read, expected a private key as PEM")
        continue
      }
      let key = read[2 * index + 1].text.trimmed
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
    faults = faults.map(\.plainLine)
  }

  private mutating func look(_ end: String?, _ soon: String, _ file: String) {
    guard let end else {
      faults.append("\(file): cannot be read, expected a certificate as PEM")
      return
    }
    if end < soon { faults.append("\(file): ends \(end.prefix(10)): remove it, and have it made again") }
  }

  /// One of them, as openssl describes it.
  struct Certificate {
    /// `2036-11-26 13:08:20Z`; nil: it is none.
    var end: String?
    /// Whom it is for.
    var name = ""
    var key = ""

    static func words(_ file: String) -> [String] {
      [
        "x509", "-in", file, "-noout", "-subject", "-nameopt", "sep_multiline,utf8", "-enddate", "-dateopt",
        "iso_8601",
        "-pubkey",
      ]
    }

    init(_ text: String) {
      let lines = text.split(separator: "\n")
      for line in lines {
        let words = String(line).trimmed
        if words.hasPrefix("notAfter=") { end = String(words.dropFirst(9)) }
        if words.hasPrefix("CN="), name.isEmpty { name = String(words.dropFirst(3)) }
      }
      if let first = lines.firstIndex(where: { $0.hasPrefix("-----BEGIN") }) {
        key = lines[first...].joined(separator: "\n").trimmed
      }
    }
  }
}

extension WallTime {
  /// As openssl writes dates, so that two can be compared.
  fileprivate func advanced(byDays days: Int) -> String {
    let text = ISO8601.text(WallTime(seconds: seconds + Double(days) * 86_400))
    return String(text.map { $0 == "T" ? " " : $0 })
  }
}
