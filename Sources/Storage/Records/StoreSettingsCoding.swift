import Model

/// Records of the settings changed by commands, of the commands obeyed, and of how the client id is made.
extension StoreRecord {
  /// Nil for other kinds, and where one of the settings is not understood: half of a server's address is
  /// worse than none.
  var remoteSettings: RemoteSettings? {
    guard kind == .remoteSettings else { return nil }
    var fields = fields
    let count = Int(fields.number(UInt32.self))
    guard count <= fields.left else { return nil }
    // Each takes a byte at least, so `count` is bounded by what is there.
    let settings = (0..<count).compactMap { _ in fields.setting() }
    return fields.isShort || settings.count < count ? nil : RemoteSettings(settings)
  }

  /// Nil for other kinds. Then commands that were obeyed may be repeated, until their time is too old.
  var commandsSeen: [SeenCommand]? {
    guard kind == .commandsSeen else { return nil }
    var fields = fields
    let count = Int(fields.number(UInt32.self))
    guard count <= fields.left / 16 else { return nil }
    let seen = (0..<count).map { _ in
      SeenCommand(digest: fields.number(UInt64.self), time: Int(fields.number(Int64.self)))
    }
    return fields.isShort ? nil : seen
  }

  /// Nil for other kinds; `unsaid` is never stored.
  var clientIDForm: ClientIDForm? {
    guard kind == .clientIDForm else { return nil }
    var fields = fields
    let isJoined = fields.flag()
    guard isJoined else { return fields.isShort ? nil : .apart }
    let (user, device) = (fields.text(), fields.text())
    return fields.isShort ? nil : .joined(user: user, device: device)
  }
}

extension ByteWriter {
  mutating func settings(_ remote: RemoteSettings) {
    number(UInt32(remote.settings.count))
    for setting in remote.settings {
      text(setting.name)
      value(setting.value)
      value(setting.over)
    }
  }

  mutating func form(_ form: ClientIDForm) {
    guard case .joined(let user, let device) = form else { return flag(false) }
    flag(true)
    text(user)
    text(device)
  }

  mutating func commands(_ seen: [SeenCommand]) {
    number(UInt32(seen.count))
    for command in seen {
      number(command.digest)
      number(Int64(command.time))
    }
  }

  /// The numbers are permanent on the disk.
  private mutating func value(_ value: SettingValue) {
    switch value {
    case .flag(let flag):
      number(UInt8(0))
      self.flag(flag)
    case .number(let whole):
      number(UInt8(1))
      number(Int64(whole))
    case .real(let real):
      number(UInt8(2))
      double(real)
    case .text(let text):
      number(UInt8(3))
      self.text(text)
    }
  }
}

extension ByteReader {
  /// Whether the key is still there, and may be set so, is for `RemoteSettings.still`.
  fileprivate mutating func setting() -> RemoteSettings.Setting? {
    let name = text()
    guard let value = value(), let over = self.value() else { return nil }
    return .init(name: name, value: value, over: over)
  }

  private mutating func value() -> SettingValue? {
    switch number(UInt8.self) {
    case 0: .flag(flag())
    case 1: .number(Int(number(Int64.self)))
    case 2: .real(double())
    case 3: .text(text())
    case _: nil
    }
  }
}
