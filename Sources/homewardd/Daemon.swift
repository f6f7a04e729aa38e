import Answers
import Core
import Glibc
import Host
import Loop
import Model
import OwnTracks
import Radio
import Receiver
import Storage
import Timebase
import Uplink

/// Holds everything together and decides nothing. One wake-up has four steps, always in this order: the
/// ready adapters post events; every event goes to the tracker; what must survive is handed to the
/// store; then things are sent.
final class Daemon {
  let options: Options
  let hostName: String
  let loop: EventLoop
  let log: Log
  let notify: ServiceNotify
  let barometer = Barometer()
  var configuration: Configuration
  var waypoints: [WaypointEntry]
  let additions: Encoder.Additions
  var encoder: Encoder
  var tracker: Tracker?
  var inbox: [Event] = []
  /// An empty list with room, for the next event.
  private var spare: [Effect] = []
  var traffic = Traffic()
  var sealing = Sealing()
  let started: Instant
  var exitStatus: Int32 = 0
  var isStopping = false
  private var isClockKnown = false
  /// The store is open and the tracker decides. To ask the tracker itself whether it is there would copy it.
  var isDeciding = false

  // Made once the store is open.
  private let bluetooth: BluetoothAccess
  private(set) lazy var scanner = BeaconScanner(
    loop: loop, worker: network, access: bluetooth, settings: Daemon.scannerSettings(configuration)
  ) { [unowned self] in heard($0) }
  let network: Worker
  let disk: Worker
  var store: Store?
  var friends: FriendBook?
  var letters: DeadLetters?
  var hook: EventHook?
  var extras: ExtraKeys?
  var owners = OwnersPrograms()
  var gpsd: GPSD?
  var broker: Broker?
  /// Nil where nothing is kept on `status`.
  var statusConnection: StatusConnection?
  var poster: HTTPPoster?
  var control: ControlSocket?
  var routes: NetworkWatch?
  var power: PowerSupply?
  var gauge: BatteryGauge?
  var powerFail: PowerFailInput?
  var ignition: InputLine?
  var voltage: VoltageGauge?
  var halting: Loop.Timer?
  var signals: Signals?
  var alarm: Loop.Timer?
  var watchdog: Watchdog?
  /// Nil where the store is in use.
  var late: LateStore?

  init(options: Options, decoded: ConfigurationFile.Decoded, hostName: String) throws {
    self.options = options
    self.hostName = hostName
    configuration = Daemon.complete(decoded.configuration, hostName: hostName)
    waypoints = decoded.waypoints
    additions = Encoder.Additions()
    additions.board.number = Board.number
    additions.board.model = Board.model
    additions.board.version = Main.version
    encoder = Encoder(configuration, hostName: hostName, additions: additions)
    loop = try EventLoop()
    started = loop.now.instant
    log = Log(level: Log.Level(word: configuration.logLevel) ?? .info)
    notify = ServiceNotify()
    // Signals are blocked before any thread exists, so that none of them is ever hit.
    let blocked = try BlockedSignals([SIGTERM, SIGINT, SIGHUP])
    // It opens the kernel's Bluetooth while it may; after this no thread is born with that right.
    bluetooth = BluetoothAccess(settings: Daemon.scannerSettings(configuration))
    network = try Worker(loop: loop, name: "network")
    disk = try Worker(loop: loop, name: "disk")
    // Rights are a thread's own: this one gave up its own, and the workers never need any.
    for worker in [network, disk] { worker.perform({ Capabilities.giveUp() }, then: {}) }
    signals = Signals(loop: loop, blocked) { [unowned self] in signal($0) }
    _ = scanner
    for warning in decoded.warnings + decoded.skipped.map(\.description) { say(.warning, warning) }
    seal()
  }

  /// A device needs a name; the board's own will do.
  static func complete(_ configuration: Configuration, hostName: String) -> Configuration {
    var configuration = configuration
    if configuration.deviceId.isEmpty { configuration.deviceId = hostName }
    return configuration
  }

  private static func scannerSettings(_ configuration: Configuration) -> BeaconScanner.Settings {
    let directory = runtimeDirectory(configuration)
    return .init(adapter: configuration.scanAdapter, method: configuration.scanMethod, directory: directory)
  }

