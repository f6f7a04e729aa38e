/// How the board itself does: its supply, its processor, its storage. Nil: the kernel does not tell.
public struct BoardHealth: Hashable, Sendable {
  /// Conditions that need attention.
  public enum Trouble: String, CaseIterable, Sendable {
    /// The supply gives too little: a Raspberry Pi below 4.63 V.
    case underVoltage
    /// The processor was slowed down, for its supply or its heat.
    case throttled
    /// 80 °C and more, where the processor begins to be slowed down.
    case hot
    /// The storage has come to the end of the writes that it was made for, or says that it will soon.
    case storageWorn
    /// The file system has found errors in itself.
    case fileSystemErrors
    /// The store's file system takes no writes.
    case readOnly

    /// As a sentence's part.
    public var words: String {
      switch self {
      case .underVoltage: "the supply gives too little voltage"
      case .throttled: "the processor is slowed down"
      case .hot: "the processor is hot"
      case .storageWorn: "the storage is nearly worn out"
      case .fileSystemErrors: "the file system has errors"
      case .readOnly: "the file system of the store is read-only"
      }
    }
  }

  /// Now, or since it was last asked.
  public var isUnderVoltage: Bool?
  /// Now, or since it was last asked.
  public var isThrottled: Bool?
  /// Of the hottest part that has a sensor, °C.
  public var temperature: Double?
  /// Per cent of the writes that the storage was made for, in steps of ten.
  public var storageWear: Int?
  /// The storage says itself that its end is near.
  public var isStorageWorn = false
  /// Of all file systems that count them, since they were last checked.
  public var fileSystemErrors: Int?
  /// Of the store's file system.
  public var isReadOnly = false
  /// Was true at any time since the daemon's start.
  public var hadUnderVoltage = false
  /// Was true at any time since the daemon's start.
  public var hadThrottling = false

  /// °C from which on it is hot, and below which it no longer is.
  public static let hot = (from: 80.0, until: 75.0)

  /// Everything unknown.
  public init() {}

  /// `before`: what was wrong when it was last looked at; the heat has to go down well before it is over.
  public func troubles(after before: Set<Trouble> = []) -> Set<Trouble> {
    var found: Set<Trouble> = []
    if isUnderVoltage == true { found.insert(.underVoltage) }
    if isThrottled == true { found.insert(.throttled) }
    let limit = before.contains(.hot) ? Self.hot.until : Self.hot.from
    if let temperature, temperature >= limit { found.insert(.hot) }
    if isStorageWorn || storageWear ?? 0 >= 90 { found.insert(.storageWorn) }
    if fileSystemErrors ?? 0 > 0 { found.insert(.fileSystemErrors) }
    if isReadOnly { found.insert(.readOnly) }
    return found
  }
}
