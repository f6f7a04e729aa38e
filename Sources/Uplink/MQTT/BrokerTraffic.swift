import CMosquitto
import Glibc
import Loop
import Model
import Timebase

/// From the broker's greeting on: messages out, acknowledgements and messages in.
extension Broker {
  /// How a connection ended, according to the library.
  struct Ending {
    var code: Int32
    var systemError: Int32
  }

  /// Bytes. Every location fits, with its topic and all its keys.
  static let leastPacket = 1000

  /// MQTT 5: this user may not publish there.
  private static let notAuthorised = 0x87

  /// A filter that is never used, to be unsubscribed from: any broker answers, and nothing changes.
  private static let unusedFilter = "homeward/never/used"

  /// Reads the events noted by the client since the last call, and passes them on.
  @discardableResult
  func digest() -> Ending? {
    var ending: Ending?
    guard let served = client, !served.happenings.isEmpty else { return nil }
    let happenings = served.takeHappenings()
    // The last posted list has been read by now, as a rule, and is reused.
    var confirmed = spareNumbers
    spareNumbers = []
    confirmed.removeAll(keepingCapacity: true)
    for happening in happenings {
      switch happening {
      case .greeting(let answer): greeted(answer)
      // The library may report it twice; the first time it knows why.
      case .ended(let code, let error): ending = ending ?? Ending(code: code, systemError: error)
      case .published(let number, let reason):
        if isEchoAcknowledged(number, reason) { continue }
        if let sequence = published(number, Int(reason)) { confirmed.append(sequence) }
      case .subscribed(let number, let codes):
        answered(number)
        perform(machine.subscribed(number, codes, at: loop.now.instant))
        if machine.session.roundTrip.isOn { served.sought = machine.session.roundTrip.sought }
        placeLookWentOn()
        tryCommands()
      case .unsubscribed(let number): answered(number)
      case .received(let topic, let payload, let isRetained):
        counters.received += 1
        // The order counts: strangers may send a thousand a second.
        if machine.session.echo.finding == .unclear, !isRetained, topic == machine.settings?.commandTopic {
          machine.session.echo.heardAnother()
        }
        post(.received(topic: topic, payload: payload, isRetained: isRetained))
      case .cameBack(let topic, let digest): cameBack(topic, digest)
      case .echoed(let number): echoed(number)
      case .retainedPlace(let payload):
        machine.session.placeLook.found(payload)
        placeLookWentOn()
      case .malformed: counters.malformed += 1
      case .oversized: counters.oversized += 1
      }
    }
    served.reuse(happenings)
    spareNumbers = confirmed
    if !confirmed.isEmpty {
      counters.acknowledged += confirmed.count
      post(.acknowledged(confirmed))
      if machine.connection?.isStuck == true { lookForStall() }
    }
    inFlight = client?.inFlight.count ?? 0
    return ending
  }

  private func greeted(_ answer: BrokerClient.Greeting) {
    let hasMessages = client?.inFlight.isEmpty == false
    perform(machine.greeted(answer, hasMessages: hasMessages, at: loop.now.instant))
  }

  // MARK: Out

  /// Sends a message to the broker. Only while connected; one that cannot be sent now comes back as `sendFailed`.
  public func send(_ message: Message) {
    guard let greeting = machine.connection?.greeting, let client, client.socket >= 0 else {
      return failed(message.sequence)
    }
    if let limit = greeting.packetMaximum, message.size + 64 > limit {
      if limit < Self.leastPacket { return postponed(message.sequence, .packetLimit(bytes: limit)) }
      let text = "\(message.size) bytes are more than the broker takes (\(limit))"
      return refused(message.sequence, .reason(code: 0x95, text: text))
    }
    give(message, to: client, qosMaximum: qosTaken ?? 2)
  }

  /// The highest QoS that this broker accepts; nil: no connection.
  var qosTaken: Int? { machine.connection.map { min($0.greeting.qosMaximum, machine.session.qosLimit.most) } }

  /// Every message would be turned down: the broker is at fault, not the messages.
  private func postponed(_ sequence: UInt64, _ cause: BrokerCause) {
    machine.takesNothing(cause, at: loop.now.instant)
    // Messages that are not in the queue cannot wait.
    guard sequence > 0 else { return failed(sequence) }
    counters.postponed += 1
    post(.postponed(sequence, cause, letsOthersPass: false))
  }

  private func give(_ message: Message, to client: BrokerClient, qosMaximum: Int) {
    let qos = min(message.qos, qosMaximum)
    var message = message
    message.isRetained = machine.settings?.retains(message) ?? message.isRetained
    let alias = aliases.alias(for: message.topic)
    let isTopicNeeded = alias?.isTopicNeeded ?? true
    if machine.session.roundTrip.isOn { seek(message, with: client) }
    let (code, number) = client.publish(message, qos: qos, alias: alias?.number, isTopicNeeded: isTopicNeeded)
    // With a number it is in the library's hands, whatever the code says: the error is the socket's
    // and will be seen there.
    guard number != 0, qos > 0 || code == 0 else { return notTaken(message.sequence, code) }
    let isAliasOnly = !isTopicNeeded
    let now = loop.now.instant
    guard
      client.inFlight.add(
        number, sequence: message.sequence, topic: message.topic, qos: qos, isRetained: message.isRetained,
        isAliasOnly: isAliasOnly, at: now)
    else { return wrappedAround(message.sequence) }
    counters.sent += 1
    if qos > 0, stallTimer?.deadline == nil {
      stallTimer?.set(at: machine.firstLook(heard: client.inFlight.lastAnswer, at: now))
    }
    // Only QoS 0 is done already.
    if qos == 0 { digest() }
    inFlight = client.inFlight.count
    updateInterest()
  }