  /// Where the control socket is.
  private static func runtimeDirectory(_ configuration: Configuration) -> String {
    configuration.controlSocket.split(separator: "/").dropLast().map { "/" + $0 }.joined()
  }

  var runtimeDirectory: String { Daemon.runtimeDirectory(configuration) }

  /// Returns the exit status when everything is over.
  func run() -> Int32 {
    say(.info, "homewardd \(Main.version) begins, configuration \(options.configuration)")
    alarm = loop.makeTimer { [unowned self] in post(.tick) }
    loop.afterHandlers = { [unowned self] in drain() }
    do {
      try startSensors()
    } catch {
      fail("\(error)", status: Main.softwareError)
      return exitStatus
    }
    openStore()
    loop.run()
    return exitStatus
  }

  /// Nothing can go on; systemd starts us again.
  func fail(_ text: String, status: Int32) {
    say(.error, text)
    exitStatus = status
    loop.stop()
  }

  func say(_ level: Log.Level, _ text: String) { log.write(level, text, at: loop.now.instant) }

  /// What somebody outside has caused: he must not fill the journal with it.
  func say(_ level: Log.Level, _ text: String, of cause: LineBudget.Cause) {
    if let line = traffic.line(text, of: cause, at: loop.now.instant) { say(level, line) }
  }

  // MARK: The four steps

  /// Events that wait for the store to open, at one fix a second.
  private static let patience = 900
  /// A longer list of effects is not kept for the next event.
  private static let spareLimit = 16

  func post(_ event: Event) { inbox.append(event) }

  func drain() {
    guard isDeciding else {
      // A slow disk is still opening its store: what is heard meanwhile waits, a quarter of an hour of it.
      if inbox.count > Self.patience { inbox.removeFirst(inbox.count - Self.patience) }
      return
    }
    var next = 0
    while next < inbox.count {
      handle(inbox[next])
      next += 1
    }
    inbox.removeAll(keepingCapacity: inbox.count <= 64)
    alarm?.set(at: tracker?.nextDeadline)
    watchdog?.progress()
    noticeClock()
  }

  private func handle(_ event: Event) {
    var effects: [Effect] = []
    swap(&effects, &spare)
    tracker?.handle(event, at: loop.now, into: &effects)
    for effect in effects { perform(effect) }
    guard effects.count <= Self.spareLimit else { return }
    effects.removeAll(keepingCapacity: true)
    spare = effects
  }

  func perform(_ effect: Effect) {
    switch effect {
    case .published(let report, let message): published(report, as: message)
    case .announce(let report, let message): announce(report, as: message)
    case .store(let batch, let writes): write(batch, writes)
    case .send(let message): send(message)
    case .deadLetter(let message, let reason): keep(message, because: reason)
    case .load(let after, let limit): store?.load(after: after, limit: limit)
    case .loadIndex(let after, let limit): store?.loadIndex(after: after, limit: limit)
    case .recall(let query, let sender): recall(query, for: sender)
    case .answer(let answer, let sender): reply(answer, to: sender)
    case .settingsChanged(let news):
      let line = news.sentence.plainLine
      news.isOutside ? say(.warning, line, of: .settings) : say(.info, line)
    case .adopt(let settings): adopt(settings)
    case .withheld(let reason): explain(reason)
    case .setReceiver(let isAwake): gpsd?.setAwake(isAwake)
    case .halt(let cause): halt(cause)
    case .setScan(let plan): scanner.setScan(plan)
    }
  }

  private func write(_ batch: UInt64, _ writes: [StoreWrite]) {
    guard let store else { return post(.storeFailed(batch: batch)) }
    store.write(batch: batch, writes)
  }

  /// Withheld reports are an everyday matter: `homeward why` shows them, the journal only when asked to.
  private func explain(_ reason: Reason) {
    if traffic.isWorthALine(reason, at: loop.now.instant) {
      say(.warning, reason.sentence, of: .others)
    } else if log.level >= .debug {
      say(.debug, "withheld: \(reason.sentence)")
    }
  }

  // MARK: Signals

  private func signal(_ number: Int32) {
    number == SIGHUP ? reload(for: nil) : stop()
  }

