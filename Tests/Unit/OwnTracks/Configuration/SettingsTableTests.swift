import Model
import Testing

@testable import OwnTracks

/// What people are told of keys beside their values.
struct SettingsTableTests {
  // behaviour: Settings that people change
  @Test func everyKeyHasItsLineAndNoOther() {
    for key in ConfigurationKey.all {
      let note = SettingNote(of: key.name)
      #expect(note?.text.isEmpty == false, "nothing is told of \(key.name)")
      #expect(note?.text.last != ".", "\(key.name)")
    }
    #expect(SettingNote(of: "") == nil && SettingNote(of: "key") == nil)
    #expect(SettingNote.names.sorted() == ConfigurationKey.all.map(\.name).sorted())
  }

  @Test func everyKeyIsOfOneSubject() {
    #expect(ConfigurationKey.bySubject.flatMap(\.keys) == ConfigurationKey.all)
  }

  @Test func aKeyIsDescribedByItsKind() {
    func member(_ name: String, _ member: String) -> JSON? {
      ConfigurationKey.named(name).flatMap { SettingsTable.description(of: $0)[member] }
    }
    for (name, type) in [
      ("trips", "boolean"), ("ping", "integer"), ("vehicleBatteryLow", "number"), ("host", "text"),
      ("backlog", "choice"), ("mode", "choice"), ("monitoring", "choice"), ("timeModes", "list"),
      ("scanDuty", "text"),
    ] {
      #expect(member(name, "type")?.text == type, "\(name)")
    }
    #expect(member("ping", "min") == 0 && member("ping", "max") == 1440 && member("ping", "unit") == "min")
    #expect(member("ping", "default") == 15 && member("ping", "group") == "reporting")
    #expect(member("mode", "choices")?.elements?.last == ["value": 3, "text": "HTTP"])
    #expect(member("backlog", "choices")?.elements?.first == ["value": "always", "text": "always"])
    #expect(member("monitoring", "choices")?.elements?.first == ["value": -1, "text": "quiet"])
    #expect(member("password", "secret") == true && member("host", "unit") == nil)
    #expect(member("port", "expert") == true && member("host", "expert") == false)
    #expect(member("tls", "settable") == false && member("host", "settable") == true)
  }

  @Test func answerIsDescribedAndUnknownKeysAreKept() {
    let answer: JSON = [
      "ok": true,
      "settings": [["name": "tid", "value": "zz", "from": "file"], ["name": "newer", "value": 1]],
    ]
    let settings = SettingsTable.described(answer)["settings"]?.elements
    #expect(
      settings?[0]["value"] == "zz" && settings?[0]["type"] == "text" && settings?[0]["group"] == "identity")
    #expect(settings?[1] == ["name": "newer", "value": 1])
    #expect(SettingsTable.described(["ok": false]) == ["ok": false])
  }

  // behaviour: status and doctor
  @Test(arguments: [
    "", "https://tile.example.net/{z}/{x}/{y}.png", "http://10.42.0.1:8080/{z}/{y}/{x}?key=abc",
  ])
  func aMapIsAnAddressWithThreePlaces(_ text: String) {
    #expect(ConfigurationValue.allows(text, .tileURL))
  }

  @Test(arguments: [
    "tile.example.net/{z}/{x}/{y}.png", "ftp://tile.example.net/{z}/{x}/{y}.png",
    "https://tile.example.net/{z}/{x}.png",
    "https://{s}.tile.example.net/{z}/{x}/{y}.png", "https://tile.example.net/{z}/{x}/{y}{scale}.png",
    "https://me:secret@tile.example.net/{z}/{x}/{y}.png", "https://tile.example.net/{z}/{x}/{y}/{x}.png",
    "https://tile.example.net/{z}/{x}/{y}'.png", "https://tile.example.net/{z}/{x}/{y}; script-src *",
    "https://tile.example.net/{z}/{x}/{y}}", "https://{z}/{x}/{y}", "javascript:alert(1)//{z}{x}{y}",
  ])
  func elseNoMapIsLoaded(_ text: String) {
    #expect(!ConfigurationValue.allows(text, .tileURL))
  }
}
