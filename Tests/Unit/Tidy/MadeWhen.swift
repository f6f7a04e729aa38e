import Foundation
import Testing

// behaviour: Clock
@Suite struct MadeWhenTests {
  /// `ReceiverCalendar.built`, read from the source: what was compiled could not tell how old the source is.
  private func built() throws -> Double {
    let file = try #require(Repository.file("Sources/Core/Positions/ReceiverCalendar.swift"))
    let line = try #require(file.code.first { $0.contains("static let built = ") })
    let digits = line.filter { $0.isNumber || $0 == "." }
    return try #require(Double(digits))
  }

  /// The newest commit's date; without git the present.
  private func newest() -> Double {
    let git = Process()
    let said = Pipe()
    git.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    git.arguments = ["git", "-C", Repository.root.path, "log", "-1", "--format=%ct"]
    (git.standardOutput, git.standardError) = (said, FileHandle.nullDevice)
    guard (try? git.run()) != nil else { return Date().timeIntervalSince1970 }
    let text = String(decoding: said.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    git.waitUntilExit()
    return Double(text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? Date().timeIntervalSince1970
  }

  /// Receivers' dates are judged by it. Once this fails set it to the first day of the present month.
  @Test func theProgramKnowsAboutWhenItWasMade() throws {
    let age = (newest() - (try built())) / 86_400
    #expect(age > -1, "it was made \(-age) days after its newest change")
    #expect(age < 180, "the program believes that it was made \(Int(age)) days ago")
  }
}
