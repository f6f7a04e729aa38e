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
  private let runtime: Runtime
  private let subsystems: Subsystems
  /// Of the file, until the tracker takes them.
  private var waypoints: [WaypointEntry]
  private lazy var storage = StoreAccess(
    loop: runtime.loop, worker: runtime.disk, directory: subsystems.settings.configuration.board.stateDir,
    friends: subsystems.friends, host: subsystems.host, log: subsystems.log
  ) { [unowned self] in heard($0) }
  /// Once there is a tracker to ask.
  private var controlServer: ControlServer?
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
    runtime = try Runtime(scanner: settings.scanner)
    let level = Log.Level(settings.configuration.board.logLevel)
    let log = ServiceLog(loop: runtime.loop, log: Log(level: level))
    subsystems = Subsystems(runtime, settings, log)
    signals = Signals(loop: runtime.loop, runtime.signals) { [unowned self] in signal($0) }
    for line in decoded.remarks + ConfigurationSource.missingFiles(decoded) { log.say(.warning, line) }
    subsystems.connection.seal()
  }

  // MARK: From the start to the end

  /// Returns the exit status when everything is over.
  func run() -> Int32 {
    subsystems.log.say(.info, "homewardd \(Release.version) started, configuration \(options.configuration)")
    alarm = runtime.loop.makeTimer { [host = subsystems.host] in host.post(.tick) }
    runtime.loop.afterHandlers = { [unowned self] in drain() }
    do {
      try startSensors()
    } catch {
      fail("\(error)", status: Main.softwareError)
      return exitStatus
    }
    ProgramMemory.letGoOfStart()
    storage.open()
    runtime.loop.run()
    return exitStatus
  }

  /// Before the store is open: a disk that takes its time costs no fix.
  private func startSensors() throws(LoopError) {
    routes = try NetworkWatch(loop: runtime.loop) {
      [host = subsystems.host, connection = subsystems.connection] event in
      switch event {
      case .networkChanged(let network): host.post(.networkChanged(network))
      case .routeChanged(let isUsable): if isUsable { connection.routeChanged() }
      }
    }
    try subsystems.board.start(subsystems.settings.connecting)
    subsystems.source.start()
  }

  private func heard(_ event: StoreAccess.Event) {
    switch event {
    case .opened(let snapshot):
      subsystems.connection.settleRefused(snapshot)
      begin(snapshot)
    case .missing: begin(.withoutStore(at: SystemClock.rawWall()))
    case .failed(let sentence): fail(sentence, status: Main.softwareError)
    case .isBack(let earlier):
      subsystems.connection.settleRefused(earlier)
      handOver(to: earlier)
    case .notTaken(let before):
      subsystems.host.restore(before)
      subsystems.connection.configure()
    case .resumed(let snapshot): takeUp(snapshot)
    case .unreadable(let sentence):
      // Only a start reads it again.
      subsystems.log.say(.error, "store: \(sentence); starting anew")
      exitStatus = Main.temporaryFailure
      finish()
    case .ended: finish()
    }
  }

  private func begin(_ snapshot: Snapshot) {
    // Settings that commands have changed are known only now, from the store.
    let settings = subsystems.settings
    let file = settings.configuration
    settings.additions.facts = { [subsystems] wall in
      var facts = BoardFacts(
        hostName: subsystems.settings.hostName, uptime: subsystems.loop.now.instant,
        hasBarometer: subsystems.board.hasBarometer,
        health: subsystems.board.health.look(at: subsystems.loop.now.instant),
        receiver: subsystems.source.status, radio: subsystems.scanner.status,
        papers: subsystems.board.papers)
      subsystems.connection.add(to: &facts.fleet, at: subsystems.loop.now.instant, wall)
      return facts
    }
    let tracker = Tracker(configuration: file, snapshot: woken(snapshot), encoder: settings.encoder)
    subsystems.host.begin(tracker)
    settings.adopt(file, tracker.clientIDForm)
    if tracker.settings != file { adopt(tracker.settings) }
    do {
      controlServer = try ControlServer(
        subsystems, storage, disk: runtime.disk, started: runtime.started,
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
    subsystems.memory.grew()
    // Before what the sensors said meanwhile: their fixes cross these regions.
    subsystems.host.postFirst(.configured(file, waypoints: waypoints))
    waypoints = []
    subsystems.extensions.configure(.init(settings.configuration))
    subsystems.outage.configure(seconds: settings.configuration.programs.onOutage)
    subsystems.connection.configure()
    subsystems.certificates.begin()
    watchdog = Watchdog(loop: runtime.loop, notify: runtime.notify, disk: runtime.disk) {
      [controlServer, subsystems] in
      // It wakes up for the watchdog anyway.
      subsystems.board.look()
      return controlServer?.standing ?? "starting"
    }
    subsystems.log.say(
      .info,
      "ready: mode \(tracker.mode.label), \(snapshot.queued) messages waiting, topic "
        + "\(settings.encoder.topics.base)")
    if !settings.encoder.topics.isIdentityValid {
      subsystems.log.say(.warning, "nothing is published until username is set in \(options.configuration)")
    }
    runtime.notify.ready()
  }

  /// Whether its alarm has woken the board, only the board itself can tell.
  private func woken(_ snapshot: Snapshot) -> Snapshot {
    var snapshot = snapshot
    if snapshot.sleep != nil { snapshot.sleep?.isEarly = WakeAlarm().isPending }
    return snapshot
  }

  private func signal(_ number: Int32) {
    number == SIGHUP ? reload(for: nil) : stop()
  }

  /// Nothing can go on; systemd starts us again.
  private func fail(_ text: String, status: Int32) {
    subsystems.log.say(.error, text)
    exitStatus = status
    runtime.loop.stop()
  }

  private func stop() {
    guard !isStopping else { return }
    isStopping = true
    subsystems.log.say(.info, "homewardd stopped")
    runtime.notify.stopping()
    storage.end()
  }

  /// The orderly end: unwritten data goes to the disk, the offline message to the broker, then the loop ends.
  private func finish() {
    isStopping = true
    subsystems.connection.tellCost()
    subsystems.host.post(.stopping)
    drain()
    subsystems.source.close()
    subsystems.scanner.close()
    if wipe == nil { controlServer?.close() } else { controlServer?.end() }
    subsystems.connection.shutDown()
    subsystems.connection.tellCost()
    // Messages acknowledged in these seconds need not be sent again after the start.
    drain()
    subsystems.reasons.note(subsystems.host.takeReasons(evenCounts: true))
    subsystems.reasons.close()
    subsystems.extensions.close()
    subsystems.certificates.close()
    subsystems.friends.close()
    subsystems.recorder.close()
    storage.close()
    subsystems.board.papers.close()
    runtime.disk.finish()
    if wipe != nil { return throwAway() }
    subsystems.log.flush()
    runtime.loop.stop()
  }

  // MARK: A wipe

  /// A tracker that goes on would write the next place within a second: it ends, as after SIGTERM, and what it has
  /// written goes. The daemon stays down until a person starts it.
  private func wipe(_ extent: StoreWipe.Extent, for sender: UInt64) {
    guard !isStopping else { return }
    isStopping = true
    wipe = (extent, sender)
    subsystems.log.say(.warning, "stopping to erase location data, as requested on this board")
    storage.end()
  }

  /// The store is closed, and nothing writes any more.
  private func throwAway() {
    guard let wipe else { return }
    let directory = subsystems.settings.configuration.board.stateDir
    let answer: JSON
    do {
      ReasonFiles.remove(in: subsystems.settings.runtimeDirectory)
      let report = try StoreWipe.run(in: directory, wipe.extent)
      SettingsInForce.recordings(subsystems.settings.configuration).discard()
      let next = "\nThe tracker has ended; to begin anew: sudo systemctl start homeward"
      answer = Answer.done(report.text(wipe.extent, in: directory) + next)
      exitStatus = Main.wiped
      subsystems.log.say(.info, "wiped; start the tracker to continue")
    } catch {
      answer = Answer.failure("not wiped: \(error.sentence); stop the tracker and do it again")
      exitStatus = Main.wiped
      subsystems.log.say(.error, "not wiped: \(error.sentence)")
    }
    controlServer?.answer(wipe.sender, answer)
    subsystems.log.flush()
    // The answer is written by the loop.
    farewell = runtime.loop.makeTimer { [unowned self] in
      controlServer?.close()
      runtime.loop.stop()
    }
    farewell?.set(at: runtime.loop.now.instant + .milliseconds(500))
  }

  // MARK: The four steps

  private func drain() {
    if subsystems.localTime.isLooking { subsystems.localTime.notice() }
    guard subsystems.host.drain({ perform($0) }) else { return }
    if subsystems.host.hasReasons { subsystems.reasons.note(subsystems.host.takeReasons()) }
    alarm?.set(at: subsystems.host.wakeAt)
    subsystems.board.pace(isRare: subsystems.host.mayReadRarely)
    watchdog?.progress()
    if subsystems.outage.isOn { subsystems.outage.notice(isOut: subsystems.connection.isOut) }
  }

  // MARK: The connection

  private func link(_ order: DaemonRequest.LinkOrder, for sender: UInt64) {
    if order == .disconnect {
      // Subscribers are informed over the connection that is being closed.
      subsystems.host.post(.leavingServer)
      drain()
    }
    controlServer?.answer(sender, subsystems.connection.obey(order))
  }

  // MARK: Settings

  /// All or nothing: a file with one bad key changes nothing.
  private func reload(for sender: UInt64?) {
    runtime.notify.reloading()
    defer { runtime.notify.ready() }
    controlServer?.readFriendNames()
    do {
      let decoded = try ConfigurationSource.read(options.configuration, overrides: options.overrides)
      let notes = apply(decoded).map { "\nnote: \($0)" }.joined()
      subsystems.log.say(.info, "configuration read again from \(options.configuration)")
      if let sender { controlServer?.answer(sender, Answer.done("configuration read again\(notes)")) }
    } catch {
      subsystems.log.say(.error, "configuration not changed: \(error)")
      if let sender { controlServer?.answer(sender, Answer.failure("not changed: \(error)")) }
    }
  }

  /// Returns what is not as the file has it, a line each.
  private func apply(_ decoded: ConfigurationFile.Decoded) -> [String] {
    var new = SettingsInForce.complete(decoded.configuration, hostName: subsystems.settings.hostName)
    let fixed = ConfigurationKey.keepFixed(of: subsystems.settings.configuration, in: &new)
    let notes =
      fixed.map { "\($0.name) counts from the next start: sudo systemctl restart homeward" }
      + ConfigurationSource.missingFiles(decoded)
    for line in decoded.remarks + notes { subsystems.log.say(.warning, line) }
    subsystems.host.post(.configured(new, waypoints: decoded.waypoints))
    if subsystems.certificates.look() { subsystems.connection.configure() }
    subsystems.connection.askAnew()
    return notes
  }

  // MARK: A store that is opened late

  /// The tracker is written down and decides no more before it has been read; what is heard meanwhile waits.
  private func handOver(to earlier: Snapshot) {
    subsystems.log.say(.warning, "store available again; writing what was held in memory")
    drain()
    // Messages in flight would be acknowledged to a tracker that has not read them yet: they are sent again.
    subsystems.connection.retire()
    drain()
    subsystems.connection.forget()
    guard let (before, effects) = subsystems.host.handOver(to: earlier) else { return }
    storage.handOver(from: before, over: earlier)
    for effect in effects { perform(effect) }
    storage.handedOver()
  }

  private func takeUp(_ snapshot: Snapshot) {
    subsystems.connection.disownLetters()
    // The tracker goes on as from a start, and may want the receiver to rest at once.
    subsystems.source.setAwake(true, rest: nil)
    subsystems.switchOff.ask(nil)
    for effect in subsystems.host.takeUp(woken(snapshot)) { perform(effect) }
    subsystems.localTime.reportAnew()
    adopt(subsystems.host.settings ?? subsystems.settings.configuration)
    subsystems.host.goOn()
    subsystems.log.say(.info, "store: in use again, \(snapshot.queued) messages waiting")
  }
}

/// The effects, and the objects that perform them.
extension Daemon: EffectWorld {
  func published(_ report: Report, as message: Message) {
    subsystems.connection.hurry(isAsked: false)
    subsystems.extensions.published(report, as: message)
  }
  func announce(_ report: Report, as message: Message) { subsystems.connection.announce(report, as: message) }
  func send(_ message: Message) { subsystems.connection.send(message) }
  func takeBack(over message: Message?) { subsystems.connection.takeBack(over: message) }
  func keep(_ message: Message, because reason: String) {
    subsystems.connection.keep(message, because: reason)
  }
  func takeRefused(first: UInt64, for sender: UInt64) {
    controlServer?.takeRefused(first: first, for: sender)
  }
  func forgetRefused(first: UInt64) { subsystems.connection.forgetRefused(first: first) }

  func write(_ batch: UInt64, _ writes: [StoreWrite]) { storage.write(batch, writes) }
  func load(after sequence: UInt64, limit: Int) { storage.load(after: sequence, limit: limit) }
  func loadIndex(after sequence: UInt64, limit: Int) { storage.loadIndex(after: sequence, limit: limit) }

  func recall(_ query: HistoryQuery, for sender: UInt64) { controlServer?.recall(query, for: sender) }
  func reply(_ answer: ControlAnswer, to sender: UInt64) { controlServer?.reply(answer, to: sender) }
  func explain(withheld reason: Reason) { subsystems.log.explain(reason) }

  func renew(_ order: CertificateOrder) { subsystems.certificates.obey(order) }

  func journal(_ news: SettingsNews) {
    let line = news.sentence.plainLine
    if news.isOutside {
      subsystems.log.say(.warning, line, of: .settings)
    } else {
      subsystems.log.say(.info, line)
    }
  }

  /// Puts settings in force: the file's with those of commands over them.
  func adopt(_ new: Configuration) {
    let settings = subsystems.settings
    let old = settings.configuration
    settings.adopt(new, subsystems.host.clientIDForm ?? .apart)
    _ = subsystems.certificates.look()
    subsystems.board.adopt(settings.connecting, after: old)
    subsystems.extensions.configure(.init(new))
    subsystems.outage.configure(seconds: new.programs.onOutage)
    subsystems.localTime.settingsChanged()
    subsystems.log.adopt(new.board.logLevel)
    subsystems.recorder.configure(settings.recording)
    subsystems.scanner.configure(settings.scanner)
    subsystems.connection.seal()
    subsystems.friends.positions = new.history.positions
    subsystems.source.configure(new.receiver)
    subsystems.connection.configure()
  }

  func setScan(_ plan: ScanPlan) { subsystems.scanner.setScan(plan) }
  func setReceiver(isAwake: Bool, rest: Span?) { subsystems.source.setAwake(isAwake, rest: rest) }
  func switchOff(_ cause: HaltCause?, wakeAfter: Int?) {
    subsystems.switchOff.ask(cause, wakeAfter: wakeAfter)
  }
}
