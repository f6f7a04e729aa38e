import Glibc
import OwnTracks

/// Makes the files of a plan: all of it in a temporary folder first, and then each board's folder by one rename.
struct FleetMaker {
  /// How many.
  struct Made {
    var new = 0
    var certificates = 0
  }

  /// Of the plan and of the folder, with their passwords.
  private(set) var boards: [FleetBoard] = []
  let warnings: [String]

  private let folder: FleetFolder
  private let authorityFolder: String
  private let isAuthorityNew: Bool
  private let days: Int
  /// Those of the plan, by the number of their board; the others of the folder stay as they are.
  private var places: [(folder: String, isNew: Bool)] = []

  private var path: String { folder.path }
  private var work: String { path + "/" + Self.workName }
  private static let workName = ".making"

  init(_ plan: FleetPlan, in path: String, authority: String?, days: Int) throws {
    self.days = days
    folder = try FleetFolder(path)
    let own = path + "/" + FleetAuthority.folderName
    let hasOwn = access(own, F_OK) == 0
    authorityFolder = authority ?? own
    isAuthorityNew = authority == nil && !hasOwn
    if isAuthorityNew, folder.kept.contains(where: \.board.hasCertificate) {
      throw Failure(
        .usage, "\(path): the authority that signed for its boards is not in it, expected --ca FOLDER")
    }
    if let authority, hasOwn, authority != own {
      throw Failure(.usage, "\(own): is there already, expected no --ca")
    }
    var known: [[String]: FleetFolder.Kept] = [:]
    for kept in folder.kept { known[kept.board.identity] = kept }
    var taken = Set(
      folder.kept.map { $0.folder.lowercased() } + Folder.names(in: path).map { $0.lowercased() })
    for board in plan.boards {
      if let kept = known.removeValue(forKey: board.identity) {
        places.append((kept.folder, false))
      } else {
        let name = FleetBoard.folderName(user: board.user, device: board.device, taken: taken)
        taken.insert(name.lowercased())
        places.append((name, true))
      }
    }
    let others = folder.kept.filter { known[$0.board.identity] != nil }.map(\.board)
    boards = plan.boards + others
    let found = FleetCollisions(boards)
    guard found.faults.isEmpty else { throw Failure(.configuration, found.faults.joined(separator: "\n")) }
    warnings = found.warnings
    givePasswords()
    if let board = boards.first(where: { $0.logsInByPassword && $0.user.contains(":") }) {
      throw Failure(
        .configuration,
        "\(board.place): username \(board.user.plainLine) has a colon, which mosquitto's file of passwords "
          + "cannot hold")
    }
  }

  /// Where the plan has none: the one that the user has already, or a new one.
  private mutating func givePasswords() {
    var passwords: [String: String] = [:]
    for kept in folder.kept where !kept.board.password.isEmpty {
      passwords[kept.board.user] = kept.board.password
    }
    for board in boards where !board.password.isEmpty { passwords[board.user] = board.password }
    for index in boards.indices where boards[index].logsInByPassword && boards[index].password.isEmpty {
      let user = boards[index].user
      let password = passwords[user] ?? PasswordHash.newPassword()
      passwords[user] = password
      boards[index].settings.set("password", .string(password))
    }
  }

  func make() throws -> Made {
    FleetFolder.remove(work)
    try FleetFolder.make(work)
    defer { FleetFolder.remove(work) }
    let certificates = try makeCertificates()
    for (board, place) in zip(boards, places) where place.isNew {
      let made = work + "/" + place.folder
      try FleetFolder.make(made)
      try write(board.settings.pretty(), made + "/" + FleetBoard.configurationFile)
    }
    // A folder that has its name has all that is in it, after a power cut too.
    sync()
    if isAuthorityNew, access(work + "/" + FleetAuthority.folderName, F_OK) == 0 {
      try FleetFolder.move(work + "/" + FleetAuthority.folderName, to: authorityFolder)
    }
    for place in places where place.isNew {
      try FleetFolder.move(work + "/" + place.folder, to: path + "/" + place.folder)
    }
    try renew()
    try writeBrokerFiles()
    sync()
    return Made(new: places.filter(\.isNew).count, certificates: certificates)
  }

