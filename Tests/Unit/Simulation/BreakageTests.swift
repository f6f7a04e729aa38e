import Testing

@testable import Simulator

/// Judges bark at a driver that does something wrong: each breakage with the words of who has to notice it, and the seeds
/// to look in. A range begins with the first seed whose world shows it, to save time, and goes far beyond, for the day when
/// worlds are made in another way.
struct BreakageTests {
  typealias Broken = (breakage: Breakage, words: [String], seeds: ClosedRange<UInt64>)

  static let connection: [Broken] = [
    (.messagesAreSentTwice, ["is sent again on one connection"], 1...12),
    (.acknowledgementsRunAhead, ["and the broker has not answered"], 2...13),
    (.askedIsSubscribed, ["counts as subscribed, and the broker delivers nothing"], 1...12),
    (.sessionIsTrusted, ["counts as subscribed, and the broker delivers nothing"], 10...60),
    (.confirmationsAreSwallowed, ["deaf, and nothing is under way"], 1...12),
    (.leftOutForGood, ["deaf, and asks again in -"], 1...12),
    (
      .filterStaysForbidden, ["deaf, though nothing is forbidden", "the last command was not obeyed"], 1...12
    ),
    (.commandsAreSwallowed, ["was sent and never taken"], 1...12),
    (.commandsAreNotTold, ["a command arrived and was not obeyed"], 2...13),
    (.brokerStaysAway, ["messages still wait"], 2...13),
  ]

  static let store: [Broken] = [
    (.storeForgetsAWrite, ["agreement at "], 1...12),
    (.tablesChangeUnseen, ["agreement at "], 1...12),
    (.storeIsNewer, ["process at "], 1...1),
    (.storeLies, ["is sent, and not yet on the disk"], 1...40),
    (.diskStaysBroken, ["the store does not work"], 1...12),
    (.oneFlipIsMany, ["flips at "], 14...60),
    (.bitsFlipUnseen, ["the store is damaged, and no bit has flipped"], 1...60),
    (.sidesAreForgotten, ["forgotten over a start"], 3...40),
    (.callsAreForgotten, ["a call for help is forgotten over a start"], 1...60),
    (
      .processStaysAway, ["no tracker runs, long after the last fault", "no tracker runs at the end"], 1...12
    ),
  ]

  static let telling: [Broken] = [
    (.crossingsAreToldTwice, ["once at "], 1...12),
    (.tripsAreToldTwice, ["twice, in other words: {\"_type\":\"trip\""], 1...12),
    (.placesAreToldAgain, ["this place was told already"], 1...40),
    (.configurationIsNotTold, ["reasons at ", "m are asked for"], 2...40),
    (.accuracyIsNotTold, ["withheld inaccurate"], 1...12),
    (.accuracyIsIgnored, ["told though it is known to"], 5...40),
    (.pingIsNotTold, ["no sign of life for"], 1...40),
    (.intervalIsNotTold, ["nothing told for"], 2...40),
    (.downgradeIsNotTold, ["still in move mode at"], 4...40),
    (.downgradeIsEager, ["it is not low"], 4...40),
    (.adaptIsNotTold, ["min are asked for, and in move mode"], 19...60),
    (.stepsAreNotTold, [" is due"], 2...40),
    (.stepsAreEager, [" s of a low battery"], 2...40),
    (.restIsNotTold, ["adapted outside of every follow region"], 2...40),
    (.networkRulesAreNotTold, ["and the rule of networks is"], 2...40),
    (.timeRulesAreNotTold, ["of times at"], 2...40),
  ]

  static let places: [Broken] = [
    (.receiverIsNotHeard, ["times at "], 1...12),
    (.faultsOfTimeDeafen, ["times at "], 1...40),
    (.clockIsAhead, ["times at "], 1...12),
    (.gateIsNotTold, ["standing at "], 2...40),
    (.confirmationsAreMany, ["prompt at ", "are asked for"], 1...40),
    (.confirmationsAreMany, ["s after it set out"], 32...150),
    (.confirmationsAreFew, ["fixes in a row say so, not"], 1...40),
    (.reentryIsNotGuarded, ["s after a leave, by a stray"], 5...60),
    (.radioHangsUnseen, ["is left while the radio hears nothing"], 7...60),
    (.lossTimeoutIsNotTold, [" s, not "], 2...13),
  ]

  @Test(arguments: connection + store + telling + places)
  func aBrokenDriverIsNoticed(_ broken: Broken) {
    var wanted = Set(broken.words)
    for seed in broken.seeds where !wanted.isEmpty {
      let complaints = World(seed: seed, breakage: broken.breakage).run().complaints.map(\.description)
      wanted = wanted.filter { words in !complaints.contains { $0.contains(words) } }
    }
    #expect(wanted == [])
  }
}
