import Model
import OwnTracks

/// Why a key that was just set changes nothing for now.
enum ModeNote {
  /// `runningMode`: the tracker's; nil: only the file's `monitoring` is known. No text: the key counts.
  static func text(
    for key: String, in configuration: Configuration, runningMode: MonitoringMode?
  ) -> String? {
    if adaptive.contains(key), !configuration.adaptive.isOn {
      return "\(key) counts where adaptive is on: homeward config set adaptive on"
    }
    if harsh.contains(key), !configuration.journey.harsh.isOn {
      return "\(key) counts where harshDriving is on: homeward config set harshDriving on"
    }
    let wanted: MonitoringMode
    if move.contains(key) || adaptive.contains(key) || key == "adaptive" {
      wanted = .move
    } else if significant.contains(key) {
      wanted = .significant
    } else {
      return nil
    }
    if let runningMode {
      guard runningMode != wanted else { return nil }
      return
        "\(key) counts in \(wanted.name) mode; the mode is \(runningMode.name) (homeward mode \(wanted.name))"
    }
    let begun = configuration.reports.monitoring
    guard begun != wanted else { return nil }
    return "\(key) counts in \(wanted.name) mode; the file begins with \(begun.name) mode "
      + "(homeward config set monitoring \(wanted.name))"
  }

  private static let move: Set = [
    "locatorDisplacement", "locatorInterval", "downgrade", "adapt", "adaptRequiresFollow", "preset",
  ]
  private static let adaptive: Set = ["adaptiveDistance", "adaptiveHeading", "adaptiveSpeed"]
  private static let harsh: Set = ["harshBraking", "harshAcceleration", "harshCornering"]
  private static let significant: Set = [
    "significantDisplacement", "significantInterval", "significantWindow",
  ]
}
