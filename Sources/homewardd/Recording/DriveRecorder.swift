import Answers
import Core
import Loop
import Model
import OwnTracks
import Storage
import Timebase

/// Writes down what happens to the tracker, so that the drive can be played again (`homeward record`). Off unless the
/// owner wants it. The loop only makes lines of it; they go to the disk in lots, on its worker, and what the disk does
/// not take in time is left out.
final class DriveRecorder {
  /// Bytes and time after which lines go to the disk.
  private static let chunk = (bytes: 32_768, span: Span.minutes(1))
  /// Bytes that wait for a disk that takes its time.
  static let waitingLimit = 1 << 20
  /// UTF-8 bytes of a person's command line: pictures are left out.
  private static let longestLine = 4096

  private let loop: EventLoop
  private let disk: Worker
  private let log: ServiceLog
  private var folder: RecordingFolder?
  /// Of the process: the next file is the first.
  private var hasBegun = false
  private var needsHead = true
  /// The next file goes on where the one before ends.
  private var goesOn = false
  private var writer = TimelineWriter()
  private var chunks: [RecordingFolder.Chunk] = []
  private var waiting = 0
  /// Of the file that is being written.
  private var size = 0
  private var lastWrite = Instant.zero
  private var isWriting = false
  private var whenWritten: [() -> Void] = []

  init(loop: EventLoop, disk: Worker, log: ServiceLog) {
    (self.loop, self.disk, self.log) = (loop, disk, log)
  }

  /// Nil: nothing is recorded from here on.
  func configure(_ new: RecordingFolder?) {
    guard new != folder else { return }
    flush {}
    folder = new
    (chunks, waiting) = ([], 0)
    (needsHead, goesOn) = (true, false)
  }

  var isOn: Bool { folder != nil }
  var path: String? { folder?.path }
  /// The next line needs `begin` before it.
  var isBeginning: Bool { isOn && needsHead }

  /// Before the tracker hears of an event.
  func begin(mode: ModeState, regions: [Snapshot.KnownRegion], at now: Moment) {
    guard isOn, !isWriting || waiting < Self.waitingLimit else { return }
    let head = writer.head(mode: mode, regions: regions, at: now)
    let mark = "{\"recording\":{\"begins\":\(!hasBegun),\"goesOn\":\(goesOn),\"head\":\(head.count)}}"
    chunks.append(.init(beginsFile: true, bytes: []))
    (hasBegun, needsHead, size) = (true, false, 0)
    if lastWrite == .zero { lastWrite = now.instant }
    take([mark] + head, at: now)
  }

  /// Records an event, unless a replay has no use for it.
  func note(_ event: Event, at now: Moment) {
    guard isOn, !needsHead else { return }
    let lines = writer.lines(of: event, at: now)
    if !lines.isEmpty { take(lines, at: now) }
  }

  /// Words that make the tracker do something.
  func note(_ words: [String]) {
    guard isOn, !needsHead, ["publish", "sos", "mode", "tag", "region"].contains(words.first ?? ""),
      words.reduce(0, { $0 + $1.utf8.count }) <= Self.longestLine
    else { return }
    take(writer.lines(of: words, at: loop.now), at: loop.now)
  }

  /// Everything is written, or could not be; answered in a later wake-up.
  func flush(then: @escaping () -> Void) {
    whenWritten.append(then)
    if !isWriting { write() }
  }

  /// For an orderly end; the disk's worker has it when this returns.
  func close() {
    guard isOn else { return }
    if !needsHead { take(["{\"stopped\":true}"], at: loop.now) }
    write()
  }

  private func take(_ lines: [String], at now: Moment) {
    guard waiting < Self.waitingLimit else {
      // The following lines would not belong to those written before.
      (needsHead, goesOn) = (true, false)
      return
    }
    var bytes: [UInt8] = []
    for line in lines {
      bytes += line.utf8
      bytes.append(UInt8(ascii: "\n"))
    }
    if chunks.isEmpty { chunks.append(.init(bytes: [])) }
    chunks[chunks.count - 1].bytes += bytes
    (waiting, size) = (waiting + bytes.count, size + bytes.count)
    if let folder, size + Self.chunk.bytes > folder.fileLimit { (needsHead, goesOn) = (true, true) }
    guard !isWriting, waiting >= Self.chunk.bytes || now.instant - lastWrite >= Self.chunk.span else {
      return
    }
    write()
  }

  private func write() {
    lastWrite = loop.now.instant
    let done = whenWritten
    whenWritten = []
    guard let folder, !chunks.isEmpty else {
      for one in done { one() }
      return
    }
    let all = chunks
    (chunks, waiting, isWriting) = ([], 0, true)
    disk.perform(in: .others) {
      folder.write(all)
    } then: { [weak self] why in
      for one in done { one() }
      self?.written(why)
    }
  }

  private func written(_ why: String?) {
    isWriting = false
    if let why {
      (needsHead, goesOn) = (true, false)
      (chunks, waiting) = ([], 0)
      log.say(.warning, "record: \(why)", of: .recording)
    }
    if !whenWritten.isEmpty { write() }
  }
}
