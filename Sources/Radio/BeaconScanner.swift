import CBlueZ
import Glibc
import Loop
import Model
import Timebase

/// Hears iBeacons. It performs the orders of `BeaconRadio`, reads what arrives, and posts the wanted part.
///
/// Capabilities are used before it is made (`BluetoothAccess`) and given up as soon as they are no longer needed:
/// the management socket keeps its rights for all its life, only raw scanning needs CAP_NET_RAW each time.
public final class BeaconScanner {
  /// Events, posted on the loop's thread.
  public enum Event: Sendable {
    /// A beacon that the plan asks for.
    case sighted(Sighting)
    /// Whether it hears, where that is new.
    case stateChanged(ScannerState)
    /// A line for the journal, once each.
    case info(String)
    /// The same of what a person may have to look after.
    case warning(String)
  }

  private let loop: EventLoop
  private let post: (Event) -> Void
  /// For what the kernel may take seconds over; without one an adapter is never blocked by its switch.
  private let worker: Worker?
  var radio: BeaconRadio
  private var match = BeaconMatch()
  private var management: BeaconSocket?
  private var rawSocket: BeaconSocket?
  private var posted: ScannerState?
  private let handleFile: MonitorHandleFile
  private let resetRequest: AdapterResetRequest?
  private var antenna: (address: UInt64?, isShared: Bool) = (nil, false)
  private(set) var reception = ReceptionRatio()
  private var unregistered = UnregisteredBeacons()
  private var watchers: Timer?
  /// Made at once: `deinit` turns it off, and an object being deinitialised cannot set up a timer any more.
  private var timer: Timer?
  /// Totals since the start.
  public private(set) var counters = Counters()

  /// Since the start.
  public struct Counters: Hashable, Sendable {
    /// Advertisements that came as far as the process.
    public var reports = 0
    /// Of those, iBeacons.
    public var beacons = 0
    /// Of those, wanted ones.
    public var sightings = 0

    /// Nothing was heard yet.
    public init() {}
  }

  /// `worker` may be shared; nil: see there.
  public init(
    loop: EventLoop, worker: Worker?, access: BluetoothAccess, settings: Settings = Settings(),
    post: @escaping (Event) -> Void
  ) {
    self.loop = loop
    self.worker = worker
    self.post = post
    handleFile = MonitorHandleFile(directory: settings.directory)
    resetRequest = AdapterResetRequest(directory: settings.directory)
    radio = BeaconRadio(
      settings: settings.forRadio, mayUseRaw: access.mayUseRaw,
      leftover: handleFile.read(),
      isBlocked: { RFKill.isBlocked("hci\($0)") })
    timer = loop.makeTimer { [unowned self] in timerFired() }
    // Nothing is asked of it yet, and nothing that arrives there wakes the process.
    if let management = access.management { adopt(management) }
  }

  /// With a management socket that is open already, and trusted.
  init(loop: EventLoop, management descriptor: Int32, post: @escaping (Event) -> Void) {
    self.loop = loop
    self.post = post
    worker = nil
    handleFile = MonitorHandleFile(directory: "")
    resetRequest = nil
    radio = BeaconRadio()
    timer = loop.makeTimer { [unowned self] in timerFired() }
    adopt(.init(descriptor: descriptor, isTrusted: true))
  }

  deinit { close() }

  /// Sets the scan plan from now on.
  public func setScan(_ plan: ScanPlan) {
    if plan.wanted != radio.demand.plan.wanted { match = BeaconMatch(plan.wanted) }
    drive { $0.planned(plan, at: $1) }
  }

  /// Another adapter or method takes effect at once; the directory is only read at the start.
  public func configure(_ settings: Settings) {
    guard settings.forRadio != radio.setup.settings else { return }
    drive { $0.configured(settings.forRadio, at: $1) }
  }

  /// A person looks: for so long from now it listens to every sender, whatever the plan. Returns the strangers heard
  /// since a person began to look.
  public func unregistered(watchFor span: Span) -> UnregisteredBeacons {
    if watchers == nil { watchers = loop.makeTimer { [unowned self] in stopWatching() } }
    watchers?.set(at: loop.now.instant + span)
    if !radio.demand.isWatched { drive { $0.watched(true, at: $1) } }
    return unregistered
  }

  private func stopWatching() {
    unregistered.forget()
    drive { $0.watched(false, at: $1) }
  }

  /// Withdraws what it asked of the kernel, without waiting for answers.
  public func close() {
    drive { $0.stopped(at: $1) }
    // The answer will not be heard. Where its end was not asked for, because the kernel owes another answer, the next
    // start removes what is left.
    if radio.removesMonitor { handleFile.write(nil) }
    timer?.cancel()
    watchers?.cancel()
    rawSocket?.close()
    management?.close()
  }

  // MARK: Performing

  private func drive(_ input: (inout BeaconRadio, Instant) -> Void) {
    input(&radio, loop.now.instant)
    obey()
  }

  private func obey() {
    // Opening answers at once, and the answer may order more.
    while true {
      let orders = radio.take()
      if orders.isEmpty { break }
      for order in orders { perform(order) }
    }
    timer?.set(at: radio.deadline)
    if radio.setup.mayUseRaw, radio.setup.monitor.handle != nil, radio.isObeyed { giveUpRaw() }
    guard let isHearing = radio.isHearing else { return }
    let state = ScannerState(isHearing: isHearing, sharesAntenna: sharesAntenna)
    guard state != posted else { return }
    posted = state
    post(.stateChanged(state))
  }

