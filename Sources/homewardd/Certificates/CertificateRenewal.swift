import Core
import Glibc
import Host
import Loop
import Model
import OwnTracks
import Timebase
import Uplink

/// Renews the board's certificate on orders over the network:
///
///     the configuration's, or an earlier one ──(setCertificate)──▶ on trial ──(the server accepts it)──▶ in force
///                                      ▲                              │
///                                      └─────(the server does not)────┘
///
/// A trial that ends with the program is begun again by the next start. The files of the configuration are never
/// touched: a certificate that it names anew counts.
///
/// The state alone says what is in force. Where the disk does not give it, nothing is removed, the one pair that can
/// be it is used for as long as the server accepts it, and the disk is asked again.
final class CertificateRenewal {
  private static let look = Span.seconds(1)
  /// A disk that is full now may have room later.
  private static let nextWrite = Span.seconds(30)
  /// One that does not give a file now may do so later.
  private static let nextRead = Span.minutes(1)

  private let loop: EventLoop
  private let disk: Worker
  private let settings: SettingsInForce
  private let host: TrackerHost
  private let connection: ServerConnection
  private let papers: BoardPapers
  private let log: ServiceLog
  private let folder: CertificateFolder
  private let work: CertificateWork
  private var state = CertificateFolder.State()
  /// Why it is not known, in a line; nil: it is.
  private var unknown: String?
  private var trial: CertificateTrial?
  /// The one that is being worked on.
  private var order: CertificateOrder?
  /// The server has accepted it, and the disk does not know yet.
  private var isSettling = false
  private var timer: Timer?

  init(
    loop: EventLoop, disk: Worker, settings: SettingsInForce, host: TrackerHost, connection: ServerConnection,
    papers: BoardPapers, log: ServiceLog
  ) {
    (self.loop, self.disk, self.settings, self.host) = (loop, disk, settings, host)
    (self.connection, self.papers, self.log) = (connection, papers, log)
    folder = CertificateFolder(in: settings.configuration.board.stateDir)
    let search = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
    work = CertificateWork(loop: loop, worker: disk, folder: folder, search: search)
    take(folder.state())
    timer = loop.makeTimer { [unowned self] in timerFired() }
  }

  /// The connection has been configured.
  func begin() {
    if let unknown {
      let use = settings.renewed.map { "\($0) is used" } ?? "the certificate of tlsClientCert is used"
      log.say(.error, "certificate: \(unknown); \(use), and the files beside it are kept")
      return settings.renewed == nil ? readLater() : beginTrial()
    }
    if look() { connection.configure() }
    if let tried = state.trial {
      guard isUsed(tried.mark) else { return withdraw(tried) }
      beginTrial()
    } else if isMissing, let mark = state.mark {
      let why = CertificateFolder.fault(of: folder.pair(mark)) ?? "\(folder.pair(mark)): is not used"
      log.say(.error, "certificate: \(why); the certificate of tlsClientCert is used")
      readLater()
    }
    disk.perform(in: .others) { [folder, state] in
      folder.tidy(state, keepsRequest: true)
    } then: {
    }
  }

  func close() {
    work.close()
    timer?.cancel()
  }

  /// The configuration may name another certificate, or have another one under the same name. True: the connection is to
  /// be configured.
  func look() -> Bool {
    let configured = settings.configuration.tls.clientCertificate
    guard state.mark != nil || state.trial != nil, !configured.isEmpty,
      let mark = CertificateFolder.mark(of: configured)
    else { return false }
    // The one that it replaces could not be read then.
    if state.replaces == nil { state.replaces = mark }
    let expected = state.trial?.replaces ?? state.replaces
    guard mark != expected else { return false }
    log.say(
      .info, "\(configured) is another certificate than the renewed one was made for, and counts from now on")
    let order = state.trial?.order
    (state, unknown, trial, isSettling) = (CertificateFolder.State(), nil, nil, false)
    use(nil)
    timer?.set(at: nil)
    write(state, keepsRequest: false) { _ in }
    if let order { answer(order, .refused, "tlsClientCert names another certificate now") }
    return true
  }

  // MARK: What the disk gives

  private func take(_ reading: CertificateFolder.Reading) {
    let configured = settings.configuration.tls.clientCertificate
    switch reading {
    case .known(let known): (state, unknown) = (known, nil)
    case .unknown(let why):
      unknown = why
      state.mark = folder.onlyMark(inPlaceOf: configured)
      state.replaces = state.mark == nil ? nil : CertificateFolder.mark(of: configured)
    }
    settings.renewed = folder.renewed(state, of: configured)
  }

