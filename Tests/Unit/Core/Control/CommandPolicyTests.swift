import Model
import Testing
import Timebase

@testable import Core

// behaviour: Who is obeyed
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

  @Test func repeatedCommandIsRefusedAfterRestart() {
    var policy = CommandPolicy()
    #expect(judge(&policy, received(1, sent: Scene.start), at: 5) == nil)
    var next = CommandPolicy(seen: policy.seen)
    #expect(judge(&next, received(1, sent: Scene.start), at: 10) == .repeated)
  }

  @Test func undatedEncryptedCommandIsRefused() {
    var policy = CommandPolicy()
    #expect(judge(&policy, received(1, sent: nil), at: 5) == .undated)
  }

  @Test func aCommandOfTheFutureIsRefused() {
    var policy = CommandPolicy()
    #expect(judge(&policy, received(1, sent: Scene.start + 100), at: 0) == .notOfNow)
    #expect(judge(&policy, received(1, sent: Scene.start + 30), at: 0) == nil)
  }

  @Test func possiblyForgottenCommandIsRefusedByTime() {
    var policy = CommandPolicy(
      seen: (0..<256).map { SeenCommand(digest: $0, time: 1_700_000_010) })
    #expect(judge(&policy, received(9999, sent: Scene.start + 10), at: 20) == .repeated)
    #expect(judge(&policy, received(9999, sent: Scene.start + 11), at: 20) == nil)
    #expect(policy.seen.count == 256)
  }

  @Test func refusedCommandsDoNotConsumeRateLimit() {
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

  private static let plain = Scene.configuration {
    $0.commands.isOn = true
    $0.commands.maxAge = 300
  }

  @Test func onlyLocationRequestsAreLimitedToOnePerSecond() {
    var policy = CommandPolicy()
    let found = [0, 0.5, 0.999, 1, 1.5, 2].map { seconds in
      policy.refusal(
        of: ReceivedCommand(.reportLocation), Self.plain, wall: nil, at: .zero + .seconds(seconds))
    }
    #expect(found == [nil, .tooMany, .tooMany, nil, .tooMany, nil])
    let other = policy.refusal(
      of: ReceivedCommand(.status), Self.plain, wall: nil, at: .zero + .seconds(2.5))
    #expect(other == nil)
    let next = policy.refusal(
      of: ReceivedCommand(.reportLocation), Self.plain, wall: nil, at: .zero + .seconds(3.2))
    #expect(next == nil, "a status is no location")
  }

  /// Its age in seconds, `commandMaxAge`, and whether only encrypted commands are obeyed.
  @Test(
    arguments: [
      (300.0, 300, false, nil), (300.5, 300, false, .notOfNow), (-60, 300, false, nil),
      (-60.5, 300, false, .notOfNow), (90_000, 0, false, nil), (90_000, 0, true, nil),
      (-61, 0, true, .notOfNow),
    ] as [(Double, Int, Bool, CommandRefusal?)])
  func aCommandIsAsOldAsItMayBe(_ age: Double, _ limit: Int, _ isStrict: Bool, _ refusal: CommandRefusal?) {
    var configuration = Self.plain
    (configuration.commands.maxAge, configuration.commands.requireEncrypted) = (limit, isStrict)
    var policy = CommandPolicy()
    let found = policy.refusal(
      of: received(1, sent: Scene.start - age), configuration, wall: WallTime(seconds: Scene.start), at: .zero
    )
    #expect(found == refusal)
  }

  @Test(
    arguments: [(300, false, .undated), (0, false, nil), (0, true, .undated)]
      as [(Int, Bool, CommandRefusal?)])
  func commandsNeedingDateAreRefusedWithoutClock(_ limit: Int, _ isStrict: Bool, _ refusal: CommandRefusal?) {
    var configuration = Self.plain
    (configuration.commands.maxAge, configuration.commands.requireEncrypted) = (limit, isStrict)
    var policy = CommandPolicy()
    let found = policy.refusal(of: received(1, sent: Scene.start), configuration, wall: nil, at: .zero)
    #expect(found == refusal)
  }

  /// Obeyed once, and then the power goes.
  @Test func executedCommandIsStoredAtOnce() {
    var scene = Scene(Self.strict)
    scene.connect()
    scene.fix(at: 0, 0)
    var asked = ReceivedCommand(.reportLocation)
    (asked.isEncrypted, asked.digest, asked.sent) = (true, 7, WallTime(seconds: Scene.start + 5))
    scene.post(.commanded(asked), at: 5)
    #expect(scene.writes.contains(.commandsSeen([.init(digest: 7, time: Int(Scene.start) + 5)])))
  }
}
