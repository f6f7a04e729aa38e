import Model

/// The form in `status`, here and over the network: unknown values are absent, and `troubles` has a word for each
/// problem that a person should act on.
extension StatusRecord.Board {
  /// The current state, rounded as people read it.
  public convenience init(_ health: BoardHealth) {
    self.init()
    let found = health.troubles()
    troubles = BoardHealth.Trouble.allCases.filter(found.contains).map(\.rawValue)
    readOnly = health.isReadOnly
    temperature = health.temperature.map { ($0 * 10).rounded() / 10 }
    (underVoltage, throttled) = (health.isUnderVoltage, health.isThrottled)
    underVoltageSeen = underVoltage == nil ? nil : health.hadUnderVoltage
    throttledSeen = throttled == nil ? nil : health.hadThrottling
    (storageWear, fileSystemErrors) = (health.storageWear, health.fileSystemErrors)
  }
}
