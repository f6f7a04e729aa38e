import Loop
import Model
import Timebase

/// The connection to gpsd: connects, watches, reconnects without end, and posts what the receiver reports.
///
/// ```
///             ┌──────────── 1 s or 2 s ────────────┐
///   stopped ─▶ attempt ─▶ (resolving) ─▶ connecting ─▶ connected ── ended ─▶ waiting ─▶ attempt
///      ▲                                                  │ silent 60 s ─▶ attempt
///      └──────────── at rest and not connected ───────────┘
/// ```
/// All of it runs on the loop's thread; only the name service is asked on the worker.
public final class GPSD: PositionSource {
  /// In events, reasons and answers.
  static let name = "gpsd"

  private enum State {
    case stopped
    case waiting
    case resolving(attempt: Int)
    case connecting(GPSDSocket, Watch, others: [GPSDAddress])
    case connected(GPSDSocket, Watch)
  }

  private let loop: EventLoop
  private let worker: Worker
  private let post: (PositionSourceEvent) -> Void
  private var settings: Settings
  private let lines = GPSDLines()
  private var reports: GPSDReports
  private var silence: GPSDSilence
  private lazy var timer = loop.makeTimer { [unowned self] in timerFired() }
  private var state = State.stopped
  private var isAwake = true
  /// Whether gpsd repeats to us what the receiver says.
  private var hearsWords = false
  /// Reachability as last posted: nil before the first time.
  private var saidReached: Bool?
  private var failingSince: Instant?
  private var failure: GPSDFailure?
  private var attempts = 0
  /// Of the receiver, as the journal has it; nil: none.
  private var saidTrouble: String?

  /// A connection that takes longer than this is none.
  static let connectTimeout = Span.seconds(5)
  /// While gpsd is away: eagerly at first, since it mostly comes back within a restart.
  static let eagerPeriod = Span.minutes(1)

  /// A look that heard nothing for so long says something of the receiver, before it rests again.
  static let longLook = Span.seconds(30)

  /// Opens nothing before `start`. `worker`: for the name service, which may take seconds.
  public init(
    loop: EventLoop, worker: Worker, settings: Settings, post: @escaping (PositionSourceEvent) -> Void
  ) {
    self.loop = loop
    self.worker = worker
    self.settings = settings
    self.post = post
    reports = GPSDReports(device: settings.device, isMonitored: settings.isMonitored)
    silence = GPSDSilence(at: loop.now.instant)
  }

  /// Begins; returns at once whatever gpsd does.
  public func start() {
    guard case .stopped = state, isAwake else { return }
    silence = GPSDSilence(at: now)
    attempt()
  }

  /// Takes its part of the settings.
  public func configure(_ settings: Configuration.Receiver) { configure(Settings(settings)) }

  /// Takes new settings; only a change of them touches the connection.
  func configure(_ settings: Settings) {
    guard settings != self.settings else { return }
    leave()
    self.settings = settings
    let wasStarted = if case .stopped = state { false } else { true }
    drop()
    reports = GPSDReports(device: settings.device, isMonitored: settings.isMonitored)
    if wasStarted { start() }
  }

  /// False: we stop watching, so that gpsd can let the receiver rest; nothing is posted until true. With `receiverSleep`
  /// the receiver is put to sleep before that.
  public func setAwake(_ awake: Bool, rest: Span? = nil) {
    guard awake != isAwake else { return }
    isAwake = awake
    switch (awake, state) {
    case (false, .connected(let socket, _)):
      reportTrouble(after: Self.longLook)
      timer.set(at: nil)
      let order = settings.sleeps ? ReceiverSleep.command(.asleep(for: rest), to: reports.receivers) : ""
      reports.rest()
      if !socket.send(order + Self.unwatchCommand) { drop() }
    case (false, _): drop()
    case (true, .connected(let socket, _)):
      // Nobody has asked it meanwhile.
      silence = GPSDSilence(at: now)
      watch(socket)
    case (true, _): start()
    }
  }

  /// Ends the connection and every timer; `start` begins anew.
  public func close() {
    leave()
    drop()
  }

  /// No receiver is left asleep that nobody would wake.
  private func leave() {
    guard !isAwake, case .connected(let socket, _) = state else { return }
    // It wakes by its own timer where this does not arrive, if it has one.
    _ = socket.send(wakeCommand)
  }

  /// Empty: none that is known to understand it, or not wanted.
  private var wakeCommand: String {
    settings.sleeps ? ReceiverSleep.command(.awake, to: reports.receivers) : ""
  }

