import Loop
import Model
import Timebase

/// The connection to the MQTT broker, driven by the loop. `ConnectionMachine` makes the decisions; this class carries
/// them out with libmosquitto and a worker, and sends and receives the messages.
///
/// libmosquitto holds only what is in flight: nothing is ever published while there is no connection,
/// because it would queue the message and report an error all the same. One client object serves all connections of a
/// session and resends unacknowledged messages itself; if it has to be replaced, those it still holds are reported as
/// `sendFailed`.
public final class Broker: Uplink {
  let loop: EventLoop
  let worker: Worker
  let post: (UplinkEvent) -> Void

  var machine: ConnectionMachine
  var counters = UplinkStatus.Counters()
  var inFlight = 0
  var client: BrokerClient?
  var watch: Watch?
  /// Of the last goodbye; the loop keeps it.
  weak var linger: BrokerLinger?
  var aliases = BrokerAliases()
  var addresses = BrokerAddresses()
  /// See `UplinkStatus.mqtt.unheard`.
  var unheard: Set<String> = []
  /// See `UplinkStatus.mqtt.untaken`.
  var untaken: [String: BrokerCause] = [:]
  /// A list with room for the next confirmations.
  var spareNumbers: [UInt64] = []

  /// Held by callbacks instead of the broker itself.
  let reference = BrokerReference()
  var phaseTimer: Timer?
  var keepAliveTimer: Timer?
  var stallTimer: Timer?
  var subscribeTimer: Timer?
  var roundTripTimer: Timer?

  /// `worker` looks hosts up and connects: a name server that does not answer holds it for half a minute.
  /// `random` gives numbers from 0 up to but not including 1.
  public init(
    loop: EventLoop, worker: Worker, random: @escaping () -> Double = { Double.random(in: 0..<1) },
    post: @escaping (UplinkEvent) -> Void
  ) {
    self.loop = loop
    self.worker = worker
    self.post = post
    machine = ConnectionMachine(random: random, clockOffset: Self.wallOffset)
    reference.broker = self
    phaseTimer = loop.makeTimer { [reference] in reference.broker?.phaseTimerFired() }
    keepAliveTimer = loop.makeTimer { [reference] in reference.broker?.keepAliveTimerFired() }
    stallTimer = loop.makeTimer { [reference] in reference.broker?.lookForStall() }
    subscribeTimer = loop.makeTimer { [reference] in reference.broker?.subscribeTimerFired() }
    roundTripTimer = loop.makeTimer { [reference] in reference.broker?.roundTripTimerFired() }
  }

  deinit { reference.broker = nil }

  private static func wallOffset(_ now: Instant) -> Double {
    SystemClock.rawWall().seconds - Span(nanoseconds: now.nanoseconds).seconds
  }

  // MARK: Inputs

  /// Takes its part of the settings.
  public func configure(_ settings: UplinkSettings) {
    configure(BrokerSettings(settings), makeWill: settings.makeWill)
  }

  /// Applies new settings; reconnects only if something changed that the broker can see. `makeWill`: the will of an attempt
  /// that begins now; nil: that of the settings.
  public func configure(_ new: BrokerSettings, makeWill: (() -> Message)? = nil) {
    machine.makeWill = makeWill
    perform(machine.configured(new, at: loop.now.instant))
    machine.showDoubt(at: loop.now.instant)
    tryCommands()
  }

  /// A waiting attempt is made at once.
  public func connectSoon() { hurry(isAsked: true) }

  /// The person's switch, on.
  public func connect() { perform(machine.switchedOn(at: loop.now.instant)) }

  /// Replaces the connection by a new one; switches on if it was off.
  public func reconnect() {
    machine.session.forgiveFilters()
    perform(machine.reconnect(at: loop.now.instant))
  }

  /// There is a new message to send, or a person asks (`isAsked`): a waiting attempt is made at once, at most
  /// every 2 s. If hurry is of no use (a password is wrong) only a person's request counts.
  public func hurry(isAsked: Bool) {
    guard phase == .waiting else { return }
    perform(machine.hurry(isAsked: isAsked, at: loop.now.instant))
  }

  /// The person's switch, off: says goodbye, keeps what is in flight for the next connection.
  public func disconnect() { perform(machine.leave(for: .switchedOff, at: loop.now.instant)) }

  /// For good, while the program goes on: what is in flight is given back.
  public func retire() { perform(machine.leave(for: .retired, at: loop.now.instant)) }

  /// Ends any connection or attempt without DISCONNECT: the broker then publishes the will. Until `connect` is called.
  public func vanish() { perform(machine.leave(for: .vanished, at: loop.now.instant)) }

  /// Gives back the unanswered messages, each as `sendFailed`, after a connection was lost. `isOverMessage`: it has
  /// ended over one of them, and there is no need to look for another reason.
  public func takeBack(isOverMessage: Bool) {
    if isOverMessage { counters.postponed += 1 }
    perform(machine.takeBack(isOverMessage: isOverMessage, at: loop.now.instant))
  }

  /// Another route: a waiting attempt is made at once, a connection over the old route given up.
  public func networkChanged() {
    let actions = machine.networkChanged(
      hasOtherRoute: { client.map { BrokerSocket.route($0.socket) == .other } ?? false },
      at: loop.now.instant)
    perform(actions)
  }

