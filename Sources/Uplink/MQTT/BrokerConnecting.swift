import CMosquitto
import Glibc
import Loop
import Model
import Timebase

/// From the decision to connect to the broker's greeting.
extension Broker {
  /// A certificate of tomorrow becomes valid when the clock is set, not by trying: meanwhile an attempt
  /// every so often, and at once when the clock jumps.
  static let clockWait = Span.minutes(10)
  static let clockLook = Span.seconds(5)
  /// A clock that was set has jumped by more than this, seconds.
  static let clockJump = 30.0

  func attemptSoon() {
    wait(until: max(loop.now.instant, (lastAttempt ?? .zero) + Self.attemptGap))
  }

  private func wait(until instant: Instant) {
    guard isWanted, settings?.obstacle == nil else { return }
    phase = .waiting
    waitingUntil = instant
    status.nextAttempt = instant
    let isClockWatched = clockOffset != nil
    phaseTimer?.set(at: isClockWatched ? min(instant, loop.now.instant + Self.clockLook) : instant)
  }

  func phaseTimerFired() {
    switch phase {
    case .idle, .connected: break
    case .waiting:
      let isDue = waitingUntil.map { $0 <= loop.now.instant } ?? true
      if isDue || hasClockJumped { attempt() } else if let waitingUntil { wait(until: waitingUntil) }
    case .resolving(let since):
      let seconds = Int((loop.now.instant - since).seconds.rounded())
      show(.nameServerSilent(seconds: seconds))
      phaseTimer?.set(at: loop.now.instant + Self.resolverPatience)
    case .opening: end(.timedOut)
    case .greeting:
      let seconds = settings?.connectionTimeout ?? 0
      let isTLS = client?.isInHandshake == true
      end(isTLS ? .handshakeSilent(seconds: seconds) : .noGreeting(seconds: seconds))
    }
  }

  private var wallOffset: Double {
    SystemClock.rawWall().seconds - Span(nanoseconds: loop.now.instant.nanoseconds).seconds
  }

  private var hasClockJumped: Bool {
    clockOffset.map { abs($0 - wallOffset) > Self.clockJump } ?? false
  }

  func attempt() {
    guard isWanted, let settings, settings.obstacle == nil else { return }
    if client == nil {
      isClearing = mustClearSession && !settings.isSessionClean
      var effective = settings
      effective.protocolLevel = levelInstead ?? settings.protocolLevel
      client = BrokerClient(effective, isSessionClean: settings.isSessionClean || isClearing)
      client?.greeted = { [tether] in tether.broker?.subscribe(after: $0) }
    }
    guard let client else {
      return end(.settingRefused("clientId, username or will: not usable in MQTT"))
    }
    let now = loop.now.instant
    greeting = BrokerClient.Greeting()
    glimpse = []
    clockOffset = nil
    isHurried = false
    waitingUntil = nil
    lastAttempt = now
    status.attempts += 1
    status.nextAttempt = nil
    if status.cause == nil || status.colour == .blue { show(nil) }
    phase = .resolving(since: now)
    phaseTimer?.set(at: now + Self.resolverPatience)
    // The clock may have become known since the object was made: the will says when this one began.
    client.setWill(settings.will)
    let handover = Handover(client: client)
    let isIPv4Forced = causeOverIPv6 != nil
    worker.perform {
      handover.client.open(isIPv4Forced: isIPv4Forced)
    } then: { [tether] opening in
      tether.broker?.opened(opening, handover.client)
    }
  }

  /// Carries the object to the worker and back: meanwhile it is the worker's alone.
  private struct Handover: @unchecked Sendable {
    let client: BrokerClient
  }

  private func opened(_ opening: BrokerClient.Opening, _ opened: BrokerClient) {
    // Given up while it was away.
    guard opened === client, case .resolving = phase else { return }
    switch opening {
    case .filesChanged:
      dropClient()
      attempt()
    case .failed(let cause): end(cause)
    case .begun:
      let descriptor = opened.socket
      guard descriptor >= 0 else { return endUnheard(.reset) }
      phase = .opening
      phaseTimer?.set(at: loop.now.instant + .seconds(settings?.connectionTimeout ?? 30))
      watch = loop.watch(descriptor, for: .write) { [tether] ready in tether.broker?.ready(ready) }
    }
  }

  func ready(_ ready: Interest) {
    switch phase {
    case .idle, .waiting, .resolving: break
    case .opening: openingReady()
    case .greeting: greetingReady(ready)
    case .connected: connectedReady(ready)
    }
  }

