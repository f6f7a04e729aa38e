import OwnTracks

@testable import homeward

/// Plans of a few lines.
enum FleetScene {
  static let template = #"{"_type":"configuration","host":"b.example","mqttProtocolLevel":5,"auth":false}"#

  static func plan(_ table: String, template: String = template) -> FleetPlan {
    FleetPlan(
      template: .init(name: "t.otrc", bytes: Array(template.utf8)),
      table: .init(name: "b.csv", bytes: Array(table.utf8)))
  }

  static func boards(_ table: String, template: String = template) -> [FleetBoard] {
    plan(table, template: template).boards
  }
}
