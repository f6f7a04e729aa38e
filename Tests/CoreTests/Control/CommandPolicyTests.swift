import Model
import Testing
import Timebase

@testable import Core

/// Who may order what, how old and how often.
struct CommandPolicyTests {
  private static let strict = Scene.configuration {
    $0.commands.isOn = true
    $0.commands.remoteConfiguration = true
    $0.commands.requireEncrypted = true
  }

  private func received(_ digest: UInt64, sent: Double?, isEncrypted: Bool = true) -> ReceivedCommand {
    var received = ReceivedCommand(.status)
    received.isEncrypted = isEncrypted
    received.digest = digest
    received.sent = sent.map { WallTime(seconds: $0) }
    return received
  }

  private func judge(_ policy: inout CommandPolicy, _ command: ReceivedCommand, at seconds: Double)
    -> CommandRefusal?
  {
    policy.refusal(
      of: command, Self.strict, wall: WallTime(seconds: Scene.start + seconds), at: .zero + .seconds(seconds))
  }

  @Test func plainCommandsAreRefusedWhereEncryptionIsRequired() {
    var policy = CommandPolicy()
    #expect(judge(&policy, received(1, sent: Scene.start, isEncrypted: false), at: 0) == .notEncrypted)
  }

  @Test func anEncryptedCommandCountsOnce() {
    var policy = CommandPolicy()
    #expect(judge(&policy, received(1, sent: Scene.start), at: 5) == nil)
    #expect(judge(&policy, received(1, sent: Scene.start), at: 10) == .repeated)
    #expect(judge(&policy, received(2, sent: Scene.start), at: 15) == nil)
  }

  @Test func whatWasObeyedIsKnownAfterARestart() {
    var policy = CommandPolicy()
    #expect(judge(&policy, received(1, sent: Scene.start), at: 5) == nil)
    var next = CommandPolicy(seen: policy.seen)
    #expect(judge(&next, received(1, sent: Scene.start), at: 10) == .repeated)
  }

  @Test func withoutATimeNobodyCanTellARepetition() {
    var policy = CommandPolicy()
    #expect(judge(&policy, received(1, sent: nil), at: 5) == .undated)
  }

  @Test func aCommandOfTheFutureIsRefused() {
    var policy = CommandPolicy()
    #expect(judge(&policy, received(1, sent: Scene.start + 100), at: 0) == .notOfNow)
    #expect(judge(&policy, received(1, sent: Scene.start + 30), at: 0) == nil)
  }

  @Test func whatWasForgottenIsRefusedByItsTime() {
    var policy = CommandPolicy(
      seen: (0..<UInt64(CommandPolicy.memory)).map { SeenCommand(digest: $0, time: 1_700_000_010) })
    #expect(judge(&policy, received(9999, sent: Scene.start + 10), at: 20) == .repeated)
    #expect(judge(&policy, received(9999, sent: Scene.start + 11), at: 20) == nil)
    #expect(policy.seen.count == CommandPolicy.memory)
  }

  @Test func refusedCommandsTakeNobodysTurn() {
    var policy = CommandPolicy()
    for digest in 0..<50 {
      _ = judge(&policy, received(UInt64(digest), sent: Scene.start, isEncrypted: false), at: 1)
    }
    #expect(judge(&policy, received(1, sent: Scene.start), at: 2) == nil)
  }

  @Test func tenInARowAndThenOneEverySixSeconds() {
    var policy = CommandPolicy()
    let taken = (0..<120).filter { second in
      judge(&policy, received(UInt64(second), sent: Scene.start + Double(second)), at: Double(second)) == nil
    }
    #expect(taken.count == 10 + 119 / 6)
  }

  @Test func repeatedCommandsReachTheDisk() {
    var scene = Scene(Self.strict)
    scene.connect()
    scene.fix(at: 0, 0)
    scene.post(.commanded(received(7, sent: Scene.start)), at: 1)
    #expect(scene.writes.contains(.commandsSeen([.init(digest: 7, time: 1_700_000_000)])))
  }
}
