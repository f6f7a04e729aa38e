import Core
import Model
import Storage

/// The store as the loop sees it, with the worker thread played by the world: the orders and the file are the
/// real ones.
///
/// A job is carried out when it begins, its answers come when the disk has had its time.
final class StoreDesk {
  private(set) var file: StoreFile?
  private var orders = StoreOrders()
  /// What the job under way leads to.
  private var result: Result<StoreOrders.Outcome, StoreError>?
  private(set) var isFailing = false
  /// A page of it is on its way.
  private(set) var isIndexAsked = false
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
  var isSettled: Bool { !isFailing && !orders.hasWrites }

  func write(batch: UInt64, _ writes: [StoreWrite]) { orders.write(batch: batch, writes) }
  func load(after sequence: UInt64, limit: Int) { orders.load(after: sequence, limit: limit) }
  func loadIndex(after sequence: UInt64, limit: Int) {
    isIndexAsked = true
    orders.loadIndex(after: sequence, limit: limit)
  }
  /// What could not be read.
  func tryAgain() { orders.tryAgain() }

  /// Carries out the next job, if the desk is free. True: `finish` is to be called when the disk is done.
  func begin() -> Bool {
    guard let file, let job = orders.begin() else { return false }
    result = carryOut(job, on: file)
    notices += file.takeNotices().count
    return true
  }

  /// Nil: it could not be read, and is to be tried again after `Store.retryAfter`.
  func finish() -> [Event]? {
    guard let result else { return [] }
    self.result = nil
    let points = file?.points
    let events = orders.finish(result, points: points ?? 0)
    if orders.isWaiting { return nil }
    return events.compactMap { event in
      switch event {
      case .stored(let batch, _):
        isFailing = false
        return .stored(batch: batch, points: points)
      case .failed(let batch, _, _):
        isFailing = true
        return .storeFailed(batch: batch)
      case .loaded(let messages): return .loaded(messages)
      case .indexed(let entries):
        isIndexAsked = false
        return .indexed(entries)
      case .noticed: return nil
      }
    }
  }

  /// The orderly end: writes that were ordered are carried out, then the file takes its checkpoint and is closed.
  /// False: not everything could be written.
  func close() -> Bool {
    orders.end()
    _ = finish()
    var isAllStored = !isFailing
    while let file, let job = orders.begin() {
      result = carryOut(job, on: file)
      _ = finish()
      if isFailing { isAllStored = false }
    }
    file?.close()
    file = nil
    return isAllStored
  }

  /// The process is gone. The handles have to be void by now, or this would tidy up.
  func abandon() {
    file = nil
    orders = StoreOrders()
    result = nil
  }

  private func carryOut(_ job: StoreOrders.Job, on file: StoreFile) -> Result<StoreOrders.Outcome, StoreError>
  {
    let result = Result { () throws(StoreError) in try job.carryOut(on: file) }
    switch (job, result) {
    case (.write(let writes), .success): if isStruck() { twin.failed(writes) } else { twin.applied(writes) }
    case (.write(let writes), .failure): twin.failed(writes)
    case (.load(let after, let limit, _), .success(.loaded(let page))):
      if !isStruck() { twin.loaded(page, after: after, limit: limit) }
    case (.index(let after, let limit), .success(.indexed(let page))):
      if !isStruck() { twin.indexed(page, after: after, limit: limit) }
    default: break
    }
    if case .failure(let error) = result, error.needsKernelSalvage { needsRepair = true }
    return result
  }
}

extension StoreError {
  /// The salvage of a damaged store asks the kernel for the file, and there is none.
  var needsKernelSalvage: Bool {
    if case .failing(_, "reading", "No such file or directory") = self { true } else { false }
  }
}
