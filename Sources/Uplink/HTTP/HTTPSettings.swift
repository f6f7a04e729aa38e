import Model
import OwnTracks

/// All settings of a post.
public struct HTTPSettings: Hashable, Sendable {
  /// Nil: `url` is not a URL.
  public var address: HTTPAddress?
  /// As they go over the wire; one that the configuration names wins over one of ours.
  public var headers: HTTPHeaders
  /// Nil: none is sent, or the address has its own.
  public var username: String?
  /// Also nil if `usePassword` is off.
  public var password: String?
  /// Path of a PEM file; empty: the system's certificates.
  public var tlsCaFile: String
  /// Path of a PEM file; empty: none.
  public var tlsCertificate: String
  /// Path of a PEM file; empty with `tlsCertificate` alone.
  public var tlsKey: String
  /// false: no certificate is checked at all, which every status shows.
  public var isVerified: Bool
  /// Key that the payloads are encrypted with before they are posted: one that waits for its next attempt is taken back
  /// and comes again with the new key.
  public var encryptionKey: String
  /// Another reason not to post, in words for people; nil: none.
  public var blockedReason: String?

  // Applied without starting anything anew.
  /// Seconds for one post, from the name server to the end of the answer.
  public var timeout: Int
  /// Seconds until the first new attempt.
  public var backoffMinimum: Int
  /// Seconds that the wait grows to.
  public var backoffMaximum: Int
  /// Seconds over which attempts are spread after the endpoint's own end; 0: they are not.
  public var backoffSpread: Int

  /// From the configuration; see `fault` for whether a post can be made with it.
  public init(_ configuration: Configuration, topics: Topics) {
    address = HTTPAddress(configuration.http.url)
    headers = Self.headers(configuration, topics)
    let isAuthorised = headers.value("Authorization") != nil || address?.hasCredentials == true
    let hasUser = configuration.login.auth && !configuration.identity.username.isEmpty && !isAuthorised
    username = hasUser ? configuration.identity.username : nil
    password = hasUser && configuration.login.usePassword ? configuration.login.password : nil
    tlsCaFile = configuration.tls.caFile
    tlsCertificate = configuration.tls.clientCertificate
    tlsKey = configuration.tls.clientKey
    isVerified = !configuration.tls.allowsInvalidCertificates
    encryptionKey = configuration.messages.encryptionKey
    timeout = configuration.retry.timeout
    backoffMinimum = configuration.retry.least
    backoffMaximum = configuration.retry.most
    backoffSpread = configuration.retry.spread
  }

  /// From what all uplinks are given.
  init(_ settings: UplinkSettings) {
    self.init(settings.configuration, topics: settings.topics)
    blockedReason = settings.blockedReason
  }

  private static func headers(_ configuration: Configuration, _ topics: Topics) -> HTTPHeaders {
    var headers = HTTPHeaders()
    headers.set("Content-Type", "application/json")
    headers.set(
      "X-Limit-U", configuration.identity.username.isEmpty ? "user" : configuration.identity.username)
    headers.set("X-Limit-D", topics.device.isEmpty ? "device" : topics.device)
    for header in HTTPHeaders(configuration.http.headers)?.all ?? [] {
      headers.set(header.name, header.value)
    }
    return headers
  }

  var isInsecure: Bool { address?.isEncrypted == true && !isVerified }

  /// Why there can be no post at all; nil: there can.
  var fault: BrokerCause? {
    if address == nil { return .settingRefused("no endpoint: url is not set, or is no address") }
    if let blockedReason { return .settingRefused(blockedReason) }
    if tlsCertificate.isEmpty != tlsKey.isEmpty {
      return .settingRefused("tlsClientCert and tlsClientKey: one is set, both or none are needed")
    }
    return nil
  }

  /// Whether anything differs that affects a post.
  func isOther(than settings: HTTPSettings) -> Bool {
    var (one, two) = (self, settings)
    for part in [\HTTPSettings.timeout, \.backoffMinimum, \.backoffMaximum, \.backoffSpread] {
      one[keyPath: part] = 0
      two[keyPath: part] = 0
    }
    return one != two
  }
}
