import CMosquitto
import Glibc
import Loop
import Model
import Timebase

/// From the decision to connect to the broker's greeting.
extension Broker {
  func phaseTimerFired() {
    let isInHandshake = phase == .greeting && client?.isInHandshake == true
    perform(machine.timerFired(isInHandshake: isInHandshake, at: loop.now.instant))
  }

  /// For tests: at once.
  func attempt() { perform(machine.attempt(at: loop.now.instant)) }

  func open(isIPv4Forced: Bool) {
    guard let client, let settings = machine.settings else { return }
    endMeter()
    // The object may be that of an earlier connection: the will says when this one began.
    client.setWill(settings.will)
    addresses.choose(machine.round.choice, of: settings.host)
    let handover = Handover(client: client)
    worker.perform { [addresses] in
      var addresses = addresses
      return (handover.client.open(isIPv4Forced: isIPv4Forced, &addresses), addresses)
    } then: { [reference] answer in
      reference.broker?.opened(answer.0, handover.client, answer.1)
    }
  }

  /// A port that closes without an answer may be of the other kind: TLS or plain.
  func lookAtPort() {
    guard let way = machine.settings else { return }
    let address = addresses.present ?? way.host
    worker.perform {
      PortProbe.look(address, port: way.port, triedTLS: way.tls != nil)
    } then: { [reference] kind in
      guard let broker = reference.broker else { return }
      broker.perform(broker.machine.portFound(kind, at: way, at: broker.loop.now.instant))
    }
  }

  /// Carries the object to the worker and back: meanwhile it is the worker's alone.
  private struct Handover: @unchecked Sendable {
    let client: BrokerClient
  }

  private func opened(_ opening: BrokerClient.Opening, _ opened: BrokerClient, _ tried: BrokerAddresses) {
    // Given up while it was away.
    guard opened === client, phase == .resolving else { return }
    addresses = tried
    machine.round.hasOtherAddresses = tried.hasOthers
    switch opening {
    case .filesChanged: perform(machine.clientChanged(at: loop.now.instant))
    case .failed(let cause): end(cause)
    case .begun:
      guard opened.socket >= 0 else { return endUnheard(.reset) }
      perform(machine.connecting(at: loop.now.instant))
    }
  }