  /// Put together when it is asked for.
  public var status: PositionSourceStatus {
    var status = PositionSourceStatus(name: Self.name)
    if case .connected = state { status.isReached = true }
    status.version = reports.version
    if let chosen = reports.receivers.chosen ?? reports.receivers.known.indices.first {
      status.device = reports.receivers.known[chosen].path
      status.driver = reports.receivers.known[chosen].driver
    }
    status.mode = reports.mode
    status.satellitesUsed = reports.satellites?.used
    status.satellitesSeen = reports.satellites?.seen
    status.lastReport = reports.lastReport
    status.malformedLines = reports.malformed + lines.overlong
    status.cause = cause
    status.silence = receiverSilence
    (status.interference, status.isMonitorSilent) = (
      reports.monitor?.latest, reports.monitor?.isSilent ?? false
    )
    return status
  }

  private var now: Instant { loop.now.instant }

  // MARK: Reaching gpsd

  private func attempt() {
    attempts += 1
    if let addresses = GPSDAddress.direct(host: settings.host, port: settings.port) {
      connect(to: addresses)
      return
    }
    state = .resolving(attempt: attempts)
    let (host, port, mine) = (settings.host, settings.port, attempts)
    worker.perform(
      { GPSDAddress.lookUp(host: host, port: port) },
      then: { [weak self] answer in self?.resolved(answer, attempt: mine) })
  }

  private func resolved(_ answer: Result<[GPSDAddress], GPSDFailure>, attempt: Int) {
    // The settings may have changed while the name service thought.
    guard case .resolving(let current) = state, current == attempt else { return }
    switch answer {
    case .success(let addresses): connect(to: addresses)
    case .failure(let failure): fail(failure)
    }
  }

  private func connect(to addresses: [GPSDAddress]) {
    var failure = GPSDFailure("no address to connect to")
    for (index, address) in addresses.enumerated() {
      switch GPSDSocket.open(address) {
      case .connected(let socket):
        opened(socket, watch(reading: socket))
        return
      case .underway(let socket):
        let watch = loop.watch(socket.descriptor, for: .write) { [unowned self] _ in settled() }
        state = .connecting(socket, watch, others: Array(addresses[(index + 1)...]))
        timer.set(at: now + Self.connectTimeout)
        return
      case .failed(let why): failure = why
      }
    }
    fail(failure)
  }

  private func settled() {
    guard case .connecting(let socket, let watch, let others) = state else { return }
    if let failure = socket.outcome { return giveUp(failure, others) }
    watch.cancel()
    opened(socket, self.watch(reading: socket))
  }

  private func giveUp(_ failure: GPSDFailure, _ others: [GPSDAddress]) {
    // Closed once: its number may be another thread's file by now.
    drop()
    if others.isEmpty { fail(failure) } else { connect(to: others) }
  }

  private func watch(reading socket: GPSDSocket) -> Watch {
    loop.watch(socket.descriptor, for: .read) { [unowned self] _ in readable() }
  }

  private func opened(_ socket: GPSDSocket, _ watch: Watch) {
    state = .connected(socket, watch)
    lines.reset()
    reports.reset()
    hearsWords = false
    self.watch(socket)
  }

  private func watch(_ socket: GPSDSocket) {
    guard ask(socket, and: wakeCommand) else { return }
    silence.reconnected(at: now)
    timer.set(at: nextLook)
  }

  /// For what is wanted now. False: the connection is given up.
  private func ask(_ socket: GPSDSocket, and more: String = "") -> Bool {
    let command = settings.watchCommand(words: reports.wantsWords, before: hearsWords)
    hearsWords = reports.wantsWords
    if socket.send(command + more) { return true }
    fail(GPSDFailure("gpsd takes no commands"))
    return false
  }

  /// gpsd is not available: say so once, try again later. Never at once, so nothing can spin.
  private func fail(_ failure: GPSDFailure) {
    drop()
    self.failure = failure
    let since = failingSince ?? now
    failingSince = since
    guard isAwake else { return }
    state = .waiting
    timer.set(at: now + (isNear && now - since < Self.eagerPeriod ? .seconds(1) : .seconds(2)))
    guard saidReached != false else { return }
    saidReached = false
    post(.lost(name: Self.name, cause: "\(settings.endpoint): \(failure.cause)"))
  }

  /// Elsewhere an attempt costs two wake-ups, here one.
  private var isNear: Bool {
    GPSDAddress.direct(host: settings.host, port: settings.port)?.allSatisfy(\.isLoopback) ?? false
  }

  private func drop() {
    timer.set(at: nil)
    switch state {
    case .connecting(let socket, let watch, _), .connected(let socket, let watch):
      watch.cancel()
      socket.close()
    case .stopped, .waiting, .resolving: break
    }
    lines.reset()
    state = .stopped
  }

  // MARK: Hearing gpsd

  private func readable() {
    guard case .connected(let socket, _) = state else { return }
    switch socket.receive(into: lines.space, atMost: lines.free) {
    case .bytes(let count): lines.accept(count, heard)
    case .nothing: break
    case .ended(let failure): fail(failure)
    }
  }

  private func heard(_ line: UnsafeMutablePointer<CChar>, _ length: Int) {
    // A line that was under way when the receiver was sent to rest.
    guard isAwake else { return }
    let reading = reports.take(line, length, at: now)
    if reports.lastReport == now { reported() }
    if reports.version != nil { greeted() }
    deliver(reading)
  }

