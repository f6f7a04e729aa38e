/// Where messages go, as far as it matters for who may be shown a password.
private struct Server {
  /// One, or several brokers.
  private var places: [BrokerPlace]
  private var isEncrypted: Bool
  /// Its certificate is checked: no other server can pose as it.
  private var isVerified: Bool

  /// Nil: nothing is sent anywhere.
  init?(inForce configuration: Configuration) {
    if configuration.isOffline { return nil }
    self.init(namedBy: configuration)
  }

  init?(namedBy configuration: Configuration) {
    if configuration.transport == .http {
      self.init(urlOf: configuration)
    } else {
      self.init(brokerOf: configuration)
    }
  }

  init?(urlOf configuration: Configuration) {
    guard let address = HTTPAddress(configuration.http.url) else { return nil }
    let port = address.port ?? (address.isEncrypted ? 443 : 80)
    let place = BrokerPlace(host: address.host, port: port)
    self.init([place], isEncrypted: address.isEncrypted, configuration)
  }

  init?(brokerOf configuration: Configuration) {
    let places = configuration.broker.places
    guard !places[0].host.isEmpty else { return nil }
    self.init(places, isEncrypted: configuration.tls.isOn, configuration)
  }

  private init(_ places: [BrokerPlace], isEncrypted: Bool, _ configuration: Configuration) {
    // `Home.example.` and `home.example` are one name. Other names of one machine may be another's tomorrow.
    self.places = places.map { place in
      let name = place.host.last == "." ? String(place.host.dropLast()) : place.host
      return BrokerPlace(host: name.lowercased(), port: place.port)
    }
    self.isEncrypted = isEncrypted
    isVerified = isEncrypted && !configuration.tls.allowsInvalidCertificates
  }

  /// Credentials for the other server may go to this one: it is the same host, no one can listen on the way who could
  /// not before, and at another port of that host only the holder of its certificate can answer. Of several brokers that
  /// has to be so for each.
  func isAsGoodAs(_ other: Server) -> Bool {
    (isEncrypted || !other.isEncrypted)
      && places.allSatisfy { place in
        other.places.contains { $0.host == place.host && ($0.port == place.port || isVerified) }
      }
  }
}

/// A password is for the server that it was given for. The right to change `host` must not be the
/// right to learn what the file says to the old one.
extension RemoteSettings {
  /// Keys that say who the board is; `username` is one as well, but the topic tells everybody that.
  private static let credentials: [ConfigurationKey] = [.username, .password, .httpHeaders]

  /// The file's credentials that are kept from the server in force, by name: it is none that the file names,
  /// or it is spoken to in clear where the file's is not. What a command has given along is its own.
  public func withheld(from file: Configuration) -> [String] {
    let laid = laid(over: file)
    var names: [String] = []
    if isForeign(Server(inForce: laid), to: file) {
      if !gives(.password), !file.login.password.isEmpty { names.append(ConfigurationKey.password.name) }
      if !file.tls.clientCertificate.isEmpty { names.append(ConfigurationKey.tlsClientCertificate.name) }
    }
    if isForeign(Server(urlOf: laid), to: file), !gives(.httpHeaders), !file.http.headers.isEmpty {
      names.append(ConfigurationKey.httpHeaders.name)
    }
    return names
  }

  /// Takes out what is the business of the file's server alone. The user stays where it is a part of the topic.
  func withhold(from configuration: inout Configuration, of file: Configuration) {
    if isForeign(Server(inForce: configuration), to: file) {
      if !gives(.password) { (configuration.login.password, configuration.login.usePassword) = ("", false) }
      // Without a password of its own the user of the file is nobody there.
      if !gives(.password), !gives(.username) { configuration.login.auth = false }
      (configuration.tls.clientCertificate, configuration.tls.clientKey) = ("", "")
    }
    if isForeign(Server(urlOf: configuration), to: file), !gives(.httpHeaders) {
      configuration.http.headers = ""
    }
  }

  /// Credentials that a command gave for one server are not for the server that a later command names.
  mutating func forgetCredentials(after before: Configuration, given: Set<String>, over file: Configuration) {
    let now = laid(over: file)
    var stale: Set<String> = []
    if Self.isElsewhere(Server(namedBy: now), from: Server(namedBy: before)) {
      stale.insert(ConfigurationKey.password.name)
    }
    if Self.isElsewhere(Server(urlOf: now), from: Server(urlOf: before)) {
      stale.insert(ConfigurationKey.httpHeaders.name)
    }
    drop(stale.subtracting(given))
  }

  /// Credentials that a command gives are its own even where the file says the same.
  func isOwn(_ name: String, over file: Configuration) -> Bool {
    guard Self.credentials.contains(where: { $0.name == name }) else { return false }
    let laid = laid(over: file)
    return isForeign(Server(inForce: laid), to: file) || isForeign(Server(urlOf: laid), to: file)
  }

  private func gives(_ key: ConfigurationKey) -> Bool { settings.contains { $0.name == key.name } }

  private func isForeign(_ server: Server?, to file: Configuration) -> Bool {
    guard let server else { return false }
    let own = [Server(brokerOf: file), Server(urlOf: file)]
    return !own.contains { $0.map { server.isAsGoodAs($0) } ?? false }
  }

  private static func isElsewhere(_ server: Server?, from before: Server?) -> Bool {
    guard let server else { return false }
    return before.map { !server.isAsGoodAs($0) } ?? true
  }
}