  /// Something is in force and its file cannot be read.
  private var isMissing: Bool {
    state.mark != nil && settings.renewed == nil && !settings.configuration.tls.clientCertificate.isEmpty
  }

  private func readLater() { timer?.set(at: loop.now.instant + Self.nextRead) }

  func readAgain() {
    guard unknown != nil || isMissing else { return }
    readLater()
    disk.perform(in: .others) { [folder, configured = settings.configuration.tls.clientCertificate] in
      let reading = folder.state()
      return (reading, folder.renewed(reading, of: configured))
    } then: { [unowned self] (reading, renewed) in
      // An order that came meanwhile counts.
      guard unknown != nil || isMissing, trial == nil, state.trial == nil, !work.isBusy else { return }
      guard case .known = reading, unknown != nil || renewed != nil else { return }
      let before = settings.renewed
      take(reading)
      log.say(.info, "certificate: \(folder.path) can be read again")
      timer?.set(at: nil)
      if settings.renewed != before {
        use(settings.renewed)
        connection.configure()
      }
      begin()
    }
  }

  /// The certificate that the connection shows once it is configured, and whose end is told.
  private func use(_ file: String?) {
    settings.renewed = file
    papers.configure(certificate: settings.connecting.tls.clientCertificate)
  }

  // MARK: Orders

  func obey(_ order: CertificateOrder) {
    if isRepeated(order) { return }
    if let why = obstacle(to: order) {
      return host.post(.certificateSettled(order.result(.refused, reason: why)))
    }
    let files = CertificateWork.Present(
      certificate: settings.connecting.tls.clientCertificate, authorities: settings.connecting.tls.caFile)
    self.order = order
    switch order.step {
    case .request:
      work.request(files) { [host, log] made in
        var result = order.result(.done)
        switch made {
        case .success(let request):
          result.request = request
          log.say(.info, "certificate: requested one, on command")
        case .failure(let why): result = order.result(.refused, reason: "\(why)")
        }
        host.post(.certificateSettled(result))
      }
    case .take(let text):
      guard let now = host.wall?.wholeSeconds else {
        let why = "no clock is trusted yet, by which a certificate could be judged"
        return host.post(.certificateSettled(order.result(.refused, reason: why)))
      }
      work.take(text, files, now: now) { [unowned self] found in
        switch found {
        case .success(.known(let present)):
          host.post(
            .certificateSettled(order.result(.done, reason: "in force already, until \(present.lastDay)")))
        case .success(.new(let new)): tryOut(new, .init(id: order.id, topic: order.topic))
        case .failure(let why): host.post(.certificateSettled(order.result(.refused, reason: "\(why)")))
        }
      }
    }
  }

  /// The same once more while it is being worked on, by who waits for its answer.
  private func isRepeated(_ order: CertificateOrder) -> Bool {
    if work.isBusy { return order == self.order }
    guard let trial = state.trial, case .take(let text) = order.step else { return false }
    return trial.order.id == order.id && BoardCertificate(pem: Array(text.utf8))?.mark == trial.mark
  }

  /// Why it cannot be obeyed now; nil: it can.
  private func obstacle(to order: CertificateOrder) -> String? {
    let connecting = settings.connecting
    if settings.isHTTP {
      return "only a connection to a broker can try a certificate, and messages are posted"
    }
    if !connecting.tls.isOn || connecting.tls.clientCertificate.isEmpty {
      return "there is no certificate in use to be renewed (tls, tlsClientCert)"
    }
    if work.isBusy { return "an earlier command about the certificate is being worked on" }
    if state.trial != nil || isSettling { return "another certificate is on trial" }
    return nil
  }

  private func answer(
    _ order: CertificateFolder.State.Order, _ outcome: CommandResult.Outcome, _ reason: String
  ) {
    let order = CertificateOrder(.take(""), id: order.id, topic: order.topic)
    host.post(.certificateSettled(order.result(outcome, reason: reason)))
  }

  // MARK: The trial

  private func tryOut(_ new: BoardCertificate, _ order: CertificateFolder.State.Order) {
    let replaces = CertificateFolder.mark(of: settings.configuration.tls.clientCertificate) ?? state.replaces
    state.trial = .init(mark: new.mark, replaces: replaces, order: order)
    write(state, keepsRequest: true) { [unowned self] why in
      guard let trial = state.trial, trial.mark == new.mark else { return }
      if let why {
        state.trial = nil
        return answer(order, .refused, why)
      }
      // Over the connection with what was used: that is what is in force, and the disk knows it now.
      unknown = nil
      log.say(.info, "certificate: trying one that ends \(new.lastDay)")
      settings.renewed = folder.pair(trial.mark)
      beginTrial()
      connection.configure()
    }
  }