  /// Held readings come first. And gpsd may have to repeat something else now.
  private func deliver(_ reading: Reading?) {
    let monitor = reports.monitor
    let hasQuestion = monitor?.takeQuestion() ?? false
    if reports.wantsWords != hearsWords || hasQuestion, case .connected(let socket, _) = state {
      let question = hasQuestion ? UBX.command(InterferencePacket.questions, to: reports.receivers) : ""
      guard ask(socket, and: question) else { return }
      timer.set(at: nextLook)
    }
    if let found = monitor?.takeNews() { post(.interference(found)) }
    for earlier in reports.takeHeld() { post(.reading(earlier)) }
    if let reading { post(.reading(reading)) }
  }

  private var nextLook: Instant { min(silence.next, reports.decidesAt ?? silence.next) }

  private func reported() {
    silence.reported(at: now)
    guard saidTrouble != nil else { return }
    saidTrouble = nil
    post(.info("the receiver reports again"))
  }

  private func greeted() {
    failure = nil
    failingSince = nil
    guard saidReached != true else { return }
    saidReached = true
    post(.reached(name: Self.name, at: settings.endpoint))
  }

  private func timerFired() {
    switch state {
    case .waiting:
      // That it was away is no silence.
      silence = GPSDSilence(at: now)
      attempt()
    case .connecting(_, _, let others):
      giveUp(GPSDFailure("no answer within \(Int(Self.connectTimeout.seconds)) s"), others)
    case .connected(let socket, _): lookAtSilence(socket)
    case .stopped, .resolving: break
    }
  }

  private func lookAtSilence(_ socket: GPSDSocket) {
    if let until = reports.decidesAt, until <= now { deliver(reports.patienceIsOver(at: now)) }
    guard case .connected = state else { return }
    if silence.becameWedged(at: now), let cause { post(.warning(cause)) }
    reportTrouble()
    switch silence.step(at: now) {
    case .wait: timer.set(at: nextLook)
    case .watchAgain:
      // One that was left asleep by a daemon that was killed says nothing either.
      if ask(socket, and: wakeCommand) { timer.set(at: nextLook) }
    case .reconnect:
      drop()
      attempt()
    }
  }

  /// A receiver that is not there at once, one that says nothing after a while: it may only be slow.
  private func reportTrouble(after patience: Span = GPSDSilence.reconnectAfter) {
    let isLong = now - silence.since >= patience
    guard reports.version != nil, let trouble = missingReceiver ?? (isLong ? silentReceiver : nil) else {
      return
    }
    guard saidTrouble != trouble else { return }
    saidTrouble = trouble
    post(.warning(trouble))
  }

  // MARK: Why there is no position

  private var cause: String? {
    if let failure { return "gpsd at \(settings.endpoint): \(failure.cause)" }
    guard case .connected = state else { return isAwake ? "connecting to gpsd" : "the receiver rests" }
    if !isAwake { return "the receiver rests" }
    if reports.version == nil { return "what listens at \(settings.endpoint) does not greet like gpsd" }
    let quiet = now - silence.since
    if reports.mode >= 2, quiet < patience { return nil }
    if let missing = missingReceiver { return missing }
    if silence.isWedged(at: now) {
      return "gpsd wedged: connected, but no report for \(Int(quiet.seconds / 60)) minutes"
    }
    if receiverSilence != nil { return "\(silentReceiver), for \(Int(quiet.seconds)) s" }
    if reports.monitor?.latest?.jamming == .critical { return "the receiver is jammed, and has no fix" }
    return reports.isVoid
      ? "the receiver has no fix, and repeats its last position" : "the receiver has no fix"
  }

  /// How long gpsd has had nothing to report about a receiver that it has. A receiver without a view of the sky is
  /// not silent: it reports that it has no fix. Nil: it reports, or is not asked.
  private var receiverSilence: Span? {
    guard isAwake, case .connected = state, reports.version != nil, missingReceiver == nil else { return nil }
    let quiet = now - silence.since
    return quiet >= patience ? quiet : nil
  }

  private var patience: Span { max(GPSDSilence.watchInterval, reports.receivers.pace) }

  private var silentReceiver: String {
    let known = reports.receivers.known
    let names = known.map(\.path).joined(separator: ", ")
    guard !known.isEmpty, !known.contains(where: \.isActive) else { return "the receiver sends nothing" }
    return "gpsd has \(names) and cannot read it: unplugged?"
  }

  private var missingReceiver: String? {
    guard let listed = reports.listed else { return nil }
    if listed.isEmpty { return "gpsd has no receiver" }
    guard !settings.device.isEmpty, !listed.contains(settings.device) else { return nil }
    return "gpsd has no receiver \(settings.device); it has \(listed.joined(separator: ", "))"
  }
}
