import Loop
import OwnTracks
import Timebase

/// Asks for the tracker's status once a second while a page is open, and never otherwise.
final class StatusWatch {
  enum News {
    case status(JSON)
    /// It was there before and does not answer, or is back.
    case reached(Bool)
  }

  private let loop: EventLoop
  private let daemon: DaemonLine
  private let post: (News) -> Void
  private var timer: Timer?
  private var isAsking = false
  private var isLooking = false
  /// The newest status; nil: there is none that is worth anything.
  private(set) var newest: JSON?
  private(set) var isReached = true

  init(loop: EventLoop, daemon: DaemonLine, post: @escaping (News) -> Void) {
    self.loop = loop
    self.daemon = daemon
    self.post = post
    timer = loop.makeTimer { [unowned self] in ask() }
  }

  func look() {
    guard !isLooking else { return }
    isLooking = true
    ask()
  }

  func rest() {
    isLooking = false
    newest = nil
    isReached = true
    timer?.cancel()
  }

  private func ask() {
    guard isLooking, !isAsking else { return }
    isAsking = true
    timer?.set(at: loop.now.instant + Limits.poll)
    daemon.askValue(["status"], within: Limits.pollAnswer) { [unowned self] answer in
      isAsking = false
      guard isLooking else { return }
      received(answer.flatMap { StatusReply(answer: $0) }?.status)
      if timer?.deadline == nil { ask() }
    }
  }

  private func received(_ status: JSON?) {
    if (status != nil) != isReached {
      isReached = status != nil
      post(.reached(isReached))
    }
    newest = status
    if let status { post(.status(status)) }
  }
}