  private func beginTrial() {
    trial = CertificateTrial(after: connection.status)
    timer?.set(at: loop.now.instant + Self.look)
  }

  /// The connection shows it to the server: with another one, or none, a connection proves nothing.
  private func isUsed(_ mark: String) -> Bool {
    let tls = settings.connecting.tls
    return !settings.isHTTP && tls.isOn && tls.clientCertificate == folder.pair(mark)
  }

  private func timerFired() {
    if isSettling { return settle() }
    guard trial != nil else { return readAgain() }
    if let tried = state.trial, !isUsed(tried.mark) { return withdraw(tried) }
    guard let status = connection.status else { return timer?.set(at: loop.now.instant + Self.look) ?? () }
    switch trial?.look(at: status) {
    case nil: break
    case .open: timer?.set(at: loop.now.instant + Self.look)
    case .stands: settle()
    case .failed(let cause): goBack(because: cause)
    }
  }

  /// The server has accepted it.
  func settle() {
    guard let tried = state.trial else {
      trial = nil
      return readLater()
    }
    (trial, isSettling) = (nil, true)
    var proven = CertificateFolder.State()
    (proven.mark, proven.replaces) = (tried.mark, tried.replaces ?? state.replaces)
    write(proven, keepsRequest: false) { [unowned self] why in
      guard isSettling, state.trial == tried else { return }
      if let why {
        log.say(
          .warning, "certificate: the new one is in use, and would be tried again after a restart: \(why)")
        timer?.set(at: loop.now.instant + Self.nextWrite)
        return
      }
      (state, isSettling) = (proven, false)
      let file = folder.pair(tried.mark)
      papers.configure(certificate: file)
      let end = CertificateFolder.certificate(file)?.lastDay ?? "an unknown time"
      log.say(.info, "certificate: a new one is in force, until \(end)")
      answer(tried.order, .done, "in force until \(end)")
    }
  }

  private func goBack(because cause: BrokerCause) {
    guard let tried = state.trial else { return giveUpOnlyPair(because: cause) }
    (trial, state.trial) = (nil, nil)
    use(folder.renewed(state, of: settings.configuration.tls.clientCertificate))
    connection.configure()
    if isMissing { readLater() }
    let words = "the broker does not accept it (\(cause)); the old certificate is in use again"
    log.say(.warning, "certificate: \(words)")
    write(state, keepsRequest: true) { [unowned self] why in
      if let why {
        log.say(.warning, "certificate: the new one would be tried again after a restart: \(why)")
      }
      answer(tried.order, .refused, words)
    }
  }

  /// It was used without a state that says so.
  private func giveUpOnlyPair(because cause: BrokerCause) {
    log.say(
      .warning,
      "certificate: the broker does not accept \(settings.connecting.tls.clientCertificate) (\(cause)); "
        + "the certificate of tlsClientCert is used, and the files are kept")
    (trial, state) = (nil, CertificateFolder.State())
    use(nil)
    connection.configure()
    readLater()
  }

  /// The trial cannot go on: what is to be tried is not what the connection shows.
  private func withdraw(_ tried: CertificateFolder.State.Trial) {
    let tls = settings.connecting.tls
    let isWithout = settings.isHTTP || !tls.isOn || tls.clientCertificate.isEmpty
    let fault = isWithout ? nil : CertificateFolder.fault(of: folder.pair(tried.mark))
    let words = fault ?? "the connection shows no certificate to a broker now (mode, tls, tlsClientCert)"
    (trial, state.trial) = (nil, nil)
    use(folder.renewed(state, of: settings.configuration.tls.clientCertificate))
    connection.configure()
    log.say(.warning, "certificate: the trial is over: \(words)")
    // A file that cannot be read now may be good: it stays until another start.
    write(state, keepsRequest: true, tidies: fault == nil) { [unowned self] why in
      if let why { log.say(.warning, "certificate: the trial would begin again after a restart: \(why)") }
      answer(tried.order, .refused, words)
    }
  }

  /// Files that the state does not name are removed once it is on the disk. `then` is told why it is not, or nil.
  private func write(
    _ state: CertificateFolder.State, keepsRequest: Bool, tidies: Bool = true,
    then: @escaping (String?) -> Void
  ) {
    disk.perform(in: .others) { [folder] in
      let why = folder.write(state)
      if why == nil, tidies { folder.tidy(state, keepsRequest: keepsRequest) }
      return why
    } then: {
      then($0)
    }
  }
}