  private func openingReady() {
    guard let client else { return }
    let descriptor = client.socket
    let error = BrokerSocket.takeError(descriptor)
    guard error == 0 else {
      // Reset means that it stood already: the worker's first bytes were not welcome.
      return error == ECONNRESET ? endUnheard(closedUnheard) : end(BrokerDiagnosis.system(error))
    }
    // No error and no peer: it stood, was reset, and the library has read the error away on the worker.
    // A socket that is still connecting is not ready.
    guard BrokerSocket.isConnected(descriptor) else { return endUnheard(closedUnheard) }
    BrokerSocket.setOptions(descriptor)
    phase = .greeting
    greetingReady(.write)
  }

  /// The worker's CONNECT may have arrived before the end did.
  private func endUnheard(_ cause: BrokerCause) {
    subscriptions.sessionInDoubt()
    end(cause)
  }

  /// Closed by the other side before it said anything.
  private var closedUnheard: BrokerCause {
    if settings?.tls == nil { return .closedEarly }
    return client?.isHandshakeOver == true ? .closedAfterHandshake : .closedInHandshake
  }

  private func greetingReady(_ ready: Interest) {
    guard let client else { return }
    if ready.contains(.read) {
      switch BrokerSocket.peek(client.socket) {
      case .bytes: if client.settings.tls == nil { glimpse = BrokerSocket.glimpse(client.socket) }
      case .nothing: break
      // Reset: closed with our bytes unread.
      case .end, .failed(ECONNRESET): return end(closedUnheard)
      case .failed(let error): return end(BrokerDiagnosis.system(error))
      }
    }
    var code: Int32 = 0
    if client.isInHandshake {
      code = client.advanceHandshake()
    } else {
      if ready.contains(.read) { code = client.read() }
      if code == 0, client.socket >= 0, client.wantsWrite { code = client.write() }
    }
    // What the last step of the handshake set free: CONNECT. A broker that refuses our certificate has
    // said so by now and closed, and writing would only find the closed door.
    if code == 0, client.socket >= 0, !client.isInHandshake, client.wantsWrite,
      case .bytes = BrokerSocket.peek(client.socket)
    {
      code = client.read()
    }
    if code == 0, client.socket >= 0, !client.isInHandshake, client.wantsWrite { code = client.write() }
    settle(code)
  }

  /// After every call of the library: what happened, whether it ended, what to wait for.
  func settle(_ code: Int32) {
    guard let served = client else { return }
    let ending = digest()
    // Digesting may have ended it all, or begun anew.
    guard served === client, watch != nil else { return }
    if code != 0 || served.socket < 0 {
      return end(cause(code, ending))
    }
    updateInterest()
  }

  func updateInterest() {
    guard let client, let watch, client.socket >= 0 else { return }
    let wanted: Interest =
      client.wantsWrite ? client.isReadingPaused ? .write : [.read, .write] : .read
    if watch.interest != wanted { watch.change(to: wanted) }
  }

  private func cause(_ code: Int32, _ ending: Ending?) -> BrokerCause {
    guard let client else { return .closedByBroker }
    if let overrun = client.overrun { return overrun }
    let settings = client.settings
    let isConnected = if case .connected = phase { true } else { false }
    if !isConnected, let cause = BrokerDiagnosis.tls(client.notes, settings: settings) { return cause }
    if let verdict = BrokerDiagnosis.greeting(greeting.code, level: settings.protocolLevel) { return verdict }
    let code = ending?.code ?? code
    if code >= 0x80 { return BrokerDiagnosis.reason(Int(code)) }
    switch mosq_err_t(code) {
    case MOSQ_ERR_KEEPALIVE: return .silent
    // What the library makes of every error of TLS that it has no name for.
    case MOSQ_ERR_ERRNO where ending?.systemError == EPROTO && !isConnected: return closedUnheard
    case MOSQ_ERR_ERRNO: return BrokerDiagnosis.system(ending?.systemError ?? EPIPE)
    case MOSQ_ERR_PROTOCOL, MOSQ_ERR_MALFORMED_PACKET:
      if isConnected { return .reason(code: 0x82, text: "protocol error") }
      return BrokerGlimpse.namesClientID(glimpse) ? .clientIDReplaced : .notMQTT
    case MOSQ_ERR_TLS: return isConnected ? .reset : closedUnheard
    default: return isConnected ? .closedByBroker : closedUnheard
    }
  }

  // MARK: The end of an attempt or a connection

