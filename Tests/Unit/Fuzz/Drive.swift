import Core
import Model
import OwnTracks
import Timebase

@testable import Replay

/// What a file of any form told, put to the tracker as a replay does: what the door let in must be good
/// enough for everything behind it. At most a few hundred happenings, at most a few ticks between two.
struct Drive {
  private static let start = Instant.zero + .seconds(1000)
  private var tracker: Tracker
  private var now = Self.start
  private let encoder: Encoder
  private var wall: (time: Double, at: Instant)?

  init(_ state: StoredState = StoredState()) {
    var configuration = Configuration()
    (configuration.identity.username, configuration.identity.deviceId, configuration.reports.monitoring) = (
      "u", "d", .move
    )
    configuration.beacons.ranging = true
    var snapshot = Snapshot()
    (snapshot.regions, snapshot.mode) = (state.regions, state.mode)
    encoder = Encoder(configuration, hostName: "h")
    tracker = Tracker(
      configuration: configuration, snapshot: snapshot, encoder: encoder, earliest: 1_451_606_400)
    deliver(.scannerChanged(ScannerState(isHearing: true)))
    deliver(.brokerConnected(receiveMaximum: nil))
  }

  mutating func play(_ entries: some Sequence<TimelineEntry>) {
    for entry in entries.prefix(300) {
      advance(to: Self.start + entry.at)
      happen(entry.what)
    }
    advance(to: now + .minutes(10))
    for entry in tracker.journal.entries { claim(!entry.reason.sentence.isEmpty, "no reason for \(entry)") }
    _ = tracker.status(at: moment)
  }

  private mutating func happen(_ what: TimelineEntry.Happening) {
    switch what {
    case .clock(let seconds): wall = (seconds, now)
    case .zone(let seconds):
      if let wall = moment.wall { deliver(.localTime(minute: (Int(wall.seconds) + seconds) / 60)) }
    case .reading(let reading): deliver(.reading(reading))
    case .battery(let battery): deliver(.batteryChanged(battery))
    case .network(let network): deliver(.networkChanged(network))
    case .pressure(let pressure): deliver(.pressureMeasured(pressure))
    case .ignition(let isOn): deliver(.ignition(isOn))
    case .vehicleVolts(let volts): deliver(.vehicleVolts(volts))
    case .sos(let isOn): deliver(.sosLine(isOn))
    case .interference(let found): deliver(.interference(found))
    case .sighting(let sighting): deliver(.sighted(sighting))
    case .scanner(let state): deliver(.scannerChanged(state))
    case .broker(let change): deliver(change.isUp ? .brokerConnected(receiveMaximum: nil) : .brokerLost())
    case .control(let words):
      switch try? Request(words: words, over: tracker.settings) {
      case .tracker(let request): deliver(.control(request, from: 1))
      case .store(let request): deliver(.asked(request, from: 1))
      case .friends, .daemon, nil: break
      }
    case .message(let topic, let payload, let isRetained, let isEncrypted):
      let incoming = Incoming.read(
        topic: topic, payload: payload, isRetained: isRetained, isEncrypted: isEncrypted,
        topics: encoder.topics, configuration: tracker.settings)
      if case .command(let command, _) = incoming { deliver(.commanded(command)) }
    case .stored(let state): self = Drive(state)
    case .carried(let bytes): deliver(.carried(bytes: bytes, zone: 0))
    case .restart, .unanswered, .end: break
    }
  }

  private mutating func advance(to limit: Instant) {
    for _ in 0..<20 {
      guard let due = tracker.wakeAt, due < limit else { break }
      now = max(now, due)
      deliver(.tick)
    }
    now = max(now, limit)
  }

  private var moment: Moment {
    Moment(instant: now, wall: wall.map { WallTime(seconds: $0.time) + (now - $0.at) })
  }

  private mutating func deliver(_ event: Event) {
    var events = [event]
    while !events.isEmpty {
      for effect in tracker.handle(events.removeFirst(), at: moment) {
        switch effect {
        case .published(_, let message): check(message)
        case .send(let message): events.append(.acknowledged([message.sequence]))
        case .store(let batch, _): events.append(.stored(batch: batch))
        case .load: events.append(.loaded([]))
        case .loadIndex: events.append(.indexed([]))
        case .deadLetter(let message, _): events.append(.letterKept(message.sequence))
        case .answer, .recall, .announce, .withheld, .setScan, .setReceiver, .adopt, .halt, .settingsChanged,
          .takeBack, .takeRefused, .forgetRefused, .renew:
          break
        }
      }
    }
  }

  private func check(_ message: Message) {
    claim(
      (try? JSON.parse(message.payload)) != nil,
      "\(String(decoding: message.payload, as: UTF8.self)) is no JSON")
  }
}