  func watchSocket() {
    guard let client else { return }
    client.meter = WireMeter(client.socket)
    client.keepTLSSession()
    watch = loop.watch(client.socket, for: .write) { [reference] ready in reference.broker?.ready(ready) }
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
      // A reset means that the connection stood already: the worker's first bytes were rejected.
      return error == ECONNRESET ? endUnheard(closedUnheard) : end(BrokerDiagnosis.system(error))
    }
    // No error and no peer: it stood, was reset, and the library has consumed the error on the worker.
    // A socket that is still connecting is not ready.
    guard BrokerSocket.isConnected(descriptor) else { return endUnheard(closedUnheard) }
    BrokerSocket.setOptions(descriptor)
    machine.connected()
    greetingReady(.write)
  }

  /// The worker's CONNECT may have arrived before the end did.
  private func endUnheard(_ cause: BrokerCause) {
    end(cause, isInDoubt: true)
  }

  /// Closed by the other side before it sent anything.
  private var closedUnheard: BrokerCause {
    if machine.settings?.tls == nil { return .closedEarly }
    return client?.isHandshakeOver == true ? .closedAfterHandshake : .closedInHandshake
  }

  private func greetingReady(_ ready: Interest) {
    guard let client else { return }
    if ready.contains(.read) {
      switch BrokerSocket.peek(client.socket) {
      case .bytes:
        if client.settings.tls == nil { client.firstBytes = BrokerSocket.firstBytes(client.socket) }
        // The library may take the answer for the beginning of a packet, and wait for the rest.
        if RejectedGreeting.isHTTP(client.firstBytes) { return end(.answersHTTP) }
      case .nothing: break
      // Reset: closed with our bytes unread.
      case .end, .failed(ECONNRESET): return end(closedUnheard)
      case .failed(let error): return end(BrokerDiagnosis.system(error))
      }
    }
    var code: Int32 = 0
    if client.isInHandshake {
      code = client.advanceHandshake()
      // The last handshake step releases CONNECT. A broker that refuses our certificate has said so by now and closed,
      // and writing would only find the connection closed.
      if code == 0, client.socket >= 0, !client.isInHandshake, client.wantsWrite,
        case .bytes = BrokerSocket.peek(client.socket)
      {
        code = client.read()
      }
    } else if ready.contains(.read) {
      code = client.read()
    }
    if code == 0, client.socket >= 0, !client.isInHandshake, client.wantsWrite { code = client.write() }
    settle(code)
  }

  /// After every call of the library: what happened, whether it ended, what to wait for.
  func settle(_ code: Int32) {
    guard let served = client else { return }
    let ending = digest()
    // Handling the events may have ended the connection, or begun a new one.
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
    let isConnected = phase == .connected
    if !isConnected, let cause = BrokerDiagnosis.tls(client.notes, settings: settings) { return cause }
    let level = settings.protocolLevel
    if let verdict = BrokerDiagnosis.greeting(machine.refusal, level: level) { return verdict }
    let code = ending?.code ?? code
    if code >= 0x80 { return BrokerDiagnosis.reason(Int(code)) }
    switch mosq_err_t(code) {
    case MOSQ_ERR_KEEPALIVE: return .silent
    // The library's code for any TLS error that it has no name for.
    case MOSQ_ERR_ERRNO where ending?.systemError == EPROTO && !isConnected: return closedUnheard
    case MOSQ_ERR_ERRNO: return BrokerDiagnosis.system(ending?.systemError ?? EPIPE)
    case MOSQ_ERR_PROTOCOL, MOSQ_ERR_MALFORMED_PACKET:
      if isConnected { return .reason(code: 0x82, text: "protocol error") }
      return RejectedGreeting.namesClientID(client.firstBytes) ? .clientIDReplaced : .notMQTT
    case MOSQ_ERR_TLS: return isConnected ? .reset : closedUnheard
    default: return isConnected ? client.isReset ? .reset : .closedByBroker : closedUnheard
    }
  }

  // MARK: The end of an attempt or a connection

  /// `isInDoubt`: CONNECT may have reached the broker.
  func end(_ cause: BrokerCause, isInDoubt: Bool = false) {
    let actions = machine.lost(
      cause, isOverIPv6: isOverIPv6, isInDoubt: isInDoubt, at: loop.now.instant)
    perform(actions)
  }

  private var isOverIPv6: Bool {
    switch phase {
    case .opening: client.map { BrokerSocket.isIPv6($0.socket) } ?? false
    // If it fails on the worker the socket is gone.
    case .resolving: addresses.present?.contains(":") ?? false
    case .idle, .waiting, .greeting, .connected: false
    }
  }

  /// Reads the remaining events.
  func finish() {
    digest()
    endMeter()
    var evidence = ConnectionMachine.Evidence()
    if let client {
      evidence.hasMessages = !client.inFlight.isEmpty
      evidence.hasUnanswered = client.inFlight.hasUnanswered
      evidence.isOwedTwo = client.inFlight.isOwedTwo
      evidence.hasAnnouncement = client.inFlight.hasAnnouncement || machine.session.echo.isUnanswered
      evidence.hasAnswers = client.inFlight.hasAnswers
      evidence.hasWaited =
        client.inFlight.owedSince.map {
          loop.now.instant - $0 >= ConnectionMachine.Evidence.patience
        } ?? false
      evidence.hasAliasOnly = client.inFlight.hasAliasOnly
      evidence.isOverrun = client.overrun != nil
    }
    perform(machine.closed(evidence, at: loop.now.instant))
  }
}
