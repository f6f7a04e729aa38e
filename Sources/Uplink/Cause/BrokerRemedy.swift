import Model

/// Advice for a person, one text for each cause. A cause that heals by itself says so, and where to look if it does
/// not. Commands of this program are written so that they can be typed: up to the next `;`, `:` or `)`.
public struct BrokerRemedy: Sendable {
  private let host: String
  private let port: Int
  private let isTLS: Bool
  private let username: String?
  private let isHTTP: Bool

  /// For the server that these settings lead to. `place`: the broker in use, of several.
  public init(_ configuration: Configuration, _ place: BrokerPlace? = nil) {
    let place = place ?? configuration.broker.places[0]
    host = place.host
    port = place.port
    isHTTP = configuration.transport == .http
    isTLS =
      isHTTP
      ? HTTPAddress(configuration.http.url)?.isEncrypted ?? false : configuration.tls.isOn
    let isNamed = configuration.login.auth && !configuration.identity.username.isEmpty
    username = isNamed ? configuration.identity.username : nil
  }

  /// One line, without secrets.
  public func words(for cause: BrokerCause) -> String { Self.filled(text(cause)) }

  /// Advice that changes a setting includes the command that makes the daemon read it.
  private static func filled(_ text: Text) -> String {
    switch text {
    case .plain(let words): words
    case .setting(let words): words + "; then: homeward reload"
    }
  }

  private enum Text {
    case plain(String)
    /// Advice to change a setting of this program.
    case setting(String)
  }

  private func text(_ cause: BrokerCause) -> Text {
    switch cause {
    case .switchedOff: .plain("homeward connect; a restart of the tracker connects as well")
    case .settingsChanged: .plain("wait a few seconds: it connects with the new settings")
    case .askedAnew: .plain("wait a few seconds: it connects anew")
    case .portIsZero: .setting("homeward config set port \(isTLS ? 8883 : 1883)")
    case .hostMissing: .setting("name the broker: homeward config set host NAME")
    case .settingRefused: .setting("set what the line names: homeward config set KEY VALUE")
    case .nameNotFound(let host): name(host)
    case .nameServerSilent:
      .plain(
        "is there a network? look with: ping -c 3 1.1.1.1; and which server is asked: cat /etc/resolv.conf")
    case .refused: refused
    case .unreachable: .plain("the board has no way there; look with: ip route")
    case .timedOut: .plain("is \(server) switched on, and does every firewall between let the port through?")
    case .reset: reset
    case .closedByBroker: .plain("it tries again by itself; the broker's log says why it did so")
    case .closedEarly, .noGreeting: otherPort
    case .closedAtLevel5(isTLS: false):
      .setting("homeward config set mqttProtocolLevel 4; or \(otherPortWords)")
    case .closedAtLevel5(isTLS: true):
      .setting(
        "homeward config set mqttProtocolLevel 4; or give a certificate that the broker takes (tlsClientCert)"
      )
    case .takesNoConnections: .plain("it tries again by itself; if it stays so, look at the broker's log")
    case .routeChanged: .plain("wait a few seconds: it connects over the new route")
    case .silent:
      .plain(
        "it tries again by itself; where this comes often, the network loses packets or keepalive is too long"
      )
    case .systemError: .plain("it tries again by itself; if it stays so: journalctl -u homeward -n 20")
    case .endedWithoutAnswer, .nothingPosted, .answered, .refusesAll, .webPage, .sentElsewhere,
      .certificateRefusedBecause:
      endpoint(cause)
    case .handshakeSilent, .closedInHandshake, .closedAfterHandshake, .notTLS, .expectsTLS, .tlsVersion,
      .tlsError,
      .certificateExpired, .certificateNotYetValid, .certificateWrongHost, .certificateSelfSigned,
      .certificateUnknownAuthority, .certificateUnknownIssuer, .certificateRevoked, .certificateRefused:
      tls(cause)
    case .clientCertificateRefused, .clientCertificateMissing, .fileUnreadable, .fileUnusable, .keyMismatch:
      ownFile(cause)
    case .notMQTT, .answersHTTP, .badCredentials, .notAuthorised, .identifierRejected, .versionRefused,
      .serverUnavailable, .clientIDInUse, .clientIDReplaced, .nothingComesBack, .hearsNoCommands,
      .echoMissing,
      .publishForbidden, .packetLimit, .notAcknowledging, .closedOver,
      .oversized,
      .unreleased, .crowded,
      .reason:
      mqtt(cause)
    }
  }

  // MARK: The way there

  private var server: String { isHTTP ? "the endpoint" : "\(host):\(port)" }