  private func notTaken(_ sequence: UInt64, _ code: Int32) {
    switch mosq_err_t(code) {
    case MOSQ_ERR_INVAL, MOSQ_ERR_MALFORMED_UTF8, MOSQ_ERR_PAYLOAD_SIZE, MOSQ_ERR_OVERSIZE_PACKET,
      MOSQ_ERR_QOS_NOT_SUPPORTED:
      refused(sequence, .reason(code: Int(code), text: String(cString: mosquitto_strerror(code))))
    default: failed(sequence)
    }
  }

  private func wrappedAround(_ sequence: UInt64) {
    failed(sequence)
    perform(machine.numbersCameRound())
  }

  private func refused(_ sequence: UInt64, _ cause: BrokerCause) {
    counters.refused += 1
    post(.refused(sequence, cause))
  }

  /// The sequence number if the broker has it now.
  private func published(_ number: Int32, _ reason: Int) -> UInt64? {
    guard let entry = client?.inFlight.take(number, at: loop.now.instant) else { return nil }
    switch reason {
    case Self.noSubscribers where isHeldUnheard(entry):
      machine.session.qosLimit.completed(qos: entry.qos)
      counters.postponed += 1
      noteUntaken(entry, BrokerDiagnosis.reason(reason))
      post(.postponed(entry.sequence, BrokerDiagnosis.reason(reason), letsOthersPass: false))
    case ..<0x80:
      noteTaken(entry, reason)
      machine.session.qosLimit.completed(qos: entry.qos)
      if machine.session.isPublishForbidden {
        machine.published(on: entry.topic, isForbidden: false, at: loop.now.instant)
      }
      return entry.sequence
    // Only these are about the message itself: name of the topic, size, format of the payload.
    case 0x90, 0x95, 0x99:
      unheard.remove(entry.topic)
      refused(entry.sequence, BrokerDiagnosis.reason(reason))
    // Rights, quotas, faults of the broker: the message may be accepted later.
    default:
      counters.postponed += 1
      noteUntaken(entry, BrokerDiagnosis.reason(reason))
      if reason == Self.notAuthorised {
        machine.published(on: entry.topic, isForbidden: true, at: loop.now.instant)
      }
      post(.postponed(entry.sequence, BrokerDiagnosis.reason(reason), letsOthersPass: false))
    }
    return nil
  }

  // MARK: In

  func connectedReady(_ ready: Interest) {
    guard let client else { return }
    // The library treats a reset as an orderly end.
    if ready.contains(.failure), BrokerSocket.takeError(client.socket) == ECONNRESET { client.isReset = true }
    var code: Int32 = 0
    if ready.contains(.write) { code = client.write() }
    if code == 0, client.socket >= 0, ready.contains(.read), !client.isReadingPaused { code = client.read() }
    // Our own message comes back just before its confirmation: one wake-up for both.
    if code == 0, ready.contains(.read), client.isMoreExpected { code = client.read() }
    settle(code)
  }

  func keepAliveTimerFired() {
    guard phase == .connected, let client else { return }
    let looked = client.keepAlive()
    settle(looked.code)
    guard phase == .connected else { return }
    let (sent, heard) = (client.inFlight.lastSent, client.inFlight.lastAnswer)
    perform(machine.keepRhythm(sent: sent, heard: heard, at: loop.now.instant))
    guard phase == .connected else { return }
    keepAliveTimer?.set(
      at: machine.lookedAfterPings(isPinged: looked.isPinged, sent: sent, heard: heard, at: loop.now.instant))
    post(.keptAlive)
  }

  // MARK: Connected but stuck

  func lookForStall() {
    let (owed, heard) = (client?.inFlight.owedSince, client?.inFlight.lastAnswer)
    perform(machine.lookForStall(owed: owed, heard: heard, at: loop.now.instant))
  }

  /// Any broker answers it, and nothing changes.
  func knock() {
    machine.knocked(number: client?.unsubscribe(Self.unusedFilter), at: loop.now.instant)
    updateInterest()
  }

  /// Sends a request whose answer shows that both directions work.
  func ask(_ filter: String?) {
    guard let client else { return }
    if let filter {
      let qos = machine.settings?.subscriptionQoS ?? 1
      machine.asked(number: client.subscribe([filter], qos: qos, isRepeated: true))
    } else {
      machine.asked(number: client.unsubscribe(Self.unusedFilter))
    }
    updateInterest()
  }

  private func answered(_ number: Int32) {
    perform(machine.answered(number, owed: client?.inFlight.owedSince, at: loop.now.instant))
  }
}
