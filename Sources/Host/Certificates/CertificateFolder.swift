import Glibc
import Model
import OwnTracks

/// The folder of renewed certificates, beside the store:
///
///     state.json     which of the files is in force, which one is on trial
///     request.key    the key that waits for a certificate, request.pem what asks for it
///     MARK.pem       a certificate and its key in one file: no cut leaves one without the other
///
/// Every change of state is one rename, of state.json. Files that it does not name mean nothing, once it has been read:
/// with one that cannot be, any of them may be in force.
public struct CertificateFolder: Sendable {
  /// The content of `state.json`.
  public struct State: Hashable, Sendable {
    /// A certificate that is tried, and for whom.
    public struct Trial: Hashable, Sendable {
      /// Of the certificate, and the name of its file.
      public var mark: String
      /// Of the configuration's own certificate at that time.
      public var replaces: String?
      /// The sender that waits for its end.
      public var order: Order

      /// One that begins.
      public init(mark: String, replaces: String?, order: Order) {
        (self.mark, self.replaces, self.order) = (mark, replaces, order)
      }
    }

    /// Where the answer goes, also after a restart.
    public struct Order: Hashable, Sendable {
      /// Of the command.
      public var id: CommandID
      /// Nil: the usual one.
      public var topic: String?

      /// Of a command.
      public init(id: CommandID, topic: String?) { (self.id, self.topic) = (id, topic) }
    }

    /// Of the file in force; nil: the configuration's own is.
    public var mark: String?
    /// Of the configuration's own certificate that is out of force for it. With another one the configuration counts
    /// again.
    public var replaces: String?
    /// Nil: none is on trial.
    public var trial: Trial?

    /// Nothing was renewed.
    public init() {}
  }

  /// The outcome of reading `state.json`.
  public enum Reading: Hashable, Sendable {
    /// It has been read, or there is none: nothing was ever renewed.
    case known(State)
    /// The disk does not give it, or it is damaged; in one line.
    case unknown(String)
  }

  /// Why a file cannot be had.
  private struct Fault: Error {
    var words: String
    var isMissing = false
  }

  static let stateFile = "state.json"
  static let keyFile = "request.key"
  static let requestFile = "request.pem"
  /// Bytes. A certificate with all that signed it, and a key.
  private static let limit = 65_536

  /// Without a slash at its end.
  public let path: String

  /// `directory`: the store's.
  public init(in directory: String) { path = directory + "/certificate" }

  /// The file of a certificate and its key.
  public func pair(_ mark: String) -> String { "\(path)/\(mark).pem" }

  // MARK: What is in force

  /// The same of what was read. Without a state the only pair that can be in force is.
  public func renewed(_ reading: Reading, of configured: String) -> String? {
    switch reading {
    case .known(let state): renewed(state, of: configured)
    case .unknown: onlyMark(inPlaceOf: configured).map(pair)
    }
  }

  /// Of the one certificate here with its key, where there is no second one; nil too where the configuration's own ends
  /// no earlier, for which this one was not made.
  public func onlyMark(inPlaceOf configured: String) -> String? {
    guard !configured.isEmpty else { return nil }
    let marks = names().filter { $0.hasSuffix(".pem") }.map { String($0.dropLast(4)) }.filter(isPair)
    guard marks.count == 1, let end = Self.certificate(pair(marks[0]))?.end,
      end > Self.certificate(configured)?.end ?? 0
    else { return nil }
    return marks[0]
  }

  /// The certificate of that name, and its key: the key's bytes end with those of the public one.
  private func isPair(_ mark: String) -> Bool {
    guard let bytes = Self.read(pair(mark)), let certificate = BoardCertificate(pem: bytes),
      certificate.mark == mark, let key = PEM.first("PRIVATE KEY", in: bytes)
    else { return false }
    return key.suffix(64) == certificate.holder.key.suffix(64)
  }

  /// The file with certificate and key that is used in place of what the configuration names; nil: what it names is.
  /// `configured`: the configuration's own certificate.
  public func renewed(_ state: State, of configured: String) -> String? {
    guard !configured.isEmpty else { return nil }
    // One that cannot be read now is no other one.
    let present = Self.mark(of: configured)
    let replaced = { (old: String?) in present == nil || old == nil || present == old }
    if let trial = state.trial, replaced(trial.replaces ?? state.replaces),
      Self.certificate(pair(trial.mark)) != nil
    {
      return pair(trial.mark)
    }
    guard let mark = state.mark, replaced(state.replaces),
      Self.certificate(pair(mark)) != nil
    else { return nil }
    return pair(mark)
  }

  /// Nil: it cannot be read.
  public static func certificate(_ file: String) -> BoardCertificate? {
    read(file).flatMap { BoardCertificate(pem: $0) }
  }

  /// Why the file of a pair is of no use, in one line; nil: it is.
  public static func fault(of file: String) -> String? {
    switch content(of: file) {
    case .success(let bytes):
      BoardCertificate(pem: bytes) == nil
        ? "\(file): is damaged, expected a certificate and its key, PEM" : nil
    case .failure(let fault): "\(file): \(fault.words)"
    }
  }

  /// Of the certificate in this file.
  public static func mark(of file: String) -> String? { certificate(file)?.mark }

  // MARK: The state

