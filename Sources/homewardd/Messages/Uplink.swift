import Model
import OwnTracks
import Uplink

/// The way to the server: MQTT in mode 0, HTTP in mode 3. Both say the same things of themselves.
extension Daemon {
  var isHTTP: Bool { configuration.mode == 3 }

  /// For people: nothing secret is in it.
  var server: String {
    guard isHTTP else { return "\(configuration.host):\(configuration.port)" }
    return HTTPAddress(configuration.url)?.origin ?? ""
  }

  /// At the start, and after every change of settings.
  func configureUplink() {
    defer { configureStatusConnection() }
    if isHTTP {
      broker?.retire()
      broker = nil
      let poster = poster ?? HTTPPoster(loop: loop, worker: network) { [unowned self] in heardOverHTTP($0) }
      self.poster = poster
      var settings = HTTPSettings(configuration, topics: encoder.topics)
      settings.hindrance = sealing.obstacle
      poster.configure(settings)
    } else {
      poster?.retire()
      poster = nil
      let broker = broker ?? Broker(loop: loop, worker: network) { [unowned self] in heard($0) }
      self.broker = broker
      broker.configure(brokerSettings)
    }
  }

  /// Until it is configured anew.
  func retireUplink() {
    statusConnection?.retire()
    broker?.retire()
    poster?.retire()
    drain()
    (statusConnection, broker, poster) = (nil, nil, nil)
  }

  /// Where a word on `status` is kept, somebody has to take it back when the power goes.
  private func configureStatusConnection() {
    let isWordKept = configuration.availability || configuration.discovery
    guard !isHTTP, isWordKept, encoder.topics.isIdentityValid else {
      statusConnection?.retire()
      statusConnection = nil
      return
    }
    let connection =
      statusConnection ?? StatusConnection(loop: loop, worker: network) { [unowned self] in heard($0) }
    statusConnection = connection
    connection.configure(statusSettings)
    if broker?.status.connectedSince != nil { connection.firstConnected() }
  }

  private func heard(_ event: StatusConnection.Event) {
    switch event {
    case .doubted: post(.presenceDoubted)
    case .failed(let cause):
      say(
        .warning,
        "broker \(server): no second connection: \(cause); \(encoder.topics.topic(.status)) will say that this "
          + "board is there after a power cut too")
    }
  }

  func uplinkRouteChanged() {
    broker?.networkChanged()
    poster?.networkChanged()
  }

  /// Over HTTP the topic goes along inside of the message, before that is encrypted.
  func forUplink(_ message: Message) -> Message {
    guard isHTTP else { return message }
    var message = message
    message.payload = HTTPBody.request(message.payload, topic: message.topic)
    return message
  }

  private func heardOverHTTP(_ event: Broker.Event) {
    switch event {
    case .received(_, let body, _): answered(body)
    case .refused(let sequence, let cause):
      refused(sequence, by: server, cause)
    case .lost(let cause):
      say(.warning, "\(server): \(cause)", of: .connection)
      post(.brokerLost)
    case .connected(_, let receiveMaximum):
      say(.info, "posting to \(server)", of: .connection)
      post(.brokerConnected(receiveMaximum: receiveMaximum))
    case .postponed(let sequence, let cause): postponed(sequence, by: server, cause)
    case .acknowledged, .sendFailed: heard(event)
    }
  }
}