  /// All or nothing: a file with one bad key changes nothing.
  func reload(for sender: UInt64?) {
    notify.reloading()
    defer { notify.ready() }
    do {
      let decoded = try ConfigurationSource.read(options.configuration, overrides: options.overrides)
      apply(decoded)
      say(.info, "configuration read again from \(options.configuration)")
      if let sender { control?.answer(sender, Answer.done("configuration read again").serialised()) }
    } catch {
      say(.error, "configuration not changed: \(error)")
      if let sender { control?.answer(sender, Answer.failure("not changed: \(error)").serialised()) }
    }
  }

  private func apply(_ decoded: ConfigurationFile.Decoded) {
    var new = Daemon.complete(decoded.configuration, hostName: hostName)
    if new.stateDir != configuration.stateDir || new.controlSocket != configuration.controlSocket {
      say(.warning, "stateDir and controlSocket change only with a restart")
      new.stateDir = configuration.stateDir
      new.controlSocket = configuration.controlSocket
    }
    for warning in decoded.warnings + decoded.skipped.map(\.description) { say(.warning, warning) }
    post(.configured(new, waypoints: decoded.waypoints))
    broker?.askAnew()
  }

  /// What the tracker goes by from here on: the file's settings with those of commands over them.
  func adopt(_ new: Configuration) {
    let isOtherBattery =
      new.batterySource != configuration.batterySource || new.batteryVoltages != configuration.batteryVoltages
    let old = configuration
    configuration = new
    if new.powerFailInput != old.powerFailInput { configurePowerFail() }
    if new.ignitionInput != old.ignitionInput { configureIgnition() }
    if new.vehicleBattery != old.vehicleBattery { configureVehicleBattery() }
    if isOtherBattery { try? configureBattery() }
    encoder = Encoder(
      new, hostName: hostName, clientIDForm: tracker?.clientIDForm ?? .apart, additions: additions)
    configureOwnersPrograms()
    log.level = Log.Level(word: new.logLevel) ?? .info
    scanner.configure(Daemon.scannerSettings(new))
    seal()
    friends?.positions = new.positions
    gpsd?.configure(.init(host: new.gpsdHost, port: new.gpsdPort, device: new.gpsdDevice))
    configureUplink()
  }

  var brokerSettings: BrokerSettings {
    let now = tracker?.wall(at: loop.now) ?? Daemon.plausible(SystemClock.rawWall())
    var settings = BrokerSettings(configuration, topics: encoder.topics, will: encoder.will(at: now))
    settings.hindrance = sealing.obstacle
    return settings
  }

  /// Of the system's clock this will says nothing: a later reader takes its time for true.
  var statusSettings: BrokerSettings {
    let will = encoder.absence(at: tracker?.wall(at: loop.now))
    return brokerSettings.onlyFor(will: sealing.sealed(will) ?? will)
  }

  /// A will needs a time before any clock is trusted. The system's own may do there, and only there, if
  /// it is not from before this program (2026-11-01): it was kept by a battery or by the last shutdown.
  private static func plausible(_ wall: WallTime) -> WallTime? {
    wall.seconds > 1_793_491_200 ? wall : nil
  }

  /// The first trusted clock: the will of the next connection is dated by it.
  private func noticeClock() {
    guard !isClockKnown, tracker?.wall(at: loop.now) != nil else { return }
    isClockKnown = true
    broker?.configure(brokerSettings)
    statusConnection?.configure(statusSettings)
  }

  private func stop() {
    guard !isStopping else { return }
    isStopping = true
    say(.info, "homewardd ends")
    notify.stopping()
    endWithLateStore()
  }

  /// The orderly end: what is in hand goes to the disk, the broker is told, then the loop ends.
  func finish() {
    isStopping = true
    post(.stopping)
    drain()
    gpsd?.close()
    scanner.close()
    control?.close()
    broker?.shutDown(within: .seconds(2))
    // After the farewell is out: killed meanwhile, the board is gone all the same.
    statusConnection?.shutDown(within: .seconds(1))
    poster?.shutDown(within: .seconds(2))
    // What was acknowledged in these seconds need not be sent again after the start.
    drain()
    hook?.close()
    extras?.close()
    friends?.close()
    store?.close()
    disk.finish()
    log.flush()
    loop.stop()
  }
}