  /// Keys and certificates that are missing, in the temporary folder; their number.
  private func makeCertificates() throws -> Int {
    guard zip(boards, places).contains(where: { $0.0.hasCertificate || $0.0.hasAuthority }) else { return 0 }
    try OpenSSL.look()
    let inWork = work + "/" + FleetAuthority.folderName
    let authority = try FleetAuthority(in: isAuthorityNew ? inWork : authorityFolder, work: work)
    if isAuthorityNew {
      try FleetFolder.make(inWork)
      try authority.make()
    } else {
      try authority.look()
    }
    let trusted = try FileText.read(authority.certificate, atMost: 1 << 20)
    var runs: [[String]] = []
    for (board, place) in zip(boards, places) {
      let made = work + "/" + place.folder
      try FleetFolder.make(made)
      if board.hasAuthority { try write(trusted, made + "/" + FleetBoard.authorityFile) }
      guard board.hasCertificate, !folder.has(FleetBoard.certificateFile, in: place.folder) else { continue }
      let hasKey = folder.has(FleetBoard.keyFile, in: place.folder)
      runs.append(
        authority.words(
          user: board.user, days: days,
          key: (hasKey ? path + "/" + place.folder : made) + "/" + FleetBoard.keyFile,
          hasKey: hasKey, certificate: made + "/" + FleetBoard.certificateFile))
    }
    for made in try OpenSSL.run(runs) where !made.isGood {
      throw Failure(.failed, "openssl made no certificate: \(made.lastLine.plainLine)")
    }
    return runs.count
  }

  /// Boards that were there: their settings, and what else was missing. A key that is there is never written.
  private func renew() throws {
    var before: [String: [UInt8]] = [:]
    for kept in folder.kept { before[kept.folder] = kept.bytes }
    for (board, place) in zip(boards, places) where !place.isNew {
      let target = path + "/" + place.folder
      // The key first: a certificate without one would be kept for good.
      for file in [FleetBoard.keyFile, FleetBoard.certificateFile, FleetBoard.authorityFile] {
        let made = work + "/" + place.folder + "/" + file
        guard access(made, F_OK) == 0 else { continue }
        let isKept = file != FleetBoard.authorityFile && folder.has(file, in: place.folder)
        if !isKept { try FleetFolder.move(made, to: target + "/" + file) }
      }
      let bytes = board.settings.pretty()
      guard bytes != before[place.folder] else { continue }
      try AtomicFile.write(bytes, as: FleetBoard.configurationFile, in: target, mode: 0o600)
    }
  }

  /// Users that log in by a password, each once.
  private var logins: [(user: String, password: String)] {
    var seen: Set<String> = []
    return boards.filter { $0.logsInByPassword && !$0.password.isEmpty && seen.insert($0.user).inserted }
      .map { ($0.user, $0.password) }
  }

  private func writeBrokerFiles() throws {
    let rights = MosquittoRights.list(boards)
    try AtomicFile.write(Array(rights.utf8), as: FleetFolder.rights, in: path, mode: 0o644)
    let passwords = logins.map {
      "\($0.user):\(PasswordHash.mosquitto($0.password, salt: PasswordHash.salt(12)))\n"
    }
    if passwords.isEmpty {
      unlink(path + "/" + FleetFolder.passwords)
    } else {
      try AtomicFile.write(Array(passwords.joined().utf8), as: FleetFolder.passwords, in: path, mode: 0o600)
    }
    let definitions = RabbitDefinitions.json(boards) { PasswordHash.rabbit($0, salt: PasswordHash.salt(4)) }
    try AtomicFile.write(definitions.pretty(), as: FleetFolder.definitions, in: path, mode: 0o600)
  }

  /// In the temporary folder, where no other has anything.
  private func write(_ bytes: [UInt8], _ file: String) throws {
    let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw Failure(.failed, "\(file): cannot be written: \(lastError())") }
    defer { close(descriptor) }
    guard Descriptor.writeAll(bytes, to: descriptor) else {
      throw Failure(.failed, "\(file): cannot be written: \(lastError())")
    }
  }
}
