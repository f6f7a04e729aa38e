import Glibc
import Loop
import TestSupport
import Testing
import Timebase

@testable import Host

@Suite final class ChildProgramTests {
  let loop: EventLoop

  init() throws { loop = try EventLoop() }

  private func said(_ script: String) -> String? {
    var outcome: ChildProgram.Outcome?
    let program = ChildProgram(loop: loop, words: ["/bin/sh", "-c", script]) { event in
      if case .ended(let end) = event { outcome = end }
    }
    program.start()
    loop.turn { outcome != nil }
    guard case .said(let bytes) = outcome else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Libraries open sockets that stay open when another program is run.
  @Test func nothingOfOursIsOpenInIt() {
    let pair = Ends()
    #expect(fcntl(pair.near, F_GETFD) == 0, "it would be closed anyway")
    let script = "n=0; while [ $n -lt 1000 ]; do [ -e /proc/$$/fd/$n ] && echo $n; n=$((n+1)); done; :"
    #expect(said(script) == "0\n1\n2\n")
  }

  /// It shares the tracker's memory limit.
  @Test func childRunsWithMaximumOOMScore() {
    #expect(
      said("until read score < /proc/$$/oom_score_adj && [ $score = 1000 ]; do :; done; echo $score")
        == "1000\n")
  }
}
