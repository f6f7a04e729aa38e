import ArgumentParser
import Glibc
import OwnTracks

struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Check everything from the receiver to the broker, and say what to do.",
    discussion: """
      Exit status 1 if something fails.

      Example: sudo homeward doctor
      """)

  @OptionGroup var place: ConfigurationPlace
  @OptionGroup var options: CommonOptions

  func run() throws {
    let findings = Examination(configurationPath: place.file, socketPath: options.socket).findings()
    if options.json {
      Terminal.say(.array(findings.map(\.json)), sortingKeys: true)
    } else {
      var table = Table()
      for finding in findings {
        table.add(finding.verdict.rawValue, finding.subject, finding.text)
        if let remedy = finding.remedy { table.add("", "", "-> \(remedy)") }
      }
      Terminal.say(table.text)
    }
    if findings.contains(where: { $0.verdict == .fail }) { throw ExitCode(ExitStatus.failed.rawValue) }
  }
}

/// The result of one check.
struct Finding {
  enum Verdict: String {
    case ok, warn, fail
  }

  var verdict: Verdict
  var subject: String
  var text: String
  /// The remedy, if there is one.
  var remedy: String?

  init(_ verdict: Verdict, _ subject: String, _ text: String, remedy: String? = nil) {
    self.verdict = verdict
    self.subject = subject
    self.text = text
    self.remedy = remedy
  }

  var json: JSON {
    [
      "verdict": .string(verdict.rawValue), "subject": .string(subject), "text": .string(text),
      "remedy": remedy.map { .string($0) } ?? .null,
    ]
  }
}
