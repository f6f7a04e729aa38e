import Glibc
import Loop
import Model
import Testing
import Timebase

@testable import Host

/// With the real kernel, in a network of their own: each test runs in a thread that has left the
/// machine's network. That takes root, and `ip` of iproute2.
@Suite(.enabled(if: getuid() == 0 && system("command -v ip >/dev/null") == 0)) struct NetworkNamespaceTests {
  /// What happened in the thread, as words; runs `scene` there.
  static func inNetworkOfItsOwn(_ scene: @escaping @Sendable (Stage) throws -> Void) throws -> [String] {
    let loop = try EventLoop()
    let worker = try Worker(loop: loop, name: "netns")
    var story: [String] = []
    worker.perform(
      {
        guard leaveNetwork() else { return ["no network of its own"] }
        do {
          let stage = try Stage()
          try scene(stage)
          return stage.story
        } catch { return ["\(error)"] }
      }, then: { story = $0 })
    worker.finish()
    return story
  }

  /// Swift's Glibc module does not have unshare(2).
  private static func leaveNetwork() -> Bool {
    typealias Unshare = @convention(c) (Int32) -> Int32
    let newNetwork: Int32 = 0x4000_0000
    guard let found = dlsym(nil, "unshare") else { return false }
    return unsafeBitCast(found, to: Unshare.self)(newNetwork) == 0
  }

  /// A loop with a network watch on it, and `ip` to change the network under it.
  final class Stage {
    let loop: EventLoop
    private(set) var story: [String] = []
    private var watch: NetworkWatch?

    init() throws {
      loop = try EventLoop()
      run("ip link add a0 type veth peer name a1")
      run("ip link add b0 type veth peer name b1")
      for name in ["a0", "a1", "b0", "b1"] { run("ip link set \(name) up") }
      run("ip addr add 10.9.1.1/24 dev a0 && ip addr add 10.9.2.1/24 dev b0")
    }

    /// 200 routes for each number.
    func addRoutes(_ numbers: ClosedRange<Int>) {
      let seconds = "$(seq \(numbers.lowerBound) \(numbers.upperBound))"
      run(
        "for a in \(seconds); do for b in $(seq 0 199); do echo route add 10.$a.$b.0/24 dev a0; done; done"
          + " | ip -batch -")
    }

    /// How often the kernel was asked for its routes.
    var questions: UInt32 { watch?.sequence ?? 0 }

    /// `isWhole`: until everything is quiet; otherwise one wake-up.
    func begin(isWhole: Bool = true) throws {
      watch = try NetworkWatch(loop: loop) { [unowned self] event in
        switch event {
        case .networkChanged(let network): story.append("\(network)")
        case .routeChanged(let isUsable): story.append("route \(isUsable)")
        }
      }
      if isWhole { settle() } else { loop.runOnce(within: nil) }
    }

    func run(_ command: String) {
      if system(command) != 0 { story.append("failed: \(command)") }
    }

    func change(_ command: String) {
      run(command)
      settle()
    }

    func note(_ word: String) { story.append(word) }

    /// Rtnetlink has its message ready when the command returns, and answers a dump at once: three
    /// waits in which nothing came are the end of it, on a busy machine too.
    private func settle() {
      var quiet = 0
      while quiet < 3 {
        let start = SystemClock.read().instant
        loop.runOnce(within: .milliseconds(15))
        // `now` is read after the wait and before the handlers, which may take long.
        quiet = loop.now.instant - start < .milliseconds(15) ? 0 : quiet + 1
      }
    }

    /// For what the kernel takes its time to tell.
    func awaitNews() {
      let count = story.count
      loop.turn(until: { story.count > count })
      settle()
    }
  }

  @Test func defaultRouteAddedAndRemovedIsReported() throws {
    let story = try Self.inNetworkOfItsOwn { stage in
      try stage.begin()
      stage.change("ip route add default via 10.9.1.2")
      stage.change("ip route del default")
    }
    #expect(story == ["none", "wired", "route true", "none", "route false"])
  }

  @Test func anotherGatewayIsAnotherRoute() throws {
    let story = try Self.inNetworkOfItsOwn { stage in
      stage.run("ip route add default via 10.9.1.2")
      try stage.begin()
      stage.change("ip route replace default via 10.9.1.3")
    }
    #expect(story == ["wired", "route true"])
  }

  @Test func aWorseRouteChangesNothing() throws {
    let story = try Self.inNetworkOfItsOwn { stage in
      stage.run("ip route add default via 10.9.1.2 metric 100")
      try stage.begin()
      stage.change("ip route add default via 10.9.2.2 metric 600")
      stage.note("better gone")
      stage.change("ip route del default via 10.9.1.2")
    }
    #expect(story == ["wired", "better gone", "route true"])
  }

  @Test func anInterfaceSwitchedOffIsNoRoute() throws {
    let story = try Self.inNetworkOfItsOwn { stage in
      stage.run("ip route add default via 10.9.1.2")
      try stage.begin()
      stage.change("ip link set a0 down")
    }
    #expect(story == ["wired", "none", "route false"])
  }

  @Test func aCablePulledIsNoRoute() throws {
    let story = try Self.inNetworkOfItsOwn { stage in
      stage.run("ip route add default via 10.9.1.2")
      try stage.begin()
      // The far end of the pair: ours loses its carrier and keeps its route. The kernel gathers
      // carrier changes for up to a second.
      stage.run("ip link set a1 down")
      stage.awaitNews()
    }
    #expect(story == ["wired", "none", "route false"])
  }

  @Test func networkOfIPv6AloneIsOne() throws {
    let story = try Self.inNetworkOfItsOwn { stage in
      try stage.begin()
      stage.change("ip -6 route add default via fe80::1 dev a0")
    }
    #expect(story == ["none", "wired", "route true"])
  }

  @Test func aModemIsKnownByItsName() throws {
    let story = try Self.inNetworkOfItsOwn { stage in
      stage.run("ip link set a0 down && ip link set a0 name wwan0 && ip link set wwan0 up")
      try stage.begin()
      stage.change("ip route add default via 10.9.1.2 dev wwan0")
    }
    #expect(story == ["none", "mobile", "route true"])
  }

  @Test func routesToSomewhereInParticularAreNotLookedAt() throws {
    let story = try Self.inNetworkOfItsOwn { stage in
      stage.run("ip route add default via 10.9.1.2")
      try stage.begin()
      for number in 0..<200 { stage.run("ip route add 10.50.\(number).0/24 via 10.9.1.3") }
      stage.change("ip route del 10.50.7.0/24")
      stage.note("\(stage.questions)")
    }
    #expect(story == ["wired", "1"])
  }

  @Test func aRouteThatGoesWhileTheTableIsReadIsNotBelieved() throws {
    let story = try Self.inNetworkOfItsOwn { stage in
      stage.run("ip route add default via 10.9.1.2")
      // More than one wake-up reads; the default route comes first.
      stage.addRoutes(100...199)
      try stage.begin(isWhole: false)
      stage.note("half")
      stage.run("ip route del default")
      // A kernel that is busy with the rest of the table may refuse the next question for a while.
      stage.awaitNews()
    }
    #expect(story == ["half", "none"])
  }

  @Test func aChangeThatIsLostInAFloodIsFound() throws {
    let story = try Self.inNetworkOfItsOwn { stage in
      stage.run("ip route add default via 10.9.1.2")
      try stage.begin()
      // The socket's buffer has run over long before the last of these.
      stage.addRoutes(100...149)
      stage.change("ip route del default")
    }
    #expect(story == ["wired", "none", "route false"])
  }

  @Test func aDumpThatIsLostInAFloodIsAskedForAgain() throws {
    let story = try Self.inNetworkOfItsOwn { stage in
      stage.run("ip route add default via 10.9.1.2")
      stage.addRoutes(100...199)
      try stage.begin(isWhole: false)
      stage.addRoutes(200...249)
      stage.run("ip route del default")
      stage.awaitNews()
    }
    #expect(story == ["none"])
  }

  @Test func aLongTableIsReadToItsEnd() throws {
    let story = try Self.inNetworkOfItsOwn { stage in
      stage.addRoutes(100...119)
      stage.run("ip route add default via 10.9.1.2 metric 700")
      stage.run("ip route add default via 10.9.2.2 metric 50")
      try stage.begin()
      stage.change("ip route del default metric 700")
      stage.note("the better is left")
      stage.change("ip route del default metric 50")
    }
    #expect(story == ["wired", "the better is left", "none", "route false"])
  }
}
