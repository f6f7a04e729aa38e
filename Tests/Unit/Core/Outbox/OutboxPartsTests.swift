import Model
import Testing
import Timebase

@testable import Core

/// What the outbox is made of, each part by itself.
struct SendWindowTests {
  private func connected(limit: Int = 100, receiveMaximum: Int? = nil) -> SendWindow {
    var window = SendWindow(limit: limit)
    window.connected(receiveMaximum: receiveMaximum)
    return window
  }

  @Test func itBeginsSmallAndGrowsWithEachConfirmation() {
    var window = connected()
    #expect(window.width == 20)
    window.confirmed(30)
    #expect(window.width == 50)
    window.confirmed(90)
    #expect(window.width == 100)
    window.disconnected()
    window.connected(receiveMaximum: nil)
    #expect(window.width == 20)
  }

  @Test(arguments: [(5, nil, 5), (100, 7, 7), (5, 7, 5), (100, 0, 1)] as [(Int, Int?, Int)])
  func neitherSettingsNorBrokerAreExceeded(limit: Int, receiveMaximum: Int?, width: Int) {
    var window = connected(limit: limit, receiveMaximum: receiveMaximum)
    window.confirmed(1000)
    #expect(window.width == width)
  }

  @Test func anotherLimitCountsFromTheNextConnectionOn() {
    var window = connected(limit: 30)
    window.limit = 5
    window.confirmed(10)
    #expect(window.width == 30)
    window.connected(receiveMaximum: nil)
    #expect(window.width == 5)
  }

  @Test func noMoreGoThanItIsWide() {
    var window = connected(limit: 2)
    #expect(window.hasRoom)
    window.sent()
    window.sent()
    #expect(!window.hasRoom && window.inFlight == 2)
    window.returned()
    #expect(window.hasRoom && window.inFlight == 1)
  }

  @Test func holdBackClosesWindowUntilReleased() {
    var window = connected()
    window.holdBack()
    #expect(window.isConnected && !window.isOpen)
    window.letGo()
    #expect(window.isOpen)
    // Another connection begins anew; without one nothing is open.
    window.holdBack()
    window.disconnected()
    window.letGo()
    #expect(!window.isConnected && !window.isOpen)
    window.holdBack()
    window.connected(receiveMaximum: nil)
    #expect(window.isOpen)
  }
}

struct QueueSizeTests {
  private var size: QueueSize { QueueSize(count: 0, bytes: 0, limit: 64, byteLimit: 1000) }

  @Test func messagesAndBytesAreCountedTogether() {
    var size = size
    size.add(bytes: 10)
    size.add(bytes: 20)
    size.remove(bytes: 10)
    #expect(size.count == 1 && size.bytes == 20)
    size.keep(7, bytes: 70)
    size.remove(3, bytes: 30)
    // The size of these is unknown.
    size.miss(2)
    #expect(size.count == 2 && size.bytes == 40)
  }

  @Test func aLittleMoreGoesThanHasTo() {
    var size = size
    size.keep(64, bytes: 1000)
    #expect(!size.isOver && size.excess == 0)
    size.add(bytes: 0)
    #expect(size.isOver && size.excess == 1 + 2)
    size.keep(70, bytes: 0)
    #expect(size.excess == 6 + 2)
  }

  @Test func bytesAloneAreTooMuchAsWell() {
    var size = size
    size.keep(3, bytes: 1001)
    #expect(size.isOver && size.excess == 1 + 2)
  }
}

struct DiskBacklogTests {
  private func asked(_ unloaded: Int = 300, after: UInt64 = 10) -> DiskBacklog {
    var backlog = DiskBacklog(unloaded: unloaded, loadedThrough: after)
    _ = backlog.askForPage(of: 256)
    return backlog
  }

  @Test func onePageAtATimeIsAskedFor() {
    var backlog = DiskBacklog(unloaded: 300, loadedThrough: 10)
    #expect(backlog.wantsPage)
    #expect(backlog.askForPage(of: 256).readsAfter == 10)
    #expect(!backlog.wantsPage)
    let isWanted = backlog.takePage()
    #expect(isWanted)
    let missing = backlog.joined(256, through: 266, isEnd: false)
    #expect(missing == 0 && backlog.unloaded == 44 && backlog.loadedThrough == 266 && backlog.wantsPage)
  }

  @Test func messagesAbsentFromDiskAreMissing() {
    var backlog = asked()
    _ = backlog.takePage()
    let missing = backlog.joined(100, through: 110, isEnd: true)
    #expect(missing == 200 && backlog.isEmpty && !backlog.wantsPage)
    var empty = asked()
    _ = empty.takePage()
    #expect(empty.joined(0, through: nil, isEnd: true) == 300 && empty.loadedThrough == 10)
  }

