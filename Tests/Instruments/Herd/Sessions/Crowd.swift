import Glibc
import Loop
import Model
import Timebase

/// All sessions of a process, on one loop and with one worker for the network.
final class Crowd {
  let loop: EventLoop
  let worker: Worker
  let record: Record
  private let configuration: Configuration
  private let first: Int
  private let count: Int
  private var sessions: [Session] = []
  /// Those that have something to decide on.
  private var waiting: [Session] = []
  private var starts: Metronome?
  private var fixes: Metronome?
  private var orders: Watch?
  private var unread: [UInt8] = []

  init(_ configuration: Configuration, first: Int, count: Int, record: Record) throws {
    (self.configuration, self.first, self.count, self.record) = (configuration, first, count, record)
    loop = try EventLoop()
    worker = try Worker(loop: loop, name: "network")
  }

  /// `rate`: sessions that are begun a second; `every`: seconds between two fixes of each.
  func start(rate: Double, every: Double) {
    loop.afterHandlers = { [unowned self] in decide() }
    orders = loop.watch(0, for: .read) { [unowned self] _ in obey() }
    starts = Metronome(loop, .seconds(1 / rate)) { [unowned self] beat in
      sessions.append(Session(configuration, number: first + beat, of: self))
      return beat + 1 < count
    }
    // Each board has a moment of its own.
    fixes = Metronome(loop, .seconds(every / Double(count))) { [unowned self] beat in
      let index = beat % count
      if index < sessions.count { sessions[index].fixIsDue() }
      return true
    }
  }

  /// It has got an event.
  func note(_ session: Session) { waiting.append(session) }

  /// The daemon's four steps, a board at a time.
  private func decide() {
    var next = 0
    while next < waiting.count {
      waiting[next].decide()
      next += 1
    }
    waiting.removeAll(keepingCapacity: true)
  }

  // MARK: Orders

  private func obey() {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(0, &bytes, bytes.count)
    guard count > 0 else { return loop.stop() }
    unread += bytes.prefix(count)
    while let end = unread.firstIndex(of: 0x0A) {
      let order = String(decoding: unread[..<end], as: UTF8.self)
      unread.removeFirst(end + 1)
      switch order {
      case "ask": answer()
      case "still": fixes = nil
      default: fail("no such order: \(order)")
      }
    }
  }

  private func answer() {
    let queued = sessions.reduce(0) { $0 + $1.queued }
    let bytes = sessions.reduce(0) { $0 + $1.carried }
    record.flush()
    let line = Array("queued=\(queued) bytes=\(bytes)\n".utf8)
    guard write(1, line, line.count) == line.count else { fail("nobody takes the answer") }
  }
}

/// Beats evenly, whatever its beats take: late ones follow at once.
final class Metronome {
  private let begin: Instant
  private let interval: Span
  private let beat: (Int) -> Bool
  private var count = 0
  private var timer: Loop.Timer?

  /// `beat` is given 0, 1, 2 and so on, until it answers false.
  init(_ loop: EventLoop, _ interval: Span, beat: @escaping (Int) -> Bool) {
    (begin, self.interval, self.beat) = (loop.now.instant, interval, beat)
    timer = loop.makeTimer { [unowned self] in run(at: loop.now.instant) }
    timer?.set(at: begin)
  }

  deinit { timer?.cancel() }

  private var due: Instant { begin + Span(nanoseconds: interval.nanoseconds * Int64(count)) }

  private func run(at now: Instant) {
    while due <= now {
      guard beat(count) else { return }
      count += 1
    }
    timer?.set(at: due)
  }
}
