import Glibc

/// Finds out what a port speaks that has closed a connection without an answer: tries the other of TLS and plain MQTT,
/// once.
package enum PortProbe {
  /// TLS, if plain MQTT was tried.
  case tls
  /// MQTT without TLS, if TLS was tried.
  case plain

  /// For the connection, and for the answer.
  private static let seconds = 3
  private static let clientID = Array("homeward-probe".utf8)

  /// On the worker: it may take twice `seconds` plus the resolver's time. `triedTLS`: the kind of connection that the
  /// port closed. Nil: the port does not speak the other one either, as far as can be seen.
  static func look(_ host: String, port: Int, triedTLS: Bool) -> PortProbe? {
    guard let socket = connect(host, port) else { return nil }
    defer { close(socket) }
    let question = triedTLS ? greeting : hello
    guard send(socket, question, question.count, Int32(MSG_NOSIGNAL)) == question.count else { return nil }
    var answer: [UInt8] = [0, 0]
    guard recv(socket, &answer, answer.count, Int32(MSG_WAITALL)) == answer.count else { return nil }
    if triedTLS {
      _ = send(socket, goodbye, goodbye.count, Int32(MSG_NOSIGNAL))
      // CONNACK of two bytes, whatever its code.
      return answer == [0x20, 2] ? .plain : nil
    }
    // A handshake or an alert, of any version since SSL 3.
    return (answer[0] == 0x15 || answer[0] == 0x16) && answer[1] == 3 ? .tls : nil
  }

  private static func connect(_ host: String, _ port: Int) -> Int32? {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, String(port), &hints, &found) == 0 else { return nil }
    defer { freeaddrinfo(found) }
    var next = found
    while let address = next?.pointee {
      let socket = Glibc.socket(address.ai_family, address.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), 0)
      if socket >= 0 {
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        for option in [SO_SNDTIMEO, SO_RCVTIMEO] {
          setsockopt(socket, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        if Glibc.connect(socket, address.ai_addr, address.ai_addrlen) == 0 { return socket }
        close(socket)
      }
      next = address.ai_next
    }
    return nil
  }

  /// CONNECT of MQTT 3.1.1 with a clean session, without a login.
  private static var greeting: [UInt8] {
    let body: [UInt8] = [0, 4] + Array("MQTT".utf8) + [4, 2, 0, 10, 0, UInt8(clientID.count)] + clientID
    return [0x10, UInt8(body.count)] + body
  }

  private static let goodbye: [UInt8] = [0xE0, 0]

  /// ClientHello of TLS 1.2 with two suites that every server knows, and nothing else: an alert is an answer as well.
  private static var hello: [UInt8] {
    let body: [UInt8] = [3, 3] + [UInt8](repeating: 0x5A, count: 32) + [0, 0, 4, 0xC0, 0x2F, 0, 0x2F, 1, 0]
    let message: [UInt8] = [1, 0, 0, UInt8(body.count)] + body
    return [0x16, 3, 1, 0, UInt8(message.count)] + message
  }
}