  private func name(_ host: String) -> Text {
    if host.contains("/") || host.contains(":") {
      return .setting("write the bare name, without mqtt:// and without :port: homeward config set host NAME")
    }
    if host.hasSuffix(".local") {
      return .setting(
        "names in .local need: sudo apt install avahi-daemon libnss-mdns; or its address: homeward config set host ADDRESS"
      )
    }
    let change = isHTTP ? "homeward config set url -" : "homeward config set host NAME"
    return .setting("look at the spelling (try: getent hosts \(host)): \(change)")
  }

  private var refused: Text {
    .plain(
      isHTTP
        ? "is the endpoint running, and does url name its port?"
        : "is the broker running there, and on this port? Mosquitto 2 listens to its own board only until its "
          + "configuration has a line \"listener \(port)\"")
  }

  private var reset: Text {
    guard !isTLS, !isHTTP else {
      return .plain("it tries again by itself; if it stays so, look at the server's log and at firewalls")
    }
    return .setting("if the port is one for TLS: homeward config set tls true")
  }

  private var otherPort: Text { .setting(otherPortWords) }

  /// For a port that answers with something other than MQTT, or with MQTT inside TLS.
  private var otherPortWords: String {
    let sockets = "websockets (often 8083, 8084, 9001) are not spoken here"
    return isTLS
      ? "take the broker's port for MQTT with TLS: homeward config set port 8883; \(sockets)"
      : "if \(port) is the port for TLS: homeward config set tls true; else the plain one: "
        + "homeward config set port 1883; \(sockets)"
  }

  // MARK: Its certificate

  private func tls(_ cause: BrokerCause) -> Text {
    switch cause {
    case .certificateExpired:
      .plain("renew it on the server; if it is still good, this board's clock is wrong: date")
    case .certificateNotYetValid: .plain("set the clock (date shows it): sudo timedatectl set-ntp true")
    case .certificateWrongHost:
      .setting(
        isHTTP
          ? "take the name that the certificate is for: homeward config set url -"
          : "the names that it is for: openssl s_client -connect \(server) </dev/null | openssl x509 -noout "
            + "-ext subjectAltName; take one of them: homeward config set host NAME")
    case .certificateSelfSigned: trust("the broker's own certificate")
    case .certificateUnknownAuthority: trust("the certificate of the broker's authority (its CA)")
    case .certificateUnknownIssuer:
      .setting(
        "let the broker send its whole chain, or put the missing certificate into a file: "
          + "homeward config set tlsCaFile FILE")
    case .certificateRevoked: .plain("the server needs a new certificate from its authority")
    case .certificateRefused(let code):
      .plain(
        "the server's certificate has to be made anew; what X509 error \(code) means: man openssl-verification-options"
      )
    case .expectsTLS: .setting("homeward config set tls true; without TLS the port is 1883 as a rule")
    case .tlsVersion: .plain("let the server offer TLS 1.2 or newer")
    case .tlsError(let code):
      .plain(
        "what it means: openssl errstr \(String(code, radix: 16)); the server's log has the other side of it")
    case .closedAfterHandshake:
      .setting(
        "if the broker wants a certificate of us: homeward config set tlsClientCert FILE tlsClientKey FILE"
      )
    default:
      .setting(
        isHTTP
          ? "where the endpoint has no TLS its address begins with http://; homeward config set url -"
          : "homeward config set port 8883; or, if this port has no TLS: homeward config set tls false")
    }
  }

  private func trust(_ what: String) -> Text {
    .setting(
      "copy \(what) to /etc/homeward/ca.pem (user and group homeward must read it): "
        + "homeward config set tlsCaFile /etc/homeward/ca.pem")
  }

  // MARK: Our own files

  private func ownFile(_ cause: BrokerCause) -> Text {
    switch cause {
    case .clientCertificateRefused:
      .setting(
        "have one signed by the authority that the broker trusts: homeward config set tlsClientCert FILE")
    case .clientCertificateMissing:
      .setting("homeward config set tlsClientCert FILE tlsClientKey FILE")
    case .fileUnreadable(let path, _):
      .setting("if it is there: sudo chgrp homeward \(path) && sudo chmod 640 \(path); if not, copy it there")
    case .fileUnusable(let path, _):
      .setting(
        "its text must begin with -----BEGIN; from DER: openssl x509 -inform der -in \(path) -out NEW.pem")
    default:
      .setting("take the key that belongs to tlsClientCert: homeward config set tlsClientKey FILE")
    }
  }

  // MARK: MQTT

