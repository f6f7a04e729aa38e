import Core
import Model
import Storage
import Timebase

/// The store as the loop sees it, with the worker thread played by the world: `Store` without a
/// loop. The orders, their grouping and their answers are the same; the file under it is the real one.
///
/// An order is carried out when it begins, its answer comes when the disk has had its time.
final class StoreDesk {
  private enum Order {
    case write(batch: UInt64, [StoreWrite])
    case load(after: UInt64, limit: Int)
    case index(after: UInt64, limit: Int)

    var isWrite: Bool {
      if case .write = self { true } else { false }
    }
  }

  /// What the order under way leads to.
  private enum Answer {
    case written(batches: [UInt64], isStored: Bool)
    case read(Event)
    case tryAgain
  }

  /// As in `Store`.
  private static let groupLimit = 64
  static let retryAfter = Span.seconds(2)

  private(set) var file: StoreFile?
  private var orders: [Order] = []
  private var answer: Answer?
  private(set) var isFailing = false
  var notices = 0
  /// Damage was met, and repairing it takes a real file system (`Shadow`).
  private(set) var needsRepair = false

  private let twin: StoreTwin
  /// The process is gone in the middle of an order: what the file says of it since then is nobody's word.
  private let isStruck: () -> Bool

  init(_ file: StoreFile, _ twin: StoreTwin, isStruck: @escaping () -> Bool) {
    self.file = file
    self.twin = twin
    self.isStruck = isStruck
  }

  /// No write is waiting or under way, and the last one went well.
  var isSettled: Bool {
    if isFailing || orders.contains(where: \.isWrite) { return false }
    if case .written = answer { return false }
    return true
  }

  func write(batch: UInt64, _ writes: [StoreWrite]) { orders.append(.write(batch: batch, writes)) }
  func load(after sequence: UInt64, limit: Int) { orders.append(.load(after: sequence, limit: limit)) }
  func loadIndex(after sequence: UInt64, limit: Int) {
    orders.append(.index(after: sequence, limit: limit))
  }

  /// Carries out the next order, if the desk is free. True: `finish` is to be called when the disk is done.
  func begin() -> Bool {
    guard answer == nil, let file, let first = orders.first else { return false }
    switch first {
    case .write: answer = writeGroup(to: file)
    case .load(let after, let limit):
      answer = read { () throws(StoreError) in
        let page = try file.load(after: after, limit: limit)
        if !isStruck() { twin.loaded(page, after: after, limit: limit) }
        return .loaded(page)
      }
    case .index(let after, let limit):
      answer = read { () throws(StoreError) in
        let page = try file.index(after: after, limit: limit)
        if !isStruck() { twin.indexed(page, after: after, limit: limit) }
        return .indexed(page)
      }
    }
    notices += file.takeNotices().count
    return true
  }

  /// Nil: it could not be read, and is tried again after `retryAfter`.
  func finish() -> [Event]? {
    defer { answer = nil }
    switch answer {
    case nil: return []
    case .written(let batches, let isStored):
      isFailing = !isStored
      let points = file?.points
      return batches.map { isStored ? .stored(batch: $0, points: points) : .storeFailed(batch: $0) }
    case .read(let event):
      orders.removeFirst()
      return [event]
    case .tryAgain: return nil
    }
  }

  /// The orderly end: writes that were ordered are carried out, then the file takes its checkpoint and is closed.
  /// False: not everything could be written.
  func close() -> Bool {
    var isAllStored = !isFailing
    if case .written(_, false) = answer { isAllStored = false }
    orders.removeAll { !$0.isWrite }
    answer = nil
    while let file, !orders.isEmpty {
      if case .written(_, false) = writeGroup(to: file) { isAllStored = false }
    }
    file?.close()
    file = nil
    return isAllStored
  }

  /// The process is gone. The handles have to be void by now, or this would tidy up.
  func abandon() {
    file = nil
    orders = []
    answer = nil
  }

  private func writeGroup(to file: StoreFile) -> Answer {
    var batches: [UInt64] = []
    var writes: [StoreWrite] = []
    for case .write(let batch, let more) in orders.prefix(Self.groupLimit).prefix(while: \.isWrite) {
      batches.append(batch)
      writes += more
    }
    orders.removeFirst(batches.count)
    do throws(StoreError) {
      try file.apply(writes)
      if isStruck() { twin.failed(writes) } else { twin.applied(writes) }
      return .written(batches: batches, isStored: true)
    } catch {
      twin.failed(writes)
      noteDamage(error)
      return .written(batches: batches, isStored: false)
    }
  }

  private func read(_ question: () throws(StoreError) -> Event) -> Answer {
    do throws(StoreError) { return .read(try question()) } catch {
      noteDamage(error)
      return .tryAgain
    }
  }

  private func noteDamage(_ error: StoreError) { if error.needsKernelSalvage { needsRepair = true } }
}

extension StoreError {
  /// The salvage of a damaged store asks the kernel for the file, and there is none.
  var needsKernelSalvage: Bool {
    if case .failing(_, "reading", "No such file or directory") = self { true } else { false }
  }
}
