import Glibc
import Loop
import Model
import TestSupport
import Testing
import Timebase

@testable import Storage

/// Friends that tell more than the disk takes: what is ours does not wait for them.
struct FriendBookTests {
  private let directory = StoreDirectory()
  private let loop: EventLoop
  private let worker: Worker
  private let book: FriendBook

  init() throws {
    loop = try EventLoop()
    worker = try Worker(loop: loop, name: "disk")
    book = FriendBook(loop: loop, worker: worker, directory: directory.path, positions: 5) { _ in }
  }

  private func place(_ seconds: Double) -> FriendNews {
    .location(
      FriendLocation(time: WallTime(seconds: seconds), coordinate: Coordinate(latitude: 1, longitude: 2)!))
  }

  private func runs(until isSo: () -> Bool) -> Bool {
    let deadline = SystemClock.read().instant + .seconds(generous)
    while !isSo() {
      guard SystemClock.read().instant < deadline else { return false }
      loop.runOnce(within: .milliseconds(20))
    }
    return true
  }

  /// A job of the store that comes behind thousands of news runs after one lot of them at most.
  @Test func theStoreGoesFirst() {
    worker.perform(in: .others, { usleep(300_000) }, then: {})
    for number in 0..<5000 { book.note(place(Double(number)), of: "f\(number)") }
    var isStoreDone = false
    worker.perform({ true }, then: { isStoreDone = $0 })
    var isBookAsked = false
    book.friends(after: "") { _ in isBookAsked = true }
    #expect(runs { isStoreDone })
    #expect(!isBookAsked)
    #expect(runs { isBookAsked })
    book.close()
    worker.finish()
  }

  @Test func aLotGathersBeforeItIsWritten() {
    worker.perform(in: .others, { usleep(200_000) }, then: {})
    for number in 1...128 {
      book.note(place(Double(number)), of: "f")
      #expect(worker.pending == (number < 128 ? 1 : 2))
    }
    book.close()
    worker.finish()
  }

  @Test func oneLotIsUnderWayAtATime() {
    worker.perform(in: .others, { usleep(200_000) }, then: {})
    for number in 0..<2000 { book.note(place(Double(number)), of: "f\(number)") }
    #expect(worker.pending == 2)
    book.close()
    worker.finish()
  }

  @Test func theNewestOfEachStaysWhereTheDiskDoesNotKeepUp() {
    worker.perform(in: .others, { usleep(300_000) }, then: {})
    let tid = String(repeating: "x", count: 32)
    for number in 0..<100_000 {
      guard case .location(var location) = place(Double(number)) else { return }
      location.tid = tid
      book.note(.location(location), of: "f\(number % 100)")
    }
    #expect(book.dropped > 80_000)
    var newest: Double?
    #expect(
      runs {
        book.friend("f99") { newest = $0?.places.last?.time.seconds }
        return newest == 99_999
      })
    book.close()
    worker.finish()
  }

  // behaviour: Friends
  @Test func itGivesWayAndKeepsNothingUntilThereIsRoom() {
    book.note(place(1), of: "f")
    var count: Int?
    book.friends(after: "") { count = $0.count }
    #expect(runs { count == 1 })
    book.giveWay()
    book.note(place(2), of: "g")
    count = nil
    book.friends(after: "") { count = $0.count }
    #expect(runs { count == 0 })
    book.isPaused = false
    book.note(place(3), of: "h")
    count = nil
    book.friends(after: "") { count = $0.count }
    #expect(runs { count == 1 })
    book.close()
    worker.finish()
    #expect(FriendBook.giveWay(in: directory.path))
    #expect(!FriendBook.giveWay(in: directory.path))
  }
}
