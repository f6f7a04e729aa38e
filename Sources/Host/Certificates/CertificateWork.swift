import Glibc
import Loop
import Model
import OwnTracks
import Timebase

/// Makes keys and requests, and looks at what comes for them. The program `openssl` does what takes a secret or a
/// signature; files are read and written on a worker. One thing at a time.
public final class CertificateWork {
  /// Files that the connection uses at present.
  public struct Present: Hashable, Sendable {
    /// The board's own.
    public var certificate: String
    /// Empty: the system's list.
    public var authorities: String

    /// Paths.
    public init(certificate: String, authorities: String) {
      (self.certificate, self.authorities) = (certificate, authorities)
    }
  }

  /// Why something was not done, in a line for the sender of the command.
  public struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
    public var description: String

    /// In one line, whatever it quotes.
    public init(_ text: String) { description = text.plainLine }
  }

  /// The verdict on a certificate that came.
  public enum Finding: Hashable, Sendable {
    /// It is the present one.
    case known(BoardCertificate)
    /// It may be tried, and lies in the folder with its key.
    case new(BoardCertificate)
  }

  /// Something is being done.
  public private(set) var isBusy = false

  private let loop: EventLoop
  private let worker: Worker
  private let folder: CertificateFolder
  private let search: String
  private var isClosed = false
  private var child: ChildProgram?
  private var next: ((ChildProgram.Outcome) -> Void)?

  private typealias Answer<Value> = (Result<Value, Refusal>) -> Void

  /// `search`: folders where programs are, `PATH`.
  public init(loop: EventLoop, worker: Worker, folder: CertificateFolder, search: String) {
    (self.loop, self.worker, self.folder, self.search) = (loop, worker, folder, search)
  }

  /// The worker ends.
  public func close() {
    isClosed = true
    child?.close()
    (child, next) = (nil, nil)
  }

  // MARK: A request

  /// As PEM. The key that waits already is used again.
  public func request(
    _ present: Present, then: @escaping (Result<String, Refusal>) -> Void
  ) {
    let done = begin(then)
    let folder = folder
    perform(or: done) {
      let old = try Self.certificate(present.certificate)
      let hasKey = access(folder.path + "/" + CertificateFolder.keyFile, R_OK) == 0
      let made = CertificateFolder.read(folder.path + "/" + CertificateFolder.requestFile)
      let isGood = hasKey && made.flatMap { CertificateRequest.read(pem: $0) }?.name == old.holder.name
      return (subject: old.holder.subject, hasKey: hasKey, made: isGood ? made : nil)
    } then: { [unowned self] found in
      if let made = found.made { return done(.success(String(decoding: made, as: UTF8.self))) }
      guard found.hasKey else {
        return makeKey(done) { [unowned self] in sign(for: found.subject, done) }
      }
      sign(for: found.subject) { [folder] result in
        // The disk may have damaged it: the next order begins with another one.
        if case .failure = result { unlink(folder.path + "/" + CertificateFolder.keyFile) }
        done(result)
      }
    }
  }

  private func makeKey<Value>(_ done: @escaping Answer<Value>, then: @escaping () -> Void) {
    run(["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"], done) {
      [unowned self, folder] key in
      guard PEM.first("PRIVATE KEY", in: key) != nil else {
        return done(.failure(Refusal("openssl made no key")))
      }
      perform(or: done) {
        try Self.put(key, as: CertificateFolder.keyFile, in: folder)
      } then: {
        then()
      }
    }
  }

  private func sign(for subject: String, _ done: @escaping Answer<String>) {
    let key = folder.path + "/" + CertificateFolder.keyFile
    run(["req", "-new", "-batch", "-utf8", "-sha256", "-subj", subject, "-key", key], done) {
      [unowned self, folder] made in
      guard CertificateRequest.read(pem: made) != nil else {
        return done(.failure(Refusal("openssl made no request")))
      }
      perform(or: done) {
        try Self.put(made, as: CertificateFolder.requestFile, in: folder)
      } then: {
        done(.success(String(decoding: made, as: UTF8.self)))
      }
    }
  }

  // MARK: A certificate

  /// Looks at it, and puts it beside its key. `now`: Unix seconds.
  public func take(
    _ text: String, _ present: Present, now: Int, then: @escaping (Result<Finding, Refusal>) -> Void
  ) {
    let done = begin(then)
    let folder = folder
    perform(or: done) {
      let old = try Self.certificate(present.certificate)
      let bytes = Array(text.utf8)
      guard let new = BoardCertificate(pem: bytes), PEM.first("PRIVATE KEY", in: bytes) == nil else {
        throw Refusal("certificate: cannot be read, expected PEM, of a certificate and of no key")
      }
      if new.der == old.der { return Finding.known(new) }
      guard let key = CertificateFolder.read(folder.path + "/" + CertificateFolder.keyFile),
        let request = CertificateFolder.read(folder.path + "/" + CertificateFolder.requestFile)
          .flatMap({ CertificateRequest.read(pem: $0) })
      else { throw Refusal("certificate: no request waits for one, expected requestCertificate before") }
      if let why = new.refusal(inPlaceOf: old, request: request, now: now) { throw Refusal(why) }
      let end = bytes.last == UInt8(ascii: "\n") ? [] : [UInt8(ascii: "\n")]
      try Self.put(bytes + end + key, as: new.mark + ".pem", in: folder)
      return Finding.new(new)
    } then: { [unowned self] found in
      guard case .new(let new) = found, !present.authorities.isEmpty else { return done(.success(found)) }
      verify(new, present, done)
    }
  }

  /// The authorities that the broker's certificate is checked against may be others than those of the boards: they
  /// count where they have signed the present certificate.
  private func verify(
    _ new: BoardCertificate, _ present: Present, _ done: @escaping Answer<Finding>
  ) {
    let file = folder.pair(new.mark)
    let common = ["verify", "-purpose", "sslclient", "-partial_chain", "-CAfile", present.authorities]
    perform(common + ["-no_check_time", "-untrusted", present.certificate, present.certificate], done) {
      [unowned self] old in
      guard case .said = old else { return done(.success(.new(new))) }
      perform(common + ["-no_check_time", "-untrusted", file, file], done) { signed in
        guard case .said = signed else {
          unlink(file)
          let words = "certificate: is not signed by an authority of tlsCaFile, which signed the present one"
          return done(.failure(Refusal(words)))
        }
        done(.success(.new(new)))
      }
    }
  }

  // MARK: Steps

  private func begin<Value>(_ then: @escaping Answer<Value>) -> Answer<Value> {
    releaseAssert(!isBusy, "two orders at a time about the certificate")
    isBusy = true
    return { [weak self] result in
      self?.isBusy = false
      then(result)
    }
  }

  /// On the worker.
  private func perform<Value: Sendable, Final>(
    or done: @escaping Answer<Final>, _ job: @escaping @Sendable () throws -> Value,
    then: @escaping (Value) -> Void
  ) {
    worker.perform(in: .others) {
      Result { try job() }
    } then: { result in
      switch result {
      case .success(let value): then(value)
      case .failure(let error): done(.failure(error as? Refusal ?? Refusal("\(error)")))
      }
    }
  }

  /// The output of `openssl`.
  private func run<Final>(
    _ words: [String], _ done: @escaping Answer<Final>, then: @escaping ([UInt8]) -> Void
  ) {
    perform(words, done) { outcome in
      switch outcome {
      case .said(let bytes): then(bytes)
      case .failed(let why), .hung(let why): done(.failure(Refusal(why)))
      }
    }
  }

  private func perform<Final>(
    _ words: [String], _ done: @escaping Answer<Final>, then: @escaping (ChildProgram.Outcome) -> Void
  ) {
    guard let program = program else {
      return done(.failure(Refusal("openssl is not installed on this board: apt install openssl")))
    }
    guard !isClosed else { return }
    next = then
    let child = ChildProgram(loop: loop, words: [program], timeout: .seconds(30)) { [weak self] event in
      guard case .ended(let outcome) = event, let self, let next else { return }
      self.next = nil
      next(outcome)
    }
    // The one before is busy until it is reaped.
    self.child = child
    child.start([program] + words)
  }

  private var program: String? {
    search.split(separator: ":").map { "\($0)/openssl" }.first { access($0, X_OK) == 0 }
  }

  private static func certificate(_ path: String) throws -> BoardCertificate {
    guard let bytes = CertificateFolder.read(path), let certificate = BoardCertificate(pem: bytes) else {
      throw Refusal("\(path): cannot be read, expected the board's present certificate as PEM")
    }
    return certificate
  }

  private static func put(_ bytes: [UInt8], as name: String, in folder: CertificateFolder) throws {
    if let why = folder.put(bytes, as: name) { throw Refusal(why) }
  }
}
