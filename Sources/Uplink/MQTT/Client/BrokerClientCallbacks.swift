import CMosquitto
import Glibc

/// Callbacks that libmosquitto makes while one of its functions runs.
extension BrokerClient {
  /// The log callback costs a formatted line for every packet: it stays only while it may explain a
  /// failing handshake.
  func listenToLog() {
    mosquitto_log_callback_set(handle) { _, user, _, text in
      guard let client = BrokerClient.of(user), let text else { return }
      client.notes.read(String(cString: text)) {
        Int(homeward_tls_verify_result(mosquitto_ssl_get(client.handle)))
      }
    }
  }

  func stopListeningToLog() { mosquitto_log_callback_set(handle, nil) }

  func setCallbacks() {
    mosquitto_connect_v5_callback_set(handle) { _, user, code, flags, properties in
      BrokerClient.of(user)?.greeted(code, flags, properties)
    }
    mosquitto_disconnect_v5_callback_set(handle) { _, user, code, _ in
      let systemError = errno
      BrokerClient.of(user)?.happenings.append(.ended(code: code, systemError: systemError))
    }
    mosquitto_publish_v5_callback_set(handle) { _, user, number, reason, _ in
      BrokerClient.of(user)?.happenings.append(.published(number: number, reason: reason))
    }
    mosquitto_subscribe_callback_set(handle) { _, user, number, count, granted in
      let codes = Array(UnsafeBufferPointer(start: granted, count: Int(count)))
      BrokerClient.of(user)?.happenings.append(.subscribed(number: number, granted: codes))
    }
    mosquitto_unsubscribe_callback_set(handle) { _, user, number in
      BrokerClient.of(user)?.happenings.append(.unsubscribed(number: number))
    }
    mosquitto_message_callback_set(handle) { _, user, message in
      guard let message else { return }
      BrokerClient.of(user)?.received(message.pointee)
    }
  }

  private static func of(_ user: UnsafeMutableRawPointer?) -> BrokerClient? {
    user.map { Unmanaged<BrokerClient>.fromOpaque($0).takeUnretainedValue() }
  }

  private func greeted(_ code: Int32, _ flags: Int32, _ properties: OpaquePointer?) {
    var greeting = Greeting(code: Int(code), isSessionPresent: flags & 1 != 0)
    greeting.receiveMaximum = number(properties, MQTT_PROP_RECEIVE_MAXIMUM)
    greeting.keepalive = number(properties, MQTT_PROP_SERVER_KEEP_ALIVE)
    greeting.aliasMaximum = number(properties, MQTT_PROP_TOPIC_ALIAS_MAXIMUM) ?? 0
    var size: UInt32 = 0
    if mosquitto_property_read_int32(
      properties, Int32(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue), &size, false) != nil
    {
      greeting.packetMaximum = Int(size)
    }
    var qos: UInt8 = 2
    mosquitto_property_read_byte(properties, Int32(MQTT_PROP_MAXIMUM_QOS.rawValue), &qos, false)
    greeting.qosMaximum = Int(qos)
    isGreeted = true
    happenings.append(.greeting(greeting))
    greeted?(greeting)
  }

  private func number(_ properties: OpaquePointer?, _ name: mqtt5_property) -> Int? {
    var value: UInt16 = 0
    let found = mosquitto_property_read_int16(properties, Int32(name.rawValue), &value, false)
    return found == nil ? nil : Int(value)
  }

  /// True: the message concerns nothing else. A retained message comes with each subscription and proves nothing.
  private func isSought(_ message: mosquitto_message) -> Bool {
    guard let bytes = message.topic, let topic = String(validatingCString: bytes),
      let isForOthers = sought[topic]
    else { return false }
    if !message.retain {
      let payload = UnsafeRawBufferPointer(start: message.payload, count: Int(message.payloadlen))
      happenings.append(.cameBack(topic: topic, digest: RoundTrip.digest(payload)))
    }
    return !isForOthers
  }

  private func isRetainedPlace(_ message: mosquitto_message) -> Bool {
    guard let topic = message.topic, isEcho(topic), message.payloadlen <= PacketLimits.payload else {
      return false
    }
    let payload = UnsafeRawBufferPointer(start: message.payload, count: Int(message.payloadlen))
    happenings.append(.retainedPlace(Array(payload)))
    return true
  }

  /// An echo command, ours or another's, is not passed on. A retained one proves nothing.
  private func isCommandEcho(_ message: mosquitto_message) -> Bool {
    let payload = UnsafeRawBufferPointer(start: message.payload, count: Int(message.payloadlen))
    guard let topic = message.topic, isForCommands(topic), let number = CommandEcho.number(in: payload)
    else { return false }
    if !message.retain { happenings.append(.echoed(number)) }
    return true
  }

  private func received(_ message: mosquitto_message) {
    if isPlaceSought, message.retain, isRetainedPlace(message) { return }
    if !sought.isEmpty, isSought(message) { return }
    if let topic = message.topic, isEcho(topic) { return }
    if isCommandEcho(message) { return }
    guard message.payloadlen <= PacketLimits.payload else { return happenings.append(.oversized) }
    guard let bytes = message.topic,
      let topic = String(validatingCString: bytes)
    else { return happenings.append(.malformed) }
    let payload = UnsafeRawBufferPointer(start: message.payload, count: Int(message.payloadlen))
    happenings.append(.received(topic: topic, payload: Array(payload), isRetained: message.retain))
  }
}