  /// The vehicle stands, or no more.
  public func setParked(_ isParked: Bool) { perform(machine.parked(isParked, at: loop.now.instant)) }

  // MARK: Questions

  /// State of the connection, and its counters.
  public var status: UplinkStatus {
    var status = machine.status
    (status.counters, status.inFlight) = (counters, inFlight)
    // Without a connection nothing is delivered, even if the broker has kept the session.
    if machine.connection != nil { status.mqtt.subscribed = machine.session.subscriptions.granted }
    if machine.connection != nil, machine.session.echo.isWanted, let topic = machine.settings?.commandTopic {
      status.mqtt.commands = UplinkStatus.CommandReport(topic: topic, finding: machine.session.echo.finding)
    }
    (status.mqtt.roundTrip, status.mqtt.unheard) = (machine.session.roundTrip.finding, unheard.sorted())
    status.mqtt.untaken = untaken
    status.mqtt.address = addresses.present
    status.mqtt.isRoundOver = !machine.isRoundUnderWay
    if let taken = qosTaken, let settings = machine.settings {
      status.mqtt.isQoSReduced = settings.will.qos > taken
    }
    return status
  }

  /// The colour of `status` alone: needed after every event.
  public var colour: ConnectionColour { machine.status.colour }

  /// Bytes that its connections have cost.
  public var carried: Int { counters.bytes + (client?.meter?.bytes ?? 0) }

  /// See `UplinkStatus.isOut`.
  public var isOut: Bool { machine.status.isOut }

  var phase: ConnectionMachine.Phase { machine.phase }

  // MARK: What is to be done

  func perform(_ actions: [ConnectionMachine.Action]) {
    for action in actions { perform(action) }
  }

  private func perform(_ action: ConnectionMachine.Action) {
    switch action {
    case .set(let alarm, let instant): timer(alarm)?.set(at: instant)
    case .makeClient(let level, let isSessionClean): makeClient(level, isSessionClean)
    case .open(let isIPv4Forced): open(isIPv4Forced: isIPv4Forced)
    case .watch: watchSocket()
    case .closeLink: closeLink()
    case .giveUp(let cause): end(cause)
    case .cut:
      client?.cut()
      endMeter()
    case .sayGoodbye: sayGoodbye()
    case .disconnect:
      client?.disconnect()
      endMeter()
    case .discard: _ = client?.takeHappenings()
    case .finish: finish()
    case .dropClient: dropClient()
    case .releaseClient:
      endMeter()
      client = nil
    case .forgetConnection: forgetConnection()
    case .beginConnection(let aliasMaximum): beginConnection(aliasMaximum: aliasMaximum)
    case .ask(let filter): ask(filter)
    case .knock: knock()
    case .lookAtPort: lookAtPort()
    case .reportConnected(let isSessionPresent, let receiveMaximum):
      post(.connected(hasForgotten: !isSessionPresent, receiveMaximum: receiveMaximum))
      tryCommands()
      reportPlace()
    case .reportLost(let cause, let end): post(.lost(cause, end))
    }
  }

  private func timer(_ alarm: ConnectionMachine.Alarm) -> Timer? {
    switch alarm {
    case .attempt: phaseTimer
    case .keepAlive: keepAliveTimer
    case .stall: stallTimer
    case .subscribe: subscribeTimer
    }
  }

  private func closeLink() {
    watch?.cancel()
    watch = nil
    keepAliveTimer?.set(at: nil)
    stallTimer?.set(at: nil)
    subscribeTimer?.set(at: nil)
    roundTripTimer?.set(at: nil)
  }

  // MARK: The client object

  private func makeClient(_ level: Int, _ isSessionClean: Bool) {
    guard var settings = machine.settings else { return }
    settings.protocolLevel = level
    client = BrokerClient(settings, isSessionClean: isSessionClean)
    client?.greeted = { [reference] in reference.broker?.subscribe(after: $0) }
    perform(machine.clientMade(client != nil, at: loop.now.instant))
  }

  /// Gives the object up; the messages it still holds have to be sent again.
  private func dropClient() {
    guard let dropped = client else { return }
    endMeter()
    client = nil
    for sequence in dropped.inFlight.takeAll() { failed(sequence) }
    inFlight = 0
  }

  private func beginConnection(aliasMaximum: Int) {
    client?.stopListeningToLog()
    client?.inFlight.sentAgain(at: loop.now.instant)
    client?.sought = [:]
    unheard = []
    addresses.proved()
    aliases = BrokerAliases(numbers: machine.settings?.aliases ?? [:], maximum: aliasMaximum)
    counters.connections += 1
  }

  private func forgetConnection() {
    aliases = BrokerAliases()
    guard let client else { return }
    for sequence in client.inFlight.takeForgotten() { failed(sequence) }
    inFlight = client.inFlight.count
  }

  /// The connection is over, as far as the library is concerned.
  func endMeter() {
    guard let client, let meter = client.meter else { return }
    counters.bytes += meter.bytesAtEnd
    client.meter = nil
  }

  func failed(_ sequence: UInt64) {
    counters.failed += 1
    post(.sendFailed(sequence))
  }
}
