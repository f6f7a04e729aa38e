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

  /// What the tracker has noted since the last time.
  func note(_ entries: [Journal.Entry]) {
    for entry in entries {
      if entry.given == 0 { log.narrate(entry) }
      let number = before + entry.number
      var line = Answer.reason(entry, number: number)
      var text = line.serialised()
      // The names in it may be long.
      if text.count > ReasonFiles.longest - 24 {
        line.set("detail", nil)
        text = line.serialised()
      }
      let isWritten = files.write(number, text)
      if !isWritten, !isFailing {
        log.say(.warning, "what `homeward why` tells does not survive a restart: its files cannot be written")
      }
      isFailing = !isWritten
    }
  }

  /// Nil: there are no files; the tracker itself knows the last hundred.
  func answer(_ why: WhyLine) -> [UInt8]? {
    guard !isFailing else { return nil }
    return WhyLine.answer(files.lines(last: why.last, after: why.after), newest: files.newest)
  }

  func close() { files.close() }
}
