import Model

/// How `status` tells it, here and over the network: what is not known is not there, and `troubles` has a word for each
/// thing that somebody should do something about.
extension StatusRecord.Board {
  /// What is known now, rounded as people read it.
  public init(_ health: BoardHealth) {
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
