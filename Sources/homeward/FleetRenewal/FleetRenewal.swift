import OwnTracks

/// The renewal of one board's certificate, as the server sees it:
///
///     asking ──(the board's request)──▶ signing ──▶ offering ──(in force)──▶ done
///        └───────────────┴──────────────────────────────┴──(refused)──▶ failed
///
/// A command may be sent as often as one likes: the board answers with the same request, and takes a certificate once.
struct FleetRenewal {
  enum State: Equatable {
    case asking
    case signing(request: String)
    case offering(certificate: String)
    /// In the board's own words.
    case done(String)
    case failed(String)
  }

  let folder: String
  let board: FleetBoard
  private(set) var state = State.asking
  /// When the command of this state is sent, seconds of a clock that never jumps.
  var nextWord = 0.0

  /// Of this run: what a board says to another one's commands is not for this one.
  private let run: String
  private let encryption: Encryption?

  init(_ kept: FleetFolder.Kept, run: String) throws {
    (folder, board, self.run) = (kept.folder, kept.board, run)
    let secret = board.configuration.messages.encryptionKey
    encryption = secret.isEmpty ? nil : try Encryption(secret: secret)
    if !board.configuration.commands.isOn { state = .failed("it obeys no commands (cmd)") }
    if board.configuration.transport == .http { state = .failed("it posts its messages (mode 3)") }
  }

  var isOver: Bool {
    switch state {
    case .done, .failed: true
    case .asking, .signing, .offering: false
    }
  }

  var answerTopic: String { board.topics.topic(.result) }
  var commandTopic: String { board.topics.topic(.command) }

  /// The command for this state, as a broker is to pass it on; nil: nothing. `time`: Unix seconds.
  func command(at time: Int) -> [UInt8]? {
    var command: JSON = ["_type": "cmd", "tst": .integer(Int64(time))]
    switch state {
    case .asking:
      command.set("action", "requestCertificate")
      command.set("id", .string(run + "-request"))
    case .offering(let certificate):
      command.set("action", "setCertificate")
      command.set("id", .string(run + "-certificate"))
      command.set("certificate", .string(certificate))
    case .signing, .done, .failed: return nil
    }
    return encryption?.sealed(command.serialised()) ?? command.serialised()
  }

  /// A message on its answers' topic.
  mutating func heard(_ message: JSON) {
    var answer = message
    if let encryption {
      guard let plain = try? encryption.opened(message), let opened = try? JSON.parse(plain) else { return }
      answer = opened
    }
    guard answer["_type"]?.text == "answer" else { return }
    let (isDone, reason) = (answer["ok"]?.flag == true, answer["reason"]?.text ?? "it gives no reason")
    switch (state, answer["id"]?.text) {
    case (.asking, run + "-request"):
      guard isDone else {
        state = .failed(reason)
        return
      }
      guard let request = answer["request"]?.text else {
        state = .failed("its answer holds no request, expected one as PEM")
        return
      }
      state = .signing(request: request)
    case (.offering, run + "-certificate"): state = isDone ? .done(reason) : .failed(reason)
    case _: break
    }
  }

  mutating func signed(_ certificate: String) {
    state = .offering(certificate: certificate)
    nextWord = 0
  }

  mutating func failed(_ why: String) { state = .failed(why) }

  /// The time is over.
  mutating func giveUp(after seconds: Int) {
    switch state {
    case .asking, .signing: state = .failed("no answer within \(seconds) s")
    case .offering:
      state = .failed("it has not said within \(seconds) s whether the broker takes the new one")
    case .done, .failed: break
    }
  }
}
