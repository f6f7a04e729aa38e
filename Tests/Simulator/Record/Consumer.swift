import OwnTracks
import Timebase

/// What somebody at the other end makes of what the broker hands on. Byte-identical repeats are passed
/// over, as MQTT asks of anybody who reads QoS 1.
struct Consumer {
  struct Told {
    var at: Instant
    var topic: String
    var kind: String
    var time: Int
    /// Index in the ledger's `made`; nil: nobody made this.
    var made: Int?
    var payload: JSON

    /// Of the world.
    var second: Double { Double(time) - BoardClock.epoch }
    var trigger: String { payload["t"]?.text ?? "-" }
    var rid: String { payload["rid"]?.text ?? "" }
    var event: String { payload["event"]?.text ?? "" }
  }

  private(set) var told: [Told] = []
  private(set) var repeats = 0
  /// Contents that arrived, whatever number of times.
  private(set) var arrived: Set<Ledger.Content> = []
  private(set) var unreadable = 0

  init(_ ledger: Ledger) {
    for delivery in ledger.deliveries {
      let content = delivery.content
      guard arrived.insert(content).inserted else {
        repeats += 1
        continue
      }
      guard let json = try? JSON.parse(delivery.payload), let kind = json["_type"]?.text else {
        unreadable += 1
        continue
      }
      told.append(
        Told(
          at: delivery.at, topic: delivery.topic, kind: kind, time: json["tst"]?.int ?? 0,
          made: ledger.indices(of: content).first, payload: json))
    }
  }

  var locations: [Told] { told.filter { $0.kind == "location" } }
  /// In the order in which they happened.
  var transitions: [Told] {
    told.filter { $0.kind == "transition" }.sorted { ($0.made ?? 0) < ($1.made ?? 0) }
  }
}
