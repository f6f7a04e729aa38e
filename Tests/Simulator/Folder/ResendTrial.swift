import Glibc
import Model
import Storage

/// Refused messages in a folder of the real file system, and their way back into the queue. Whatever the disk does not
/// take and whenever the power goes: after the next start each is in the store or in the file of the refused, and in one
/// of them only.
final class ResendTrial {
  private static let name = "refused.jsonl"

  private let folder = RealFolder()
  private var dice: Dice
  /// The highest sequence that the store has ever given.
  private var last: UInt64 = 0
  /// In the file of the refused, as far as anybody knows.
  private var owed: [[UInt8]] = []
  /// By what they were asked for last.
  private var asked: UInt64 = 0
  /// What a question that came to nothing left is looked after by the next start.
  private var isUntidy = false
  private var count = 0
  private(set) var lies: [String] = []
  /// What is done, for people.
  private(set) var story: [String] = []

  init(seed: UInt64) { dice = Dice(seed: seed, for: "letters") }

  private var resendFile: ResendFile { ResendFile(path: folder.at(Self.name)) }
  private func lie(_ text: String) {
    lies.append("refused messages: \(text) (\(story.joined(separator: ", ")))")
  }

  func run() {
    for _ in 0..<dice.whole(2...5) {
      refuse()
      last += UInt64(dice.whole(0...9))
      take()
      if dice.chance(0.3) { start("a start") }
    }
  }

  // MARK: Steps

  private func refuse() {
    for _ in 0..<dice.whole(0...4) {
      count += 1
      // Not every line can be made a message of again.
      let line = Array("\(dice.chance(0.3) ? "x" : "") message \(count)".utf8)
      owed.append(line)
      if let why = DeadLetters.append(line, to: folder.at(Self.name), limit: 1 << 20) {
        lie("message \(count) is not kept: \(why)")
      }
    }
  }

  /// Lines that begin with an x hold no message.
  private static let read: ResendFile.Reader = { line in
    line.first == UInt8(ascii: "x")
      ? .failure(.init("an x"))
      : .success(Message(topic: "t", payload: line, qos: 1, isRetained: false, isEvent: true, time: 0))
  }

  private func take() {
    let first = max(last, asked) + UInt64(dice.whole(1...9))
    asked = first
    let obstacle = dice.chance(0.4) ? dice.pick([".\(first)", ".\(first).new", ".new"]) : nil
    if let obstacle { mkdir(folder.at(Self.name + obstacle), 0o700) }
    story.append("asked for again as \(first)" + (obstacle.map { ", \($0) does not go" } ?? ""))
    var taking = DeadLetters.Taking.nothing
    cutting("taking them") { taking = resendFile.take(as: first, reading: Self.read) }
    if let obstacle { rmdir(folder.at(Self.name + obstacle)) }
    let messages = owed.filter { $0.first != UInt8(ascii: "x") }
    guard case .taken(let refused) = taking else {
      // Nobody waits for them.
      if obstacle == nil, !messages.isEmpty { lie("none are taken: \(taking)") }
      isUntidy = true
      if dice.chance(0.5) { start("a start") }
      return
    }
    if refused.messages.map(\.payload) != messages {
      lie("\(refused.messages.count) of \(messages.count) messages are taken")
    }
    if dice.chance(0.3) { return start("a power cut before the store has them") }
    last = first + UInt64(messages.count)
    owed.removeAll { $0.first != UInt8(ascii: "x") }
    if dice.chance(0.3) { return start("a power cut after the store has them") }
    cutting("forgetting them") { resendFile.forget(first) }
    judge(folder, "the store has them", isUntidy: isUntidy)
  }

  private func start(_ what: String) {
    story.append(what)
    cutting("the start") {
      if let why = resendFile.settle(lastSequence: last) { lie(why) }
    }
    isUntidy = false
    judge(folder, what)
  }

  // MARK: Judging

  /// Does it, and looks at what a power cut would have left after each of its steps, when the board has started again.
  private func cutting(_ what: String, _ body: () -> Void) {
    let watch = FolderWatch(folder)
    if !watch.isWatching { lie("no steps are seen: the kernel has no inotify left for \(folder.path)") }
    body()
    for (number, files) in watch.steps.enumerated() {
      let other = RealFolder()
      for (name, bytes) in files { other.put(bytes, at: name) }
      _ = ResendFile(path: other.at(Self.name)).settle(lastSequence: last)
      judge(other, "a power cut after step \(number) of \(what)")
    }
  }

  private func judge(_ folder: RealFolder, _ what: String, isUntidy: Bool = false) {
    let lines = folder.bytes(Self.name).split(separator: UInt8(ascii: "\n")).map(Array.init)
    func text(_ lines: [[UInt8]]) -> [String] { lines.map { String(decoding: $0, as: UTF8.self) }.sorted() }
    if text(lines) != text(owed) { lie("\(what): \(text(lines)) wait, not \(text(owed))") }
    for name in folder.names where !isUntidy && UInt64(name.dropFirst(Self.name.count + 1)) != nil {
      lie("\(what): \(name) is left")
    }
  }
}

extension World {
  /// In some worlds what was refused is asked for again.
  func tryLetters() {
    var dice = Dice(seed: seed, for: "are letters tried")
    guard dice.chance(0.4) else { return }
    let trial = ResendTrial(seed: seed)
    trial.run()
    for step in trial.story { tell("refused messages: \(step)") }
    for lie in trial.lies { complain(.delivered, lie) }
  }
}
