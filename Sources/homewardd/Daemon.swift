import Answers
import Core
import Glibc
import Host
import Loop
import Model
import OwnTracks
import Storage
import Timebase

/// Holds everything together and decides nothing. One wake-up has four steps, always in this order: the
/// ready adapters post events; every event goes to the tracker; what must survive is handed to the
/// store; then things are sent.
final class Daemon {
  private let options: Options
  private let ground: Groundwork
  private let ports: Ports
  /// Of the file, until the tracker takes them.
  private var waypoints: [WaypointEntry]
  private lazy var storage = StoreAccess(
    loop: ground.loop, worker: ground.disk, directory: ports.settings.configuration.board.stateDir,
    friends: ports.friends, host: ports.host, log: ports.log
  ) { [unowned self] in heard($0) }
  /// Once there is a tracker to ask.
  private var people: People?
  private var routes: NetworkWatch?
  private var signals: Signals?
  private var alarm: Loop.Timer?
  private var watchdog: Watchdog?
  private var farewell: Loop.Timer?
  private var exitStatus: Int32 = 0
  private var isStopping = false
  /// A wipe to be done at the end, and the client that waits for its answer.
  private var wipe: (extent: StoreWipe.Extent, sender: UInt64)?

  init(options: Options, decoded: ConfigurationFile.Decoded, hostName: String) throws {
    self.options = options
    waypoints = decoded.waypoints
    let settings = SettingsInForce(file: decoded.configuration, hostName: hostName)
    ground = try Groundwork(scanner: settings.scanner)
    let level = Log.Level(settings.configuration.board.logLevel)
    let log = ServiceLog(loop: ground.loop, log: Log(level: level))
    ports = Ports(ground, settings, log)
    signals = Signals(loop: ground.loop, ground.signals) { [unowned self] in signal($0) }
    for remark in decoded.remarks { log.say(.warning, remark) }
    ports.connection.seal()
  }

  // MARK: From the start to the end

  /// Returns the exit status when everything is over.
  func run() -> Int32 {
    ports.log.say(.info, "homewardd \(Release.version) started, configuration \(options.configuration)")
    alarm = ground.loop.makeTimer { [host = ports.host] in host.post(.tick) }
    ground.loop.afterHandlers = { [unowned self] in drain() }
    do {
      try startSensors()
    } catch {
      fail("\(error)", status: Main.softwareError)
      return exitStatus
    }
    ProgramMemory.letGoOfStart()
    storage.open()
    ground.loop.run()
    return exitStatus
  }

  /// Before the store is open: a disk that takes its time costs no fix.
  private func startSensors() throws(LoopError) {
    routes = try NetworkWatch(loop: ground.loop) { [host = ports.host, connection = ports.connection] event in
      switch event {
      case .networkChanged(let network): host.post(.networkChanged(network))
      case .routeChanged(let isUsable): if isUsable { connection.routeChanged() }
      }
    }
    try ports.board.start(ports.settings.configuration)
    ports.source.start()
  }

  private func heard(_ event: StoreAccess.Event) {
    switch event {
    case .opened(let snapshot):
      ports.connection.settleRefused(snapshot)
      begin(snapshot)
    case .missing: begin(.withoutStore(at: SystemClock.rawWall()))
    case .failed(let sentence): fail(sentence, status: Main.softwareError)
    case .isBack(let earlier):
      ports.connection.settleRefused(earlier)
      handOver(to: earlier)
    case .notTaken(let before):
      ports.host.restore(before)
      ports.connection.configure()
    case .resumed(let snapshot): takeUp(snapshot)
    case .unreadable(let sentence):
      // Only a start reads it again.
      ports.log.say(.error, "store: \(sentence); starting anew")
      exitStatus = Main.temporaryFailure
      finish()
    case .ended: finish()
    }
  }

