/// The advertisement monitor that the kernel holds for us, and which one it may still hold from an earlier run.
/// A monitor outlives the process that made it, so its handle goes to a file as soon as it is known.
struct MonitorRegistration {
  /// As the kernel numbers it on one adapter.
  struct Record: Hashable {
    var address: UInt64
    var handle: UInt16
  }

  /// Nil: there is none.
  private(set) var handle: UInt16?
  private var leftover: Record?
  /// The adapter that was seen to obey the kernel.
  private var obedient: UInt64?

  /// `leftover`: of a run that found no time to remove it.
  init(leftover: Record? = nil) { self.leftover = leftover }

  /// The handle to be removed before a monitor is added on the adapter with this address; nil: none.
  func leftover(on address: UInt64) -> UInt16? { leftover?.address == address ? leftover?.handle : nil }

  func isObeyed(by address: UInt64?) -> Bool { obedient != nil && obedient == address }

  /// The new content of the file.
  mutating func added(_ handle: UInt16, on address: UInt64) -> Record {
    self.handle = handle
    return Record(address: address, handle: handle)
  }

  mutating func removed() { handle = nil }
  /// Whatever the kernel answered: it is gone.
  mutating func leftoverRemoved() { leftover = nil }
  mutating func obeyed(by address: UInt64?) { obedient = address }
}
