import Glibc
import Model
import Testing
import Timebase

@testable import Core

/// Every order in which few messages, power cuts, connections and failing writes can come, one after the other. What
/// holds in all of them are the promises of delivery, by their names: `AtLeastOnce`, `OrderOfATopic`,
/// `EventsAreDurableFirst`, `OnlyTheBrokerRemoves`, `SentOnlyWhileConnected`, `NothingIsLeft`.
struct DeliverySearchTests {
  typealias World = DeliveryWorld

  /// The first broken promise with the steps that lead there, and how many worlds there are.
  private func search(_ start: World) -> (breach: String?, worlds: Int) {
    var seen: Set<[Int]> = [start.key]
    var waiting: [(world: World, steps: [World.Step])] = [(start, [])]
    while let (world, steps) = waiting.popLast() {
      for step in world.steps {
        var next = world
        next.take(step)
        guard seen.insert(next.key).inserted else { continue }
        if let breach = next.breach ?? next.settled().breach {
          return ("\(breach) after \(steps + [step])", seen.count)
        }
        waiting.append((next, steps + [step]))
      }
    }
    return (nil, seen.count)
  }

  private static let kinds: [[World.Plan]] = [
    [.init(topic: "a", isEvent: true), .init(topic: "b", isEvent: false)],
    [.init(topic: "b", isEvent: false), .init(topic: "b", isEvent: true)],
    [.init(topic: "a", isEvent: true), .init(topic: "a", isEvent: true)],
  ]

  /// HOMEWARD_SEARCH says how many messages, cuts and connections there are to be instead (322: minutes; 422: hours).
  private static let wanted = getenv("HOMEWARD_SEARCH").map {
    String(cString: $0).compactMap(\.wholeNumberValue)
  }

  @Test(.enabled(if: wanted != nil)) func everyOrderThatIsAskedForKeepsThePromises() throws {
    let numbers = try #require(Self.wanted)
    let plans = (0..<numbers[0]).map { World.Plan(topic: $0 % 3 == 2 ? "b" : "a", isEvent: $0 % 2 == 0) }
    let budget = World.Budget(connections: numbers[2], cuts: numbers[1], failures: 1, waits: 3)
    let (breach, worlds) = search(World(plans: plans, budget: budget))
    print("\(worlds) worlds")
    #expect(breach == nil)
  }

  @Test(arguments: kinds) func everyOrderOfTwoMessagesKeepsThePromises(_ plans: [World.Plan]) {
    let (breach, worlds) = search(World(plans: plans, budget: .init()))
    #expect(breach == nil)
    #expect(worlds > 1000)
  }
}
