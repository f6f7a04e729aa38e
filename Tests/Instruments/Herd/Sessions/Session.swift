import Core
import Loop
import Model
import OwnTracks
import Timebase
import Uplink

/// A board: the tracker, its messages and its connection, tied together as `homewardd` does it.
final class Session {
  private let drive: Drive
  private unowned let crowd: Crowd
  private var configuration: Configuration
  private var encoder: Encoder
  private var tracker: Tracker
  private var broker: Broker?
  private var store = QueueInMemory()
  private var inbox: [Event] = []
  private var alarm: Loop.Timer?
  private var isReceiving = true
  private var isParked = false

  init(_ shared: Configuration, number: Int, of crowd: Crowd) {
    self.crowd = crowd
    drive = Drive(number: number)
    configuration = shared
    configuration.identity.deviceId = Self.name(number)
    encoder = Encoder(configuration, hostName: configuration.identity.deviceId)
    tracker = Tracker(configuration: configuration, snapshot: Snapshot(), encoder: encoder)
    broker = Broker(loop: crowd.loop, worker: crowd.worker) { [unowned self] in heard($0) }
    alarm = crowd.loop.makeTimer { [unowned self] in post(.tick) }
    post(.configured(configuration, waypoints: []))
    post(.sourceReached("a drive", true))
    connect()
  }

  private static func name(_ number: Int) -> String {
    let digits = String(number)
    return "b" + String(repeating: "0", count: max(0, 5 - digits.count)) + digits
  }

  // MARK: What happens

  func fixIsDue() {
    if isReceiving { post(.reading(drive.reading(at: SystemClock.rawWall()))) }
  }

  private func post(_ event: Event) {
    if inbox.isEmpty { crowd.note(self) }
    inbox.append(event)
  }

  private func heard(_ event: UplinkEvent) {
    switch event {
    case .connected(let hasForgotten, let receiveMaximum):
      if hasForgotten { post(.discoveryDoubted(isBirth: false)) }
      post(.brokerConnected(receiveMaximum: receiveMaximum))
    case .lost(_, let end): post(.brokerLost(end))
    case .acknowledged(let sequences): post(.acknowledged(sequences))
    case .keptAlive: followVehicle()
    case .refused(let sequence, let cause): post(.refused(sequence, because: "\(cause)"))
    case .postponed(let sequence, _, let letsOthersPass):
      post(.postponed(sequence, letsOthersPass: letsOthersPass))
    case .sendFailed(let sequence): post(.sendFailed(sequence))
    case .placeRetained(let payload): placeRetained(payload)
    case .placeLost: post(.keptPlace(.nothing))
    case .sessionLost: post(.keptPlace(.unknown))
    // Nobody sends anything to these boards.
    case .missing, .cameBack, .hearsCommands, .received, .answered: break
    }
  }

  private func placeRetained(_ payload: [UInt8]) {
    guard let place = try? JSON.parse(payload, values: 1000), place["_type"]?.text == "location",
      let time = place["tst"]?.int
    else { return }
    post(.keptPlace(.place(time: time)))
  }

  private func followVehicle() {
    guard tracker.isParked(at: crowd.loop.now.instant) != isParked else { return }
    isParked = !isParked
    broker?.setParked(isParked)
  }

  // MARK: What is decided

  func decide() {
    var next = 0
    while next < inbox.count {
      for effect in tracker.handle(inbox[next], at: crowd.loop.now) { perform(effect) }
      next += 1
    }
    inbox.removeAll(keepingCapacity: inbox.count < 16)
    alarm?.set(at: tracker.wakeAt)
  }

  private func connect() {
    broker?.configure(
      UplinkSettings(
        configuration, topics: encoder.topics, makeWill: { [unowned self] in makeWill() }, blockedReason: nil)
    )
  }

  private func makeWill() -> Message {
    encoder.will(at: tracker.wall(at: crowd.loop.now) ?? SystemClock.rawWall())
  }

  // MARK: Questions

  /// Messages that are not acknowledged.
  var queued: Int { tracker.status(at: crowd.loop.now).queue.count }
  /// Bytes, with the headers of TCP and IP.
  var carried: Int { broker?.carried ?? 0 }
}

extension Session: EffectWorld {
  func published(_ report: Report, as message: Message) {
    broker?.hurry(isAsked: false)
    if case .location = report { crowd.record.published(configuration.identity.deviceId, at: message.time) }
  }
  func announce(_ report: Report, as message: Message) { broker?.send(message) }
  func send(_ message: Message) { broker?.send(message) }
  func takeBack(over message: Message?) { broker?.takeBack(isOverMessage: message != nil) }

  func write(_ batch: UInt64, _ writes: [StoreWrite]) {
    for write in writes { store.apply(write) }
    post(.stored(batch: batch))
  }
  func load(after sequence: UInt64, limit: Int) {
    post(.loaded(store.messages(after: sequence, limit: limit)))
  }
  func loadIndex(after sequence: UInt64, limit: Int) {
    post(.indexed(store.index(after: sequence, limit: limit)))
  }

  func adopt(_ settings: Configuration) {
    configuration = settings
    encoder = Encoder(settings, hostName: settings.identity.deviceId, clientIDForm: tracker.clientIDForm)
    connect()
  }
  func setReceiver(isAwake: Bool, rest: Span?) { isReceiving = isAwake }

  // People, radio and card are not there.
  func keep(_ message: Message, because reason: String) { post(.letterKept(message.sequence)) }
  func takeRefused(first: UInt64, for sender: UInt64) {}
  func forgetRefused(first: UInt64) {}
  func recall(_ query: HistoryQuery, for sender: UInt64) {}
  func reply(_ answer: ControlAnswer, to sender: UInt64) {}
  func explain(withheld reason: Reason) {}
  func renew(_ order: CertificateOrder) {}
  func journal(_ news: SettingsNews) {}
  func setScan(_ plan: ScanPlan) {}
  func switchOff(_ cause: HaltCause?) {}
}