  private func mqtt(_ cause: BrokerCause) -> Text {
    switch cause {
    case .badCredentials: login()
    case .notAuthorised:
      login(
        perhaps: ", or the broker does not let it in: its access list",
        orElse: "; where the broker knows boards by their client id: homeward config set clientId NAME")
    case .notMQTT: otherPort
    case .answersHTTP:
      .setting("log in to this network with a browser; if that changes nothing: \(otherPortWords)")
    case .publishForbidden(let topic):
      .plain(
        "let this board's user write there (mosquitto's acl_file: \"topic readwrite \(topic)/#\" below its \"user\" "
          + "line), reload the broker, then homeward reload; everything waits")
    case .identifierRejected: .setting("one of 1 to 23 letters and digits: homeward config set clientId NAME")
    case .versionRefused: .setting("homeward config set mqttProtocolLevel --default; or 4, or 5")
    case .clientIDInUse:
      .setting(
        "a second tracker, perhaps a copy of this card, has the same name: homeward config set clientId NAME")
    case .clientIDReplaced: .setting("homeward config set mqttProtocolLevel 4")
    case .nothingComesBack(_, let base, let isLevelForced):
      .plain(
        "let this board's user write and read there (mosquitto's acl_file: \"topic readwrite \(base)/#\" below its "
          + "\"user\" line), reload the broker, then homeward reload"
          + (isLevelForced
            ? "; or try homeward config set mqttProtocolLevel 5: there the broker says what it refuses" : "")
          + "; if it may write and is only not to read: homeward config set roundTrip false")
    case .hearsNoCommands(let topic):
      .plain(
        "the filters were asked for anew; if it stays so, let this board's user read there (mosquitto's acl_file: "
          + "\"topic readwrite \(topic)\" below its \"user\" line), reload the broker, then homeward reload; "
          + "the broker's log may say more")
    case .echoMissing: .plain("wait a few seconds: it asks for commands anew, on another connection")
    case .packetLimit: .plain("raise max_packet_size in the broker's configuration")
    case .closedOver:
      .plain(
        "look at the broker's log; Mosquitto: message_size_limit, the right to publish in acl_file, and "
          + "retain_available, without which this helps: homeward config set pubRetain false")
    case .crowded: .plain("find who publishes with so many user properties, in the broker's log, and stop it")
    case .oversized: .plain("find the message and take it away: mosquitto_pub -r -n -t TOPIC")
    case .serverUnavailable, .notAcknowledging:
      .plain(
        "it tries again by itself; if it stays so, the broker is overloaded or its disk full: see its log")
    case .reason(let code, _): reason(code)
    default: .plain("it tries again by itself; if it stays so, report it to those who make the broker")
    }
  }

  private func reason(_ code: Int) -> Text {
    switch code {
    case 0x10:
      .setting(
        "it goes as soon as somebody subscribes who may read there; where a broker says so although it passes messages "
          + "on: homeward config set holdUnheard false")
    case 0x83:
      .plain(
        "the broker could not take it, for a reason of its own: with RabbitMQ a queue that is full and rejects what "
          + "comes (overflow reject-publish) does that; its log says which; what waits is tried again by itself"
      )
    case 0x87: .plain("give this user the right to publish there (the broker's access list)")
    case 0x97:
      .plain("raise this user's quota at the broker, or publish less; what waits is tried again by itself")
    case 0x9B: .setting("the broker does not take this QoS: homeward config set pubQos 1")
    default:
      .plain(
        "it tries again by itself; if it stays so, look for 0x\(String(code, radix: 16)) in the broker's log")
    }
  }

  private func login(perhaps other: String = "", orElse more: String = "") -> Text {
    guard let username else {
      return .setting(
        "the broker wants a user: homeward config set username NAME; homeward config set auth true; "
          + "homeward config set password -" + more)
    }
    return .setting(
      "user \(username) or the password is refused\(other): homeward config set password -" + more)
  }

  // MARK: HTTP

  private func endpoint(_ cause: BrokerCause) -> Text {
    if let words = cause.endpointRemedy { return .plain(words) }
    return switch cause {
    case .nothingPosted: .plain("the first one shows it: homeward publish")
    case .webPage:
      .setting("log in to this network with a browser; or look at the address: homeward config set url -")
    case .sentElsewhere(_, let host):
      .setting(
        "log in to this network with a browser; only if \(host) is your own endpoint: homeward config set url -"
      )
    case .certificateRefusedBecause: trust("the certificate of the endpoint's authority (its CA)")
    default: .plain("it tries again by itself; if it stays so, look at the endpoint's log")
    }
  }
}
