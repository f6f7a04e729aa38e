import Model
import Testing
import Timebase

@testable import Core

/// What the journal is told of settings: how it reads, and how much of it.
struct SettingsNewsTests {
  private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

  private let line = SettingsNews.changed(key: "ping", from: "1", to: "2", .command(topic: "a/b/cmd"))

  @Test func oneIsSaidAsOne() {
    let full = "a board keeps at most \(Region.room); remove some: homeward region rm NAME"
    let sentences: [(SettingsNews, String)] = [
      (
        .withheld(keys: ["password"], .command(topic: nil)),
        "password of the file is for the file's own server, and kept from the one that was set by a command in an answer "
          + "over HTTP; setConfiguration can give others along"
      ),
      (
        .withheld(keys: ["password", "tlsClientCert"], .people),
        "password, tlsClientCert of the file are for the file's own server, and kept from the one that was set by "
          + "a local user; setConfiguration can give others along"
      ),
      (.regionsRefused(1, .file), "1 region refused that came by the file: " + full),
      (.regionsRefused(2, .file), "2 regions refused that came by the file: " + full),
      (.more(1), "1 more line about changed settings; see: homeward config remote"),
      (.more(2), "2 more lines about changed settings; see: homeward config remote"),
    ]
    for (news, sentence) in sentences { #expect(news.sentence == sentence) }
  }

  @Test func onlyRemoteChangesCountAsOutside() {
    let sources: [(SettingsNews.Source, Bool)] = [
      (.command(topic: nil), true), (.rollback, true), (.file, false), (.people, false),
    ]
    for (source, isOutside) in sources {
      #expect(SettingsNews.changed(key: "ping", from: "1", to: "2", source).isOutside == isOutside)
      #expect(SettingsNews.withheld(keys: [], source).isOutside == isOutside)
      #expect(SettingsNews.regionsRefused(1, source).isOutside == isOutside)
    }
    #expect(!SettingsNews.dropped(keys: ["tls"]).isOutside && SettingsNews.more(1).isOutside)
  }

  @Test(arguments: [(59, false), (60, false), (61, true), (500, true)])
  func longValueIsCutToSixtyCharacters(_ letters: Int, _ isCut: Bool) throws {
    let key = try #require(ConfigurationKey.all.first { $0.name == "clientId" })
    let text = String(repeating: "x", count: letters)
    let shown = key.shown(in: Scene.configuration { $0.identity.clientId = text })
    #expect(shown == (isCut ? String(repeating: "x", count: 60) + "…" : text))
  }

  /// Of twenty lines of a command.
  private func written(_ budget: inout NewsBudget, at seconds: Double) -> Int {
    var written = 0
    for _ in 0..<20 where budget.admits(line, at: at(seconds)) { written += 1 }
    return written
  }

  @Test func afterAMinuteThereAreTenLinesAgain() {
    var budget = NewsBudget()
    #expect(written(&budget, at: 5) == 10 && budget.due == at(65))
    #expect(written(&budget, at: 64.9) == 0)
    #expect(written(&budget, at: 65) == 10)
    let skipped = budget.takeSkipped()
    #expect(skipped == 40 && budget.due == nil)
  }

  @Test func thePeopleOfTheBoardMaySayAsMuchAsTheyLike() {
    var budget = NewsBudget()
    let edited = SettingsNews.changed(key: "ping", from: "1", to: "2", .file)
    let all = (0..<50).map { _ in budget.admits(edited, at: at(1)) }
    #expect(all.allSatisfy { $0 } && budget.due == nil)
    #expect(written(&budget, at: 1) == 10)
  }
}