  /// One that cannot be read may name what is in force.
  public func state() -> Reading {
    let file = path + "/" + Self.stateFile
    switch Self.content(of: file) {
    case .failure(let fault): return fault.isMissing ? .known(State()) : .unknown("\(file): \(fault.words)")
    case .success(let bytes):
      guard let state = (try? JSON.parse(bytes)).flatMap(Self.decoded) else {
        return .unknown("\(file): is damaged, expected the state of a renewal, JSON")
      }
      return .known(state)
    }
  }

  /// Nil: it has not the form in which it is written.
  private static func decoded(_ json: JSON) -> State? {
    var state = State()
    (state.mark, state.replaces) = (json["inForce"]?.text, json["replaces"]?.text)
    let texts = [json["inForce"], json["replaces"], json["trial"]?["replaces"]]
    guard json.members != nil, texts.allSatisfy({ $0 == nil || $0?.text != nil }), isName(state.mark) else {
      return nil
    }
    guard let trial = json["trial"] else { return state }
    guard let mark = trial["file"]?.text, isName(mark), let id = id(trial["id"]) else { return nil }
    let replaces = trial["replaces"]?.text
    state.trial = .init(mark: mark, replaces: replaces, order: .init(id: id, topic: trial["topic"]?.text))
    return state
  }

  /// It becomes that of a file in this folder.
  private static func isName(_ mark: String?) -> Bool {
    mark.map { !$0.isEmpty && !$0.contains("/") } ?? true
  }

  /// On the disk when it returns; why not, or nil.
  public func write(_ state: State) -> String? {
    var json = JSON.object([])
    json.set("inForce", state.mark.map { .string($0) })
    json.set("replaces", state.replaces.map { .string($0) })
    if let trial = state.trial {
      var value: JSON = ["file": .string(trial.mark)]
      value.set("replaces", trial.replaces.map { .string($0) })
      value.set("id", Self.json(trial.order.id))
      value.set("topic", trial.order.topic.map { .string($0) })
      json.set("trial", value)
    }
    return put(json.pretty(), as: Self.stateFile)
  }

  private static func json(_ id: CommandID) -> JSON? {
    switch id {
    case .number(let number): .integer(number)
    case .text(let text): .string(text)
    case .unusable: nil
    }
  }

  private static func id(_ json: JSON?) -> CommandID? {
    switch json {
    case .integer(let number)?: .number(number)
    case .string(let text)?: .text(text)
    case _: nil
    }
  }

  // MARK: Files

  /// Removes what the state does not name. The request stays where it waits for a certificate.
  public func tidy(_ state: State, keepsRequest: Bool) {
    var kept: Set<String> = [Self.stateFile]
    for mark in [state.mark, state.trial?.mark] { if let mark { kept.insert(mark + ".pem") } }
    if keepsRequest { kept.formUnion([Self.keyFile, Self.requestFile]) }
    for name in names() where !kept.contains(name) { unlink(path + "/" + name) }
  }

  private func names() -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      names.append(
        withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        })
    }
    return names.filter { $0 != "." && $0 != ".." }
  }

  /// Nil: it cannot be read, or is larger than such a file may be.
  public static func read(_ file: String) -> [UInt8]? { try? content(of: file).get() }

  private static func content(of file: String) -> Result<[UInt8], Fault> {
    let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return .failure(unreadable()) }
    defer { close(descriptor) }
    var (bytes, count) = ([UInt8](repeating: 0, count: limit + 1), 0)
    while count <= limit {
      let more = bytes.withUnsafeMutableBytes {
        Glibc.read(descriptor, $0.baseAddress! + count, $0.count - count)
      }
      guard more >= 0 else { return .failure(unreadable()) }
      if more == 0 { return .success(Array(bytes.prefix(count))) }
      count += more
    }
    return .failure(Fault(words: "has more than \(limit) bytes, expected no more"))
  }

  private static func unreadable() -> Fault {
    Fault(words: "cannot be read: \(String(cString: strerror(errno)))", isMissing: errno == ENOENT)
  }

  /// For the daemon alone, whole, and on the disk when it returns. Why not, or nil.
  func put(_ bytes: [UInt8], as name: String) -> String? {
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { return Self.failure(path) }
    let (file, draft) = ("\(path)/\(name)", "\(path)/\(name).new")
    let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
    let descriptor = open(draft, flags, 0o600)
    guard descriptor >= 0 else { return Self.failure(draft) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return abandon(draft, descriptor) }
      rest = rest.dropFirst(count)
    }
    guard fsync(descriptor) == 0 else { return abandon(draft, descriptor) }
    close(descriptor)
    guard rename(draft, file) == 0, Self.sync(path) else { return Self.failure(file) }
    return nil
  }

  private func abandon(_ draft: String, _ descriptor: Int32) -> String {
    let words = Self.failure(draft)
    close(descriptor)
    unlink(draft)
    return words
  }

  /// The folder itself as well, of which the disk may know nothing yet.
  private static func sync(_ folder: String) -> Bool {
    [folder, folder + "/.."].allSatisfy { path in
      let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      guard descriptor >= 0 else { return false }
      defer { close(descriptor) }
      return fsync(descriptor) == 0
    }
  }

  private static func failure(_ path: String) -> String {
    "\(path): cannot be written: \(String(cString: strerror(errno)))"
  }
}
