import Answers
import Core
import OwnTracks

/// Why things were told and were not, the last thousand over restarts: kept for `homeward why`, and what is worth it said
/// in the journal.
final class ReasonLog {
  private var files: ReasonFiles
  /// Entries of this life count from 1, the files' lines go on.
  private let before: UInt64
  private let log: ServiceLog
  private var isFailing = false

  /// `directory`: that of the control socket.
  init(directory: String, log: ServiceLog) {
    files = ReasonFiles(directory: directory)
    before = files.newest
    self.log = log
  }

  /// Takes the entries that are new in the tracker's journal.
  func note(_ entries: [Journal.Entry]) {
    for entry in entries {
      if entry.given == 0 { log.narrate(entry) }
      let number = before + entry.number
      let isWritten =
        ReasonShorthand.text(entry).map { files.write(number, $0, isUrgent: false) }
        ?? files.write(number, written(entry, number), isUrgent: true)
      if !isWritten, !isFailing {
        log.say(
          .warning, "the entries of `homeward why` will be lost at a restart: their files cannot be written")
      }
      isFailing = !isWritten
    }
  }

  private func written(_ entry: Journal.Entry, _ number: UInt64) -> [UInt8] {
    var line = Answer.reason(entry, number: number)
    let text = line.answer.serialised()
    guard text.count > ReasonFiles.longest - 24 else { return text }
    // The names in it may be long.
    line.detail = nil
    return line.answer.serialised()
  }

  /// Nil: there are no files; the tracker itself knows the last hundred.
  func answer(_ why: WhyRequest) -> [UInt8]? {
    guard !isFailing else { return nil }
    let reasons = files.lines(last: why.last, after: why.after).compactMap { number, text in
      if text.first == UInt8(ascii: "{") { return text }
      return ReasonShorthand.entry(text, number: number).map {
        ArraySlice(Answer.reason($0, number: number).answer.serialised())
      }
    }
    return ReasonList.text(reasons, newest: files.newest)
  }

  func close() { files.close() }
}
