import CLinux
import Glibc
import Timebase

/// The epoll set and who is in it.
/// The epoll set and its watches.
/// Level-triggered: a handler that reads only a part is called again, nothing can be forgotten.
/// A descriptor that is closed without cancelling its watch leaves the set by itself, except
/// when a duplicate of it lives on: then epoll reports it endlessly and offers no way to take it out.
/// The set is made anew in that case, because the alternative is a loop that spins.
///
/// The kernel may have no memory to spare for a registration (ENOMEM, ENOSPC): it is owed then and asked
/// for again ten times a second. A daemon that ended for it would be worth less than one that hears of a
/// socket a moment late.
final class Poller {
  /// Events fetched at once; the rest comes with the next wake-up.
  private static let batch = 16

  /// Wake-ups between two looks for descriptors closed without cancelling their watch.
  private static let roundsUnasked = 32

  /// While a registration is owed, no wait is longer than this.
  private static let longestOwedWait: Int32 = 100

  /// The number under which the timers' descriptor is in the set; watches count from 1.
  private static let alarmNumber: UInt64 = 0

  private var set: Int32
  private let timers: TimerQueue
  /// A dozen at most, in the order of their numbers: looked through with every event, which no table beats.
  private var numbers: [UInt64] = []
  private var watches: [Watch] = []
  /// Which watch a descriptor's number belongs to now.
  private var owners: [Int32: UInt64] = [:]
  /// Changes that the kernel had no memory for, by the number in the set: to be added, or to be changed.
  private var owed: [UInt64: Int32] = [:]
  private var nextNumber: UInt64 = 1
  private var round = 0
  private let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: batch)

  init(timers: TimerQueue) throws(LoopError) {
    self.timers = timers
    set = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard set >= 0 else { throw LoopError("make an epoll set") }
    control(EPOLL_CTL_ADD, Self.alarmNumber)
  }

  deinit {
    close(set)
    events.deallocate()
  }

  func add(
    _ descriptor: Int32, _ interest: Interest, loop: EventLoop, handler: @escaping (Interest) -> Void
  ) -> Watch {
    let watch = Watch(descriptor, interest, number: nextNumber, loop: loop, handler: handler)
    nextNumber += 1
    numbers.append(watch.number)
    watches.append(watch)
    owners[descriptor] = watch.number
    if !interest.isEmpty { control(EPOLL_CTL_ADD, watch.number) }
    return watch
  }

  func change(_ watch: Watch, from before: Interest) {
    // The number may belong to another watch by now; its registration is none of ours.
    guard owners[watch.descriptor] == watch.number else { return }
    if watch.interest.isEmpty {
      takeOut(watch)
    } else if before.isEmpty || owed[watch.number] == EPOLL_CTL_ADD {
      control(EPOLL_CTL_ADD, watch.number)
    } else {
      control(EPOLL_CTL_MOD, watch.number)
    }
  }

  func remove(_ watch: Watch) {
    if let index = numbers.firstIndex(of: watch.number) {
      numbers.remove(at: index)
      watches.remove(at: index)
    }
    guard owners[watch.descriptor] == watch.number else { return }
    owners[watch.descriptor] = nil
    takeOut(watch)
  }

  /// Sleeps until something is ready or `milliseconds` are over (-1: no limit). Returns how many
  /// events there are for `deliver`; a signal ends the sleep with none.
  func wait(milliseconds: Int32) -> Int {
    if !owed.isEmpty { for (number, operation) in owed { control(operation, number) } }
    let isShort = !owed.isEmpty && !(0...Self.longestOwedWait).contains(milliseconds)
    let count = epoll_wait(set, events, Int32(Self.batch), isShort ? Self.longestOwedWait : milliseconds)
    releaseAssert(count >= 0 || errno == EINTR, "epoll_wait: \(String(cString: strerror(errno)))")
    return max(0, Int(count))
  }

  /// Runs the handlers of the first `count` events.
  func deliver(_ count: Int) {
    dropGhosts(among: count)
    for index in 0..<count {
      let event = events[index]
      if event.data.u64 == Self.alarmNumber {
        timers.ranOut()
        continue
      }
      // Gone: a handler before this one has cancelled it.
      guard let watch = watch(event.data.u64) else { continue }
      let ready = Self.ready(event.events).intersection(watch.interest.union(.failure))
      if ready != .failure, !ready.isEmpty { watch.handler(ready) }
    }
  }

  /// A ghost is an event whose watch is gone, or whose descriptor is closed. Asking for the latter is a
  /// system call, so it is asked now and then: a spin would meet the question within a millisecond.
  private func dropGhosts(among count: Int) {
    var hasGhosts = false
    round &+= 1
    let isAsked = round % Self.roundsUnasked == 0
    for index in 0..<count where events[index].data.u64 != Self.alarmNumber {
      guard let watch = watch(events[index].data.u64) else {
        hasGhosts = true
        continue
      }
      if isAsked, fcntl(watch.descriptor, F_GETFD) < 0, errno == EBADF {
        hasGhosts = true
        watch.cancel()
      }
    }
    if hasGhosts { rebuild() }
  }

  private func watch(_ number: UInt64) -> Watch? {
    for index in numbers.indices where numbers[index] == number { return watches[index] }
    return nil
  }

  private func rebuild() {
    let fresh = epoll_create1(Int32(EPOLL_CLOEXEC))
    // Without a descriptor to spare the loop goes on with the old set: it spins, but it works.
    guard fresh >= 0 else { return }
    close(set)
    set = fresh
    owed = [:]
    control(EPOLL_CTL_ADD, Self.alarmNumber)
    for watch in watches where owners[watch.descriptor] == watch.number && !watch.interest.isEmpty {
      control(EPOLL_CTL_ADD, watch.number)
    }
  }

  private func takeOut(_ watch: Watch) {
    if owed.removeValue(forKey: watch.number) == EPOLL_CTL_ADD { return }
    _ = epoll_ctl(set, EPOLL_CTL_DEL, watch.descriptor, nil)
  }

  /// Adds or changes what has this number; where the kernel has no memory for it now, it is owed.
  private func control(_ operation: Int32, _ number: UInt64) {
    owed[number] = nil
    let result: Int32
    if number == Self.alarmNumber {
      var event = epoll_event()
      event.events = EPOLLIN.rawValue
      event.data.u64 = number
      result = epoll_ctl(set, operation, timers.descriptor, &event)
    } else if let watch = watch(number) {
      var event = Self.event(watch)
      result = epoll_ctl(set, operation, watch.descriptor, &event)
    } else {
      return
    }
    guard result != 0 else { return }
    if errno == ENOMEM || errno == ENOSPC {
      owed[number] = operation
    } else {
      releaseAssert(
        operation != EPOLL_CTL_ADD, "cannot watch a descriptor: \(String(cString: strerror(errno)))")
    }
  }

  private static func event(_ watch: Watch) -> epoll_event {
    var event = epoll_event()
    if watch.interest.contains(.read) { event.events |= EPOLLIN.rawValue }
    if watch.interest.contains(.write) { event.events |= EPOLLOUT.rawValue }
    event.data.u64 = watch.number
    return event
  }

  /// A hang-up or an error is for the next read or write: the call reports what happened.
  private static func ready(_ bits: UInt32) -> Interest {
    if bits & EPOLLERR.rawValue != 0 { return [.read, .write, .failure] }
    if bits & EPOLLHUP.rawValue != 0 { return [.read, .write] }
    var ready: Interest = []
    if bits & EPOLLIN.rawValue != 0 { ready.insert(.read) }
    if bits & EPOLLOUT.rawValue != 0 { ready.insert(.write) }
    return ready
  }
}
