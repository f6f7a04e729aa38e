import Answers
import Core
import Host
import Loop
import Model
import OwnTracks
import Radio
import Receiver
import Storage
import Timebase
import Uplink

/// Who posts what. The store comes first: without it the tracker would not know what it still owes.
extension Daemon {
  func openStore() {
    let store = Store(loop: loop, worker: disk) { [unowned self] in heard($0) }
    store.open(directory: configuration.stateDir) { [unowned self] opened in
      switch opened {
      case .success(let snapshot):
        self.store = store
        begin(snapshot)
      case .failure(let error) where error.isFull && FriendBook.giveWay(in: configuration.stateDir):
        say(.warning, "store: \(error.sentence); what friends have told is given up for it")
        openStore()
      case .failure(let error):
        guard error.mayHeal else { return fail(error.sentence, status: Main.softwareError) }
        goOnWithout(store, because: error)
      }
    }
  }

  /// What others have told gives way to what is ours. Their broker has the newest of it.
  func makeRoom() {
    guard let friends, !friends.isPaused else { return }
    say(.warning, "store: what friends have told is given up to make room")
    friends.giveWay()
  }

  func begin(_ snapshot: Snapshot) {
    // What commands have changed is known only now, from the store.
    let file = configuration
    additions.facts = { [unowned self] in boardFacts() }
    let tracker = Tracker(configuration: file, snapshot: snapshot, encoder: encoder)
    self.tracker = tracker
    isDeciding = true
    encoder = Encoder(
      file, hostName: hostName, clientIDForm: tracker.clientIDForm, additions: additions)
    if tracker.settings != file { adopt(tracker.settings) }
    do {
      control = try ControlSocket(loop: loop, path: configuration.controlSocket) { [unowned self] in heard($0)
      }
    } catch {
      return fail("\(error)", status: Main.softwareError)
    }
    // Before what the sensors said meanwhile: their fixes cross these regions.
    inbox.insert(.configured(file, waypoints: waypoints), at: 0)
    waypoints = []
    let friends = FriendBook(
      loop: loop, worker: disk, directory: configuration.stateDir, positions: configuration.positions
    ) { [unowned self] event in
      if case .warning(let text) = event { say(.warning, text) }
    }
    self.friends = friends
    configureOwnersPrograms()
    configureUplink()
    watchdog = Watchdog(loop: loop, notify: notify, disk: disk) { [unowned self] in standing() }
    say(
      .info,
      "ready: mode \(tracker.mode.label), \(snapshot.queued) messages waiting, topic \(encoder.topics.base)"
    )
    if !encoder.topics.isIdentityValid {
      say(.warning, "nothing is published before username is set in \(options.configuration)")
    }
    notify.ready()
  }

  /// Before the store is open: a disk that takes its time costs no fix.
  func startSensors() throws(LoopError) {
    routes = try NetworkWatch(loop: loop) { [unowned self] event in
      switch event {
      case .networkChanged(let network): post(.networkChanged(network))
      case .routeChanged(let isUsable): if isUsable { uplinkRouteChanged() }
      }
    }
    try configureBattery()
    configurePowerFail()
    // Of a daemon before this one.
    HaltRequest.withdraw(runtimeDirectory + "/halt")
    configureIgnition()
    configureVehicleBattery()
    let gpsd = GPSD(
      loop: loop, worker: network,
      settings: .init(
        host: configuration.gpsdHost, port: configuration.gpsdPort, device: configuration.gpsdDevice)
    ) { [unowned self] in heard($0) }
    self.gpsd = gpsd
    gpsd.start()
  }

  // MARK: What adapters say

  private func heard(_ event: GPSD.Event) {
    switch event {
    case .reading(let reading):
      measurePressure()
      extras?.look()
      post(.reading(reading))
    case .reached:
      say(.info, "gpsd reached at \(configuration.gpsdHost):\(configuration.gpsdPort)")
      post(.gpsdReached(true))
    case .lost(let cause):
      say(.warning, "gpsd lost: \(cause)")
      post(.gpsdReached(false))
    case .warning(let text): say(.warning, text)
    }
  }

  /// The barometer is read where a fix may be published, at most every ten seconds: air is slow.
  private func measurePressure() {
    guard loop.now.instant >= traffic.nextPressure else { return }
    traffic.nextPressure = loop.now.instant + .seconds(10)
    post(.pressureMeasured(barometer.pressure()))
  }

  func heard(_ event: Broker.Event) {
    switch event {
    case .connected(_, let receiveMaximum):
      let missing = broker?.status.notSubscribed.filter { $0.word != "unanswered" } ?? []
      let without = missing.map(\.description).joined(separator: ", ")
      say(
        missing.isEmpty ? .info : .warning,
        "connected to \(server)" + (missing.isEmpty ? "" : "; not subscribed: \(without)"), of: .connection)
      // Start, lookup and handshake are over, for hours as a rule.
      ProgramMemory.letGoOfStart()
      statusConnection?.firstConnected()
      post(.brokerConnected(receiveMaximum: receiveMaximum))
    case .lost(let cause):
      say(.warning, "broker \(server): \(cause)", of: .connection)
      let isFarewellSaid = cause == .settingsChanged || cause == .switchedOff
      statusConnection?.firstLost(cause, isFarewellSaid: isFarewellSaid)
      post(.brokerLost)
    case .acknowledged(let sequences): post(.acknowledged(sequences))
    case .refused(let sequence, let cause):
      refused(sequence, by: "the broker", cause)
    case .postponed(let sequence, let cause): postponed(sequence, cause)
    case .sendFailed(let sequence): post(.sendFailed(sequence))
    case .received(let topic, let payload, let isRetained):
      received(topic: topic, payload: payload, isRetained: isRetained)
    }
  }

  func heard(_ event: BeaconScanner.Event) {
    switch event {
    case .sighted(let sighting): post(.sighted(sighting))
    case .stateChanged(let state): post(.scannerChanged(state))
    case .info(let text): say(.info, text)
    case .warning(let text): say(.warning, text)
    }
  }

  private func heard(_ event: Store.Event) {
    if heardLate(event) { return }
    switch event {
    case .stored(let batch):
      friends?.isPaused = false
      post(.stored(batch: batch))
    case .failed(let batch, let cause, let isFull):
      if traffic.isTime(for: "store \(cause)", at: loop.now.instant, gap: .minutes(10)) {
        say(.error, "store: \(cause); going on in memory")
      }
      if isFull { makeRoom() }
      post(.storeFailed(batch: batch))
    case .loaded(let messages): post(.loaded(messages))
    case .indexed(let page): post(.indexed(page))
    case .noticed(let text): say(.warning, "store: \(text)")
    }
  }

  private func heard(_ event: ControlSocket.Event) {
    switch event {
    case .request(let id, let line, let isRoot):
      do {
        let words = try ControlLine.words(line)
        if answerOfFriends(words, to: id) { return }
        if let answer = beaconAnswer(words) { return control?.answer(id, answer.serialised()) ?? () }
        let request = try ControlLine.parse(words, numberBase: numberBase)
        if request == .reload { return reload(for: id) }
        post(.control(request, from: id, byRoot: isRoot))
      } catch {
        control?.answer(id, Answer.failure("\(error)").serialised())
      }
    }
  }

  private var numberBase: BeaconNumberBase {
    BeaconNumberBase(rawValue: configuration.beaconNumberBase) ?? .auto
  }
}