  func end(_ cause: BrokerCause) {
    let before = phase
    phaseTimer?.set(at: nil)
    closeLink()
    if retriedOverIPv4(cause, before) { return }
    client?.cut()
    digest()
    phase = .idle
    var cause = cause
    // A host without any IPv4 address fails there in a way of no interest.
    if case .resolving = before, let first = causeOverIPv6 { cause = first }
    causeOverIPv6 = nil
    cause = reconsidered(cause)
    if case .connected(let since) = before {
      let hasMessages = client?.inFlight.isEmpty == false
      let isOverFilter = subscriptions.isUnanswered && cause.isTheBrokers && !hasMessages
      let verdict = verdict(on: cause)
      let isExplained = isOverFilter || client?.overrun != nil
      backoff.lost(
        after: loop.now.instant - since, because: isExplained ? .message : verdict.reason)
      subscriptions.ended(
        isByBroker: cause.isTheBrokers, hasMessages: hasMessages, at: loop.now.instant)
      if backoff.isFlapping, cause == .closedByBroker { cause = .clientIDInUse }
      execute(verdict)
      if client?.overrun != nil { reachForLess() }
      // The library would send its messages again at once.
      if subscriptions.isCareful { dropClient() }
      forget()
      show(cause)
      post(.lost(cause))
      if case .guilty(let message) = verdict {
        let isSilent = if case .notAcknowledging = cause { true } else { false }
        post(.postponed(message.sequence, isSilent ? cause : .closedOver(bytes: message.size)))
      }
    } else {
      if client?.overrun != nil { reachForLess() }
      if before == .greeting { subscriptions.sessionInDoubt() }
      if levelInstead != nil, before == .greeting { giveUpOtherLevel() }
      show(cause)
      if lastTold?.word != cause.word { post(.lost(cause)) }
    }
    lastTold = cause
    guard case .idle = phase else { return }
    planNext(cause)
  }

  /// Closed without a word: what that may mean.
  private func reconsidered(_ cause: BrokerCause) -> BrokerCause {
    guard let settings else { return cause }
    switch cause {
    case .closedEarly, .closedInHandshake, .closedAfterHandshake: break
    default: return cause
    }
    if let lastGreeted, settings.isSameWay(as: lastGreeted) { return .takesNoConnections }
    guard settings.protocolLevel == 5, cause != .closedInHandshake else { return cause }
    return .closedAtLevel5(isTLS: cause == .closedAfterHandshake)
  }

  /// Whether a connection that stood has ended over a message.
  private func verdict(on cause: BrokerCause) -> BrokerBlame.Verdict {
    guard let client else { return .none }
    let unanswered = client.inFlight.unanswered
    if case .notAcknowledging = cause {
      return blame.guilty(unanswered: unanswered).map { .guilty($0) } ?? .none
    }
    guard cause.isTheBrokers else { return .none }
    return blame.ended(unanswered: unanswered, lastSent: client.inFlight.lastSent, at: loop.now.instant)
  }

  private func execute(_ verdict: BrokerBlame.Verdict) {
    switch verdict {
    case .none, .accident: break
    // The library would send all of them again at once.
    case .isolate: dropClient()
    case .guilty(let message):
      status.counters.postponed += 1
      client?.inFlight.forget(message.sequence)
      dropClient()
    }
  }

  private func planNext(_ cause: BrokerCause) {
    let now = loop.now.instant
    if isHurried { return attemptSoon() }
    let pause: Span
    if cause == .clientIDInUse {
      pause = backoff.longest(random: random(), isRival: true)
    } else if cause.isVerdict {
      pause = backoff.longest(random: random())
    } else if cause == .certificateNotYetValid {
      clockOffset = wallOffset
      pause = Self.clockWait
    } else {
      pause = backoff.next(random: random())
    }
    wait(until: now + pause)
  }

  /// The library tries the next address of a name only where `connect` fails at once. A host that
  /// listens on IPv4 alone but has an IPv6 name too would never be reached.
  private func retriedOverIPv4(_ cause: BrokerCause, _ before: Phase) -> Bool {
    guard let client, causeOverIPv6 == nil else { return false }
    switch before {
    case .opening where BrokerSocket.isIPv6(client.socket): break
    // Refused while the worker still had it: the socket is gone, only the name tells.
    case .resolving where cause == .refused && !BrokerSocket.isIPv4(settings?.host ?? ""): break
    default: return false
    }
    client.cut()
    _ = client.takeHappenings()
    causeOverIPv6 = cause
    status.attempts -= 1
    attempt()
    return true
  }
}
