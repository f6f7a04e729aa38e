import Glibc
import Loop
import Testing
import Timebase

@Suite struct WorkerTests {
  let loop: EventLoop

  init() throws { loop = try EventLoop() }

  @Test func theResultComesBackOnTheLoopsThread() throws {
    let worker = try Worker(loop: loop, name: "test")
    let here = pthread_self()
    var jobThread: pthread_t?
    var thenThread: pthread_t?
    worker.perform(
      { pthread_self() },
      then: {
        jobThread = $0
        thenThread = pthread_self()
      })
    loop.turn(until: { thenThread != nil })
    #expect(thenThread == here)
    #expect(jobThread != nil && jobThread != here)
  }

  @Test func jobsRunInTheOrderTheyCame() throws {
    let worker = try Worker(loop: loop, name: "test")
    var results: [Int] = []
    for number in 0..<100 { worker.perform({ number }, then: { results.append($0) }) }
    #expect(worker.pending == 100)
    loop.turn(until: { worker.pending == 0 })
    #expect(results == Array(0..<100))
  }

  @Test func ownJobsPrecedeJobsOfOthers() throws {
    let worker = try Worker(loop: loop, name: "test")
    var results: [String] = []
    // The thread is busy with this while the rest is given.
    worker.perform({ usleep(50_000) }, then: { _ in })
    for number in 0..<3 { worker.perform(in: .others, { number }, then: { results.append("others \($0)") }) }
    for number in 0..<3 { worker.perform({ number }, then: { results.append("own \($0)") }) }
    loop.turn(until: { worker.pending == 0 })
    #expect(results == ["own 0", "own 1", "own 2", "others 0", "others 1", "others 2"])
  }

  @Test func theLoopGoesOnWhileAJobBlocks() throws {
    let worker = try Worker(loop: loop, name: "test")
    var isDone = false
    worker.perform({ usleep(200_000) }, then: { _ in isDone = true })
    var ticked = false
    let timer = loop.makeTimer { ticked = !isDone }
    timer.set(at: loop.now.instant + .milliseconds(20))
    loop.turn(until: { isDone })
    #expect(ticked)
  }

  @Test func finishRunsQueuedJobsAndContinuations() throws {
    let worker = try Worker(loop: loop, name: "test")
    var results: [Int] = []
    worker.perform(
      { usleep(20_000) },
      then: { _ in worker.perform({ 2 }, then: { results.append($0) }) })
    worker.perform({ 1 }, then: { results.append($0) })
    worker.finish()
    #expect(results == [1, 2])
    #expect(worker.pending == 0)
  }

  @Test func aWorkerLetGoEndsItsThread() throws {
    var worker: Worker? = try Worker(loop: loop, name: "test-end")
    #expect(threadNames().contains("test-end"))
    worker?.perform({ usleep(1000) }, then: { _ in })
    worker = nil
    // A thread that has been joined may stand in /proc a moment longer.
    loop.turn(until: { !threadNames().contains("test-end") })
  }
}

/// What /proc says of this program's threads.
private func threadNames() -> [String] {
  guard let directory = opendir("/proc/self/task") else { return [] }
  defer { closedir(directory) }
  var names: [String] = []
  while let entry = readdir(directory) {
    let id = withUnsafeBytes(of: entry.pointee.d_name) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
    guard let file = fopen("/proc/self/task/\(id)/comm", "r") else { continue }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 32)
    guard fgets(&line, 32, file) != nil else { continue }
    names.append(
      String(decoding: line.prefix { $0 != 10 && $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
  }
  return names
}
