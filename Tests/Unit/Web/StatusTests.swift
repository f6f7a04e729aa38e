import OwnTracks
import Testing

@testable import Web

/// What is told of the tracker's status, and when.
struct StatusTests {
  private let before: JSON = [
    "uptime": 5, "mode": "move", "fix": ["lat": 1.5, "age": 0.5],
    "gps": ["reached": true, "lastReport": 0.5],
    "connection": ["colour": "amber", "since": 3.0, "lastError": ["age": 9.0, "text": "refused"]],
  ]

  private func changed(_ path: [String], _ value: JSON?) -> JSON {
    func put(_ object: JSON, _ path: ArraySlice<String>) -> JSON {
      var object = object
      guard let first = path.first else { return object }
      object.set(first, path.count == 1 ? value : put(object[first] ?? [:], path.dropFirst()))
      return object
    }
    return put(before, path[...])
  }

  @Test func theFirstTimeEverythingIsNews() {
    let all = StatusSections.changes(from: .null, to: before)
    #expect(all?.members?.map(\.key) == ["mode", "fix", "gps", "connection"])
  }

  @Test func nothingIsNewWhereNothingChanged() {
    #expect(StatusSections.changes(from: before, to: before) == nil)
  }

  @Test(
    arguments: [
      (["uptime"], 6), (["fix", "age"], 1.5), (["gps", "lastReport"], 1.5), (["connection", "since"], 4.0),
      (["connection", "lastError", "age"], 10.0),
    ] as [([String], JSON)])
  func toBeOlderIsNoNews(_ path: [String], _ value: JSON) {
    #expect(StatusSections.changes(from: before, to: changed(path, value)) == nil)
  }

  @Test(
    arguments: [
      (["mode"], "quiet"), (["fix", "lat"], 1.6), (["connection", "since"], 0.5),
      (["connection", "lastError", "text"], "no route"),
    ] as [([String], JSON)])
  func aSectionThatChangesIsSentWhole(_ path: [String], _ value: JSON) {
    let now = changed(path, value)
    #expect(StatusSections.changes(from: before, to: now) == .object([.init(path[0], now[path[0]] ?? .null)]))
  }

  @Test func aSectionThatGoesIsNull() {
    #expect(StatusSections.changes(from: before, to: changed(["fix"], nil)) == ["fix": .null])
  }

  @Test func listsAreStaleWhenTheStatusSaysSo() {
    var lists = StaleLists()
    #expect(lists.look(at: ["regions": 1, "history": 4]).isEmpty)
    #expect(lists.look(at: ["regions": 1, "history": 4]).isEmpty)
    let more = lists.look(at: ["regions": 2, "history": 4])
    #expect(more.map(\.list) == ["regions"] && more.map(\.count) == [1])
    #expect(lists.look(at: ["regions": 3, "history": 5]).map(\.list) == ["regions", "why", "history"])
  }

  @Test(arguments: [
    (#"{"messages":{"friendUpdates":1}}"#, ["friends"]), (#"{"mode":"move"}"#, ["why"]),
    (#"{"fix":{"tst":7}}"#, ["why"]), (#"{"queue":{"count":1}}"#, ["why", "history"]),
    (#"{"connection":{"acknowledged":1}}"#, ["why", "history"]), (#"{"inside":["Yard"]}"#, ["regions"]),
    (#"{"leftDescriptions":1}"#, ["regions"]), (#"{"uptime":1}"#, []),
  ])
  func eachSignMakesItsListStale(_ status: String, _ stale: [String]) throws {
    var lists = StaleLists()
    #expect(lists.look(at: [:]).isEmpty)
    let changed = try lists.look(at: JSON.parse(status))
    #expect(changed.map(\.list) == stale)
  }
}