  private func perform(_ order: BeaconRadio.Order) {
    let now = loop.now.instant
    switch order {
    case .openManagement:
      let failure = management == nil ? openManagement() : nil
      radio.managementOpened(failure, isTrusted: isTrusted, at: now)
    case .manage(let command, let index, let parameters):
      _ = management?.send(BluetoothManagement.packet(command, index, parameters))
    case .openRaw(let index, let hears): openRaw(index, hears: hears, at: now)
    case .closeRaw:
      rawSocket?.close()
      rawSocket = nil
    case .command(let opcode, let parameters): _ = rawSocket?.send(command: opcode, parameters)
    case .filter(let filter):
      management?.attach(filter.managementProgram)
      if radio.setup.raw.hears { rawSocket?.attach(filter.rawProgram) }
    case .block(let index): block(index)
    case .record(let monitor): handleFile.write(monitor)
    case .say(let isWarning, let text): post(isWarning ? .warning(text) : .info(text))
    }
  }

  /// The kernel may wait seconds for such an adapter, so a worker does.
  private func block(_ index: UInt16) {
    guard let worker else { return drive { $0.blocked("no thread for it", at: $1) } }
    worker.perform { [resetRequest] in
      RFKill.blockOnce("hci\(index)", resetRequest: resetRequest)
    } then: { [weak self] failure in
      self?.drive { $0.blocked(failure, at: $1) }
    }
  }

  private var isTrusted = false

  /// Why there is no Bluetooth here; nil: there is.
  private func openManagement() -> String? {
    isTrusted = BluetoothAccess.isTrusted
    switch BluetoothAccess.openManagement() {
    case .success(let opened):
      adopt(opened)
      return nil
    case .failure(let failure): return failure.text
    }
  }

  private func adopt(_ opened: BluetoothAccess.Management) {
    isTrusted = opened.isTrusted
    management = BeaconSocket(loop: loop, descriptor: opened.descriptor) { [unowned self] in managed($0) }
    management?.attach(radio.filter.managementProgram)
  }

  private func openRaw(_ index: UInt16, hears: Bool, at now: Instant) {
    rawSocket?.close()
    let descriptor = cbluez_open_raw(index, hears ? 1 : 0)
    guard descriptor >= 0 else {
      let failure = "raw socket of hci\(index): \(String(cString: strerror(errno)))"
      return radio.rawOpened(failure, hears: hears, at: now)
    }
    rawSocket = BeaconSocket(loop: loop, descriptor: descriptor) { [unowned self] in rawArrived($0) }
    rawSocket?.attach((hears ? radio.filter : .nothing).rawProgram)
    radio.rawOpened(nil, hears: hears, at: now)
  }

  /// The kernel takes our monitors and the adapter obeys it: raw scanning will not be needed.
  private func giveUpRaw() {
    guard geteuid() != 0 else { return }
    radio.rawGivenUp()
    Capabilities.giveUp()
  }

  // MARK: Hearing

  private func timerFired() { drive { $0.timerFired(at: $1) } }

  private func managed(_ packet: UnsafeRawBufferPointer) {
    if let advertisement = BluetoothManagement.advertisement(packet) { return heard(advertisement) }
    guard packet.count >= BluetoothManagement.headerSize else { return }
    let index = packet.word16(at: 2)
    let rest = packet.slice(6, packet.count - 6)
    switch packet.word16(at: 0) {
    case BluetoothManagement.Event.complete, BluetoothManagement.Event.status:
      guard rest.count >= 3 else { return }
      let bytes = rest.slice(3, rest.count - 3)
      drive { $0.replied(rest.word16(at: 0), index, status: rest[2], bytes, at: $1) }
    case BluetoothManagement.Event.indexAdded: drive { $0.indexAdded(at: $1) }
    case BluetoothManagement.Event.indexRemoved: drive { $0.lost(index, at: $1) }
    case BluetoothManagement.Event.newSettings where rest.count >= 4:
      drive { $0.settingsChanged(index, .init(rawValue: rest.word32(at: 0)), at: $1) }
    case BluetoothManagement.Event.monitorRemoved where rest.count >= 2:
      drive { $0.monitorRemoved(index, rest.word16(at: 0), at: $1) }
    default: break
    }
  }

  private func rawArrived(_ packet: UnsafeRawBufferPointer) {
    var reports = BeaconReports(packet)
    while let advertisement = reports.next() { heard(advertisement) }
    guard packet.count >= 7, packet[0] == HCI.eventPacket else { return }
    switch packet[1] {
    // Command complete: how many more, opcode, status, and what was asked for.
    case HCI.commandComplete:
      let bytes = packet.slice(7, packet.count - 7)
      drive { $0.answered(packet.word16(at: 4), status: packet[6], bytes, at: $1) }
    // Command status: status, how many more, opcode.
    case HCI.commandStatus:
      drive { $0.answered(packet.word16(at: 5), status: packet[3], packet.slice(7, 0), at: $1) }
    default: break
    }
  }

  private func heard(_ advertisement: Advertisement) {
    counters.reports &+= 1
    let wasUnsure = radio.isUnsure
    radio.heard(isReadable: BeaconFrame.isReadable(advertisement.data), at: loop.now.instant)
    if wasUnsure { obey() }
    guard let sighting = advertisement.sighting else { return }
    counters.beacons &+= 1
    guard match.contains(sighting.beacon) else {
      if radio.demand.isWatched { unregistered.heard(sighting, at: loop.now.instant) }
      return
    }
    counters.sightings &+= 1
    reception.heard(sighting.beacon, at: loop.now.instant)
    post(.sighted(sighting))
  }

  /// Looked up once for each adapter: neither changes places.
  private var sharesAntenna: Bool {
    guard let adapter = radio.adapter else { return antenna.isShared }
    if antenna.address != adapter.address {
      antenna = (adapter.address, BeaconAntenna.isShared(bus: adapter.bus))
    }
    return antenna.isShared
  }
}
