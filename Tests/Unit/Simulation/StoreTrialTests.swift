import Testing

@testable import Simulator

/// A store in a folder that is not what it has to be is noticed, and one that is, is not complained of.
struct StoreTrialTests {
  private func says(_ words: String, _ breakage: Breakage) -> Bool {
    (UInt64(1)...20).contains { seed in
      let trial = StoreTrial(seed: seed, breakage)
      trial.run()
      return trial.lies.contains { $0.contains(words) }
    }
  }

  @Test func aStoreThatIsRepairedAsItShouldIsQuiet() {
    for seed in UInt64(1)...10 {
      let trial = StoreTrial(seed: seed)
      trial.run()
      #expect(trial.lies == [])
      #expect(!trial.story.isEmpty)
    }
  }

  @Test func unreportedDamageIsNoticed() {
    #expect(says("it says [", .damageIsNotTold))
    #expect(says("are gone", .damageIsNotTold))
  }

  @Test func incompleteWipeIsNoticed() {
    #expect(says("was not overwritten", .wipeIsForgotten))
    #expect(says("a wipe leaves a place", .wipeIsForgotten))
    #expect(says("a wipe leaves records", .wipeIsForgotten))
  }
}
