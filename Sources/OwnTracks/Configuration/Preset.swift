import Model

extension ConfigurationFile.Decoded {
  /// The defaults of a stock iPhone in place of ours, for keys that neither the file nor the command line (`typed`)
  /// sets.
  mutating func applyPreset(typed: [String]) {
    guard configuration.reports.preset == .iosapp else { return }
    func isOpen(_ name: String) -> Bool { (raw[name] ?? .null).isNull && !typed.contains(name) }
    if isOpen("locatorDisplacement") { configuration.reports.locatorDisplacement = 200 }
    if isOpen("locatorInterval") { configuration.reports.locatorInterval = 180 }
  }
}
