import Loop
import OwnTracks
import Timebase

/// All questions to the daemon: a few at a time, the others in the order in which they came.
final class DaemonLine {
  private struct Waiting {
    var line: [UInt8]
    var span: Span
    var then: (Question.Outcome) -> Void
  }

  private let loop: EventLoop
  private let path: String
  private var asked: [UInt64: Question] = [:]
  private var waiting: [Waiting] = []
  private var last: UInt64 = 0

  init(loop: EventLoop, path: String) {
    self.loop = loop
    self.path = path
  }

  /// `then` may be called at once if the daemon is not there. As many wait as there are connections, at most.
  func ask(_ words: [String], within span: Span = Limits.answer, then: @escaping (Question.Outcome) -> Void) {
    let line = JSON.array(words.map(JSON.string)).serialised() + [UInt8(ascii: "\n")]
    waiting.append(Waiting(line: line, span: span, then: then))
    next()
  }

  /// As `ask`; nil: no answer, or one that is no JSON.
  func askValue(
    _ words: [String], within span: Span = Limits.answer, then: @escaping (JSON?) -> Void
  ) {
    ask(words, within: span) { outcome in
      guard case .answer(let bytes) = outcome else { return then(nil) }
      then(try? JSON.parse(bytes, limit: Limits.answerBytes))
    }
  }

  private func next() {
    while asked.count < Limits.questions, !waiting.isEmpty {
      let first = waiting.removeFirst()
      last += 1
      let number = last
      let question = Question(loop: loop, path: path, line: first.line, within: first.span) {
        [unowned self] outcome in
        // Kept until this is over: it is in the middle of a call of its own.
        let question = asked.removeValue(forKey: number)
        first.then(outcome)
        withExtendedLifetime(question) {}
        next()
      }
      if let question { asked[number] = question } else { first.then(.silence) }
    }
  }
}
