import Glibc
import Loop
import Model
import TestSupport
import Testing
import Timebase

@testable import Host

// behaviour: Fleets
/// Files that tell how the board is: read on the worker, and news only once.
struct BoardPapersTests {
  @Test func anUpdateThatEndsMeanwhileIsNews() throws {
    let (folder, loop) = (Scratch(), try EventLoop())
    let worker = try Worker(loop: loop, name: "worker")
    var news = 0
    let papers = BoardPapers(
      loop: loop, worker: worker, directory: folder.path, outcome: folder.path + "/outcome"
    ) { news += 1 }
    folder.put("good 1.0-1 1700000000\n", at: "outcome")
    papers.configure(certificate: "")
    loop.turn { papers.facts.update != nil }
    let disk = try #require(papers.facts.disk)
    #expect(news == 0 && disk.size > 0 && (0...100).contains(disk.percent) && disk.free <= disk.size)
    #expect(papers.facts.certificateEnd == nil)
    folder.put("back 2.0-1 1700000100\n", at: "outcome")
    papers.look()
    #expect(worker.pending == 0, "it has looked a moment ago")
    papers.configure(certificate: folder.path + "/nowhere")
    loop.turn { news > 0 }
    #expect(news == 1 && papers.facts.update == UpdateOutcome(.back, version: "2.0-1", time: 1_700_000_100))
    papers.close()
    papers.configure(certificate: "")
    #expect(worker.pending == 0)
  }

  @Test func pipesAndLargeFilesAreNotRead() throws {
    let (folder, loop) = (Scratch(), try EventLoop())
    let worker = try Worker(loop: loop, name: "worker")
    mkfifo(folder.path + "/outcome", 0o600)
    folder.put(String(repeating: "x", count: 100_000), at: "large")
    let papers = BoardPapers(
      loop: loop, worker: worker, directory: folder.path, outcome: folder.path + "/outcome"
    ) {}
    papers.configure(certificate: folder.path + "/large")
    loop.turn { papers.facts.disk != nil }
    #expect(papers.facts.update == nil && papers.facts.certificateEnd == nil)
  }
}
