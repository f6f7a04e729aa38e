import Model

/// Words that people type for a value, besides what a file holds.
enum TypedValue {
  static func json(_ text: String, for key: ConfigurationKey) -> JSON {
    if key == .monitoring, let mode = MonitoringMode(text: text) { return .integer(Int64(mode.rawValue)) }
    guard case .flag = key.value else { return .string(text) }
    switch text.lowercased() {
    case "yes", "on", "true": return true
    case "no", "off", "false": return false
    default: return .string(text)
    }
  }

  /// The expected value, for people who type it.
  static func expectation(_ key: ConfigurationKey) -> String {
    let usual = ConfigurationValue.expectation(key)
    if key == .monitoring {
      return usual + ", or " + MonitoringMode.allCases.map(\.name).joined(separator: ", ")
    }
    guard case .flag = key.value else { return usual }
    return usual + ", or yes, no, on, off"
  }
}