  private func begin(_ snapshot: Snapshot) {
    // Settings that commands have changed are known only now, from the store.
    let settings = ports.settings
    let file = settings.configuration
    settings.additions.facts = { [ports] in
      BoardFacts(
        hostName: ports.settings.hostName, uptime: ports.loop.now.instant,
        hasBarometer: ports.board.barometer.pressure() != nil,
        health: ports.board.health.look(at: ports.loop.now.instant), receiver: ports.source.status,
        radio: ports.scanner.status)
    }
    let tracker = Tracker(configuration: file, snapshot: snapshot, encoder: settings.encoder)
    ports.host.begin(tracker)
    settings.adopt(file, tracker.clientIDForm)
    if tracker.settings != file { adopt(tracker.settings) }
    do {
      people = try People(
        ports, storage, disk: ground.disk, started: ground.started,
        friendNames: options.folder + "/friends.d"
      ) { [unowned self] event in
        switch event {
        case .reload(let sender): reload(for: sender)
        case .link(let order, let sender): link(order, for: sender)
        case .wipe(let extent, let sender): wipe(extent, for: sender)
        }
      }
    } catch {
      return fail("\(error)", status: Main.softwareError)
    }
    ProgramMemory.letGoOfStart()
    ports.memory.grew()
    // Before what the sensors said meanwhile: their fixes cross these regions.
    ports.host.postFirst(.configured(file, waypoints: waypoints))
    waypoints = []
    ports.owners.configure(.init(settings.configuration))
    ports.outage.configure(seconds: settings.configuration.programs.onOutage)
    ports.connection.configure()
    watchdog = Watchdog(loop: ground.loop, notify: ground.notify, disk: ground.disk) { [people, ports] in
      // It wakes up for the watchdog anyway.
      ports.board.health.look(at: ports.loop.now.instant)
      return people?.standing ?? "starting"
    }
    ports.log.say(
      .info,
      "ready: mode \(tracker.mode.label), \(snapshot.queued) messages waiting, topic "
        + "\(settings.encoder.topics.base)")
    if !settings.encoder.topics.isIdentityValid {
      ports.log.say(.warning, "nothing is published before username is set in \(options.configuration)")
    }
    ground.notify.ready()
  }

  private func signal(_ number: Int32) {
    number == SIGHUP ? reload(for: nil) : stop()
  }

  /// Nothing can go on; systemd starts us again.
  private func fail(_ text: String, status: Int32) {
    ports.log.say(.error, text)
    exitStatus = status
    ground.loop.stop()
  }

  private func stop() {
    guard !isStopping else { return }
    isStopping = true
    ports.log.say(.info, "homewardd stopped")
    ground.notify.stopping()
    storage.end()
  }

  /// The orderly end: unwritten data goes to the disk, the offline message to the broker, then the loop ends.
  private func finish() {
    isStopping = true
    ports.host.post(.stopping)
    drain()
    ports.source.close()
    ports.scanner.close()
    if wipe == nil { people?.close() } else { people?.end() }
    ports.connection.shutDown()
    // Messages acknowledged in these seconds need not be sent again after the start.
    drain()
    ports.reasons.note(ports.host.takeReasons(evenCounts: true))
    ports.reasons.close()
    ports.owners.close()
    ports.friends.close()
    ports.recorder.close()
    storage.close()
    ground.disk.finish()
    if wipe != nil { return throwAway() }
    ports.log.flush()
    ground.loop.stop()
  }

  // MARK: A wipe

  /// A tracker that goes on would write the next place within a second: it ends, as after SIGTERM, and what it has
  /// written goes. The daemon stays down until a person starts it.
  private func wipe(_ extent: StoreWipe.Extent, for sender: UInt64) {
    guard !isStopping else { return }
    isStopping = true
    wipe = (extent, sender)
    ports.log.say(.warning, "stopping to erase location data, as requested on this board")
    storage.end()
  }

  /// The store is closed, and nothing writes any more.
  private func throwAway() {
    guard let wipe else { return }
    let directory = ports.settings.configuration.board.stateDir
    let answer: JSON
    do {
      ReasonFiles.remove(in: ports.settings.runtimeDirectory)
      let report = try StoreWipe.run(in: directory, wipe.extent)
      SettingsInForce.recordings(ports.settings.configuration).discard()
      let next = "\nThe tracker has ended; to begin anew: sudo systemctl start homeward"
      answer = Answer.done(report.text(wipe.extent, in: directory) + next)
      exitStatus = Main.wiped
      ports.log.say(.info, "wiped; it has to be started to go on")
    } catch {
      answer = Answer.failure("not wiped: \(error.sentence); stop the tracker and do it again")
      exitStatus = Main.wiped
      ports.log.say(.error, "not wiped: \(error.sentence)")
    }
    people?.answer(wipe.sender, answer)
    ports.log.flush()
    // The answer is written by the loop.
    farewell = ground.loop.makeTimer { [unowned self] in
      people?.close()
      ground.loop.stop()
    }
    farewell?.set(at: ground.loop.now.instant + .milliseconds(500))
  }

  // MARK: The four steps

  private func drain() {
    if ports.localTime.isLooking { ports.localTime.notice() }
    guard ports.host.drain({ perform($0) }) else { return }
    if ports.host.hasReasons { ports.reasons.note(ports.host.takeReasons()) }
    alarm?.set(at: ports.host.nextDeadline)
    watchdog?.progress()
    ports.connection.noticeClock()
    if ports.outage.isOn { ports.outage.notice(isOut: ports.connection.isOut) }
  }

  // MARK: The connection

  private func link(_ order: DaemonRequest.LinkOrder, for sender: UInt64) {
    if order == .disconnect {
      // Subscribers are informed over the connection that is being closed.
      ports.host.post(.leavingServer)
      drain()
    }
    people?.answer(sender, ports.connection.obey(order))
  }

  // MARK: Settings

