import Loop
import Model
import OwnTracks
import TestSupport
import Timebase

@testable import Uplink

/// An `HTTPPoster` on its own loop, with what it posted in words, and a port for its endpoint.
final class HTTPScene {
  let loop: EventLoop
  let worker: Worker
  let port = FreePort.take()
  var poster: HTTPPoster!
  var configuration = Configuration()
  /// What the poster draws.
  var random = 0.0
  /// What it told, one event a line.
  var log: [String] = []
  /// The causes that its status has shown, each as long as it stood.
  var causes: [String] = []

  init(load: @escaping @Sendable () -> String? = HTTPPoster.loadLibrary) throws {
    loop = try EventLoop()
    worker = try Worker(loop: loop, name: "poster")
    configuration.transport = .http
    configuration.http.url = "http://127.0.0.1:\(port)/pub"
    configuration.identity.username = "jane"
    configuration.identity.deviceId = "pi"
    configuration.login.auth = false
    poster = HTTPPoster(
      loop: loop, worker: worker, random: { [unowned self] in random }, load: load,
      post: { [unowned self] in log.append(Self.line($0)) })
  }

  deinit {
    poster = nil
    worker.finish()
  }

  var settings: HTTPSettings {
    HTTPSettings(configuration, topics: Topics(configuration, hostName: "board"))
  }

  var now: Instant { loop.now.instant }

  /// Settings without any pause between attempts, where a test is about their order alone.
  var hasty: HTTPSettings {
    var settings = settings
    (settings.backoffMinimum, settings.backoffMaximum) = (0, 0)
    return settings
  }

  /// Until it is ready for messages.
  func start(_ settings: HTTPSettings? = nil) -> Bool {
    poster.configure(settings ?? self.settings)
    return runs { poster.phase == .ready }
  }

  func send(_ sequence: UInt64, text: String? = nil) {
    poster.send(
      Message(
        sequence: sequence, topic: "owntracks/jane/pi", payload: Array((text ?? "m\(sequence)").utf8), qos: 1,
        isRetained: false, isEvent: false, time: 0))
  }

  /// Runs the loop until it is so, for `seconds` at most; the answer is whether it became so.
  @discardableResult
  func runs(_ seconds: Double = generous, until isSo: () -> Bool) -> Bool {
    let deadline = SystemClock.read().instant + .seconds(seconds)
    note()
    while !isSo() {
      guard SystemClock.read().instant < deadline else { return false }
      loop.runOnce(within: .milliseconds(20))
      note()
    }
    return true
  }

  /// Runs the loop until that moment.
  func run(until moment: Instant) { runs(60) { SystemClock.read().instant >= moment } }

  private func note() {
    let word = poster.status.cause?.word ?? "well"
    if causes.last != word { causes.append(word) }
  }

  private static func line(_ event: UplinkEvent) -> String {
    switch event {
    case .connected(let hasForgotten, let most): "connected \(hasForgotten) \(most ?? -1)"
    case .lost(let cause, _): "lost \(cause.word)"
    case .acknowledged(let sequences): "acknowledged \(sequences)"
    case .refused(let sequence, let cause): "refused \(sequence) \(cause.word)"
    case .postponed(let sequence, let cause, let letsOthersPass):
      "postponed \(sequence) \(cause.word)\(letsOthersPass ? ", others pass" : "")"
    case .sendFailed(let sequence): "failed \(sequence)"
    case .missing(let topic): "missing \(topic)"
    case .cameBack(let topic): "came back \(topic)"
    case .hearsCommands: "hears commands"
    case .keptAlive: "kept alive"
    case .placeRetained, .placeLost, .sessionLost: "looked at what is retained"
    case .answered(let body): "answered '\(String(decoding: body, as: UTF8.self))'"
    case .received(let topic, let payload, let isRetained):
      "received '\(topic)' \(String(decoding: payload, as: UTF8.self)) \(isRetained)"
    }
  }
}