  /// Each of these reads from another place on: the page under way is of no use.
  @Test(arguments: 0..<3) func aPageOfBeforeIsNotWanted(_ change: Int) {
    var backlog = asked()
    switch change {
    case 0: backlog.unload(8)
    case 1: backlog.readAgain(5, from: 8)
    default: backlog.clear(through: 7)
    }
    #expect(backlog.loadedThrough == 7)
    #expect(backlog.unloaded == [301, 305, 0][change])
    // The store answers in order: the first answer is the old page.
    if change < 2 { #expect(backlog.askForPage(of: 256).readsAfter == 7) }
    let isOldWanted = backlog.takePage()
    let isNewWanted = backlog.takePage()
    #expect(!isOldWanted && isNewWanted)
  }

  @Test func oneMessageIsWorthAPage() {
    #expect(DiskBacklog(unloaded: 1, loadedThrough: 10).wantsPage)
    #expect(!DiskBacklog(unloaded: 0, loadedThrough: 10).wantsPage)
  }

  /// Whatever was asked for before the last change comes first.
  @Test func eachPageOfBeforeIsPassedOver() {
    var backlog = asked()
    backlog.unload(8)
    _ = backlog.askForPage(of: 256)
    // None is on its way: this one makes none stale.
    backlog.readAgain(5, from: 3)
    backlog.readAgain(5, from: 3)
    #expect(backlog.wantsPage && backlog.askForPage(of: 256).readsAfter == 2)
    let areWanted = (0..<3).map { _ in backlog.takePage() }
    #expect(areWanted == [false, false, true])
  }

  @Test func messageBehindUnreadOnesIsRecognised() {
    var backlog = DiskBacklog(unloaded: 0, loadedThrough: 10)
    #expect(!backlog.isBeforeUnread(11))
    backlog.leave(1)
    #expect(backlog.isBeforeUnread(11) && !backlog.isBeforeUnread(10))
    backlog.lose(1)
    #expect(backlog.isEmpty)
    backlog.pass(12)
    backlog.pass(11)
    #expect(backlog.loadedThrough == 12)
  }
}

struct DiskThinningTests {
  private func page(_ sequences: ClosedRange<UInt64>, isEvent: Bool = false) -> [QueueEntry] {
    sequences.map { QueueEntry(sequence: $0, time: Int($0), isEvent: isEvent, size: 1) }
  }

  @Test func onePageAtATimeIsLookedAt() {
    var thinning = DiskThinning()
    #expect(thinning.askForPage(after: 5)?.readsAfter == 5)
    #expect(thinning.askForPage(after: 5)?.readsAfter == nil)
    // The first sweep takes nothing and finds out what is nearest.
    let first = thinning.victims(in: page(6...9), wanted: 1, isEnd: true)
    #expect(first.isEmpty && !thinning.isFutile)
    #expect(thinning.askForPage(after: 5)?.readsAfter == 5)
    let second = thinning.victims(in: page(6...9), wanted: 1, isEnd: false)
    #expect(second == [7])
    // On behind what was looked at.
    #expect(thinning.askForPage(after: 5)?.readsAfter == 7)
    // A page that yields too little is no end where another one comes after it.
    _ = thinning.victims(in: page(8...12), wanted: 9, isEnd: false)
    #expect(thinning.askForPage(after: 5)?.readsAfter == 11)
  }

  @Test func itBeginsAtTheOldestWithAPageOfALimitedLength() {
    var thinning = DiskThinning()
    guard case .loadIndex(after: 0, limit: 1024)? = thinning.askForPage(after: 0) else {
      Issue.record("something else is asked for")
      return
    }
  }

  /// The end of the queue, and all that was wanted was found: there may be more.
  @Test(arguments: [0, 1]) func whereEnoughWasFoundTheSweepGoesOn(wanted: Int) {
    var thinning = DiskThinning()
    _ = thinning.askForPage(after: 0)
    let same = (UInt64(1)...4).map { QueueEntry(sequence: $0, time: 7, isEvent: false, size: 1) }
    #expect(thinning.victims(in: same, wanted: wanted, isEnd: true).count == wanted)
    #expect(!thinning.isFutile && thinning.askForPage(after: 0)?.readsAfter == UInt64(2 * wanted))
  }

  @Test func eventsAloneAreNotLookedAtAgainBeforeSomethingNewComes() {
    var thinning = DiskThinning()
    _ = thinning.askForPage(after: 0)
    let victims = thinning.victims(in: page(1...9, isEvent: true), wanted: 1, isEnd: true)
    #expect(victims.isEmpty && thinning.isFutile && thinning.askForPage(after: 0)?.readsAfter == nil)
    thinning.renew()
    #expect(!thinning.isFutile && thinning.askForPage(after: 0)?.readsAfter == 0)
  }
}

struct UnwrittenMessagesTests {
  private var three: UnwrittenMessages {
    var unwritten = UnwrittenMessages()
    for isEvent in [false, true, false] { unwritten.add(isEvent: isEvent) }
    return unwritten
  }

  @Test func aWriteTakesAllOrTheEventsAlone() {
    var unwritten = three
    #expect(unwritten.claim(all: false) == 1)
    #expect(unwritten.count == 2 && unwritten.events == 0)
    #expect(unwritten.claim(all: true) == 2)
    #expect(unwritten.count == 0)
  }

  @Test func confirmedMessageNeedsNoWrite() {
    var unwritten = three
    unwritten.remove(isEvent: true)
    #expect(unwritten.count == 2 && unwritten.events == 0)
    unwritten.forget()
    #expect(unwritten.count == 0)
  }

  @Test func anyWritePaysTheCommitThatIsOwed() {
    var unwritten = three
    unwritten.oweCommit()
    #expect(unwritten.isCommitOwed)
    _ = unwritten.claim(all: false)
    #expect(!unwritten.isCommitOwed)
  }
}

struct QueueRecordTests {
  @Test func droppedResentAndRefusedAreCounted() {
    var record = QueueRecord(dropped: 3)
    record.drop(2)
    record.resend()
    record.resend(3)
    record.refuse()
    record.confirmed(at: .zero + .seconds(9))
    #expect(record.dropped == 5 && record.resent == 4 && record.refused == 1)
    #expect(record.lastConfirmed == .zero + .seconds(9))
  }
}

extension Effect {
  /// What the disk is asked for begins behind this.
  fileprivate var readsAfter: UInt64? {
    switch self {
    case .load(let after, _), .loadIndex(let after, _): after
    default: nil
    }
  }
}