  /// All or nothing: a file with one bad key changes nothing.
  private func reload(for sender: UInt64?) {
    ground.notify.reloading()
    defer { ground.notify.ready() }
    people?.readFriendNames()
    do {
      let decoded = try ConfigurationSource.read(options.configuration, overrides: options.overrides)
      apply(decoded)
      ports.log.say(.info, "configuration read again from \(options.configuration)")
      if let sender { people?.answer(sender, Answer.done("configuration read again")) }
    } catch {
      ports.log.say(.error, "configuration not changed: \(error)")
      if let sender { people?.answer(sender, Answer.failure("not changed: \(error)")) }
    }
  }

  private func apply(_ decoded: ConfigurationFile.Decoded) {
    let configuration = ports.settings.configuration
    var new = SettingsInForce.complete(decoded.configuration, hostName: ports.settings.hostName)
    if new.board.stateDir != configuration.board.stateDir
      || new.board.controlSocket != configuration.board.controlSocket
    {
      ports.log.say(.warning, "stateDir and controlSocket change only with a restart")
      new.board.stateDir = configuration.board.stateDir
      new.board.controlSocket = configuration.board.controlSocket
    }
    for remark in decoded.remarks { ports.log.say(.warning, remark) }
    ports.host.post(.configured(new, waypoints: decoded.waypoints))
    ports.connection.askAnew()
  }

  // MARK: A store that is opened late

  /// The tracker is written down and decides no more before it has been read; what is heard meanwhile waits.
  private func handOver(to earlier: Snapshot) {
    ports.log.say(.warning, "store available again; writing what was held in memory")
    drain()
    // Messages in flight would be acknowledged to a tracker that has not read them yet: they are sent again.
    ports.connection.retire()
    drain()
    ports.connection.forget()
    guard let (before, effects) = ports.host.handOver(to: earlier) else { return }
    storage.handOver(from: before, over: earlier)
    for effect in effects { perform(effect) }
    storage.handedOver()
  }

  private func takeUp(_ snapshot: Snapshot) {
    for effect in ports.host.takeUp(snapshot) { perform(effect) }
    // The tracker goes on as from a start.
    ports.source.setAwake(true)
    ports.switchOff.ask(nil)
    ports.localTime.tellAnew()
    adopt(ports.host.settings ?? ports.settings.configuration)
    ports.host.goOn()
    ports.log.say(.info, "store: in use again, \(snapshot.queued) messages waiting")
  }
}

/// The effects, and the objects that perform them.
extension Daemon: EffectWorld {
  func published(_ report: Report, as message: Message) {
    ports.connection.hurry(isAsked: false)
    ports.owners.published(report, as: message)
  }
  func announce(_ report: Report, as message: Message) { ports.connection.announce(report, as: message) }
  func send(_ message: Message) { ports.connection.send(message) }
  func takeBack(over message: Message?) { ports.connection.takeBack(over: message) }
  func keep(_ message: Message, because reason: String) { ports.connection.keep(message, because: reason) }
  func takeRefused(first: UInt64, for sender: UInt64) { people?.takeRefused(first: first, for: sender) }
  func forgetRefused(first: UInt64) { ports.connection.forgetRefused(first: first) }

  func write(_ batch: UInt64, _ writes: [StoreWrite]) { storage.write(batch, writes) }
  func load(after sequence: UInt64, limit: Int) { storage.load(after: sequence, limit: limit) }
  func loadIndex(after sequence: UInt64, limit: Int) { storage.loadIndex(after: sequence, limit: limit) }

  func recall(_ query: HistoryQuery, for sender: UInt64) { people?.recall(query, for: sender) }
  func reply(_ answer: ControlAnswer, to sender: UInt64) { people?.reply(answer, to: sender) }
  func explain(withheld reason: Reason) { ports.log.explain(reason) }

  func tell(_ news: SettingsNews) {
    let line = news.sentence.plainLine
    if news.isOutside { ports.log.say(.warning, line, of: .settings) } else { ports.log.say(.info, line) }
  }

  /// Puts settings in force: the file's with those of commands over them.
  func adopt(_ new: Configuration) {
    let settings = ports.settings
    let old = settings.configuration
    settings.adopt(new, ports.host.clientIDForm ?? .apart)
    ports.board.adopt(new, after: old)
    ports.owners.configure(.init(new))
    ports.outage.configure(seconds: new.programs.onOutage)
    ports.localTime.settingsChanged()
    ports.log.adopt(new.board.logLevel)
    ports.recorder.configure(settings.recording)
    ports.scanner.configure(settings.scanner)
    ports.connection.seal()
    ports.friends.positions = new.history.positions
    ports.source.configure(new.receiver)
    ports.connection.configure()
  }

  func setScan(_ plan: ScanPlan) { ports.scanner.setScan(plan) }
  func setReceiver(isAwake: Bool) { ports.source.setAwake(isAwake) }
  func switchOff(_ cause: HaltCause?) { ports.switchOff.ask(cause) }
}
