import Model

/// How `status` tells it, here and over the network: what is not known is not there, and `troubles` has a word for each
/// thing that somebody should do something about.
extension BoardHealth {
  /// Temperature in °C, wear in per cent.
  public var json: JSON {
    let found = troubles()
    let words = Trouble.allCases.filter(found.contains).map { JSON.string($0.rawValue) }
    var object: JSON = ["troubles": .array(words), "readOnly": .boolean(isReadOnly)]
    object.set("temperature", temperature.map { .real(($0 * 10).rounded() / 10) })
    object.set("underVoltage", isUnderVoltage.map { .boolean($0) })
    object.set("underVoltageSeen", isUnderVoltage == nil ? nil : .boolean(hadUnderVoltage))
    object.set("throttled", isThrottled.map { .boolean($0) })
    object.set("throttledSeen", isThrottled == nil ? nil : .boolean(hadThrottling))
    object.set("storageWear", storageWear.map { .integer(Int64($0)) })
    object.set("fileSystemErrors", fileSystemErrors.map { .integer(Int64($0)) })
    return object
  }
}
