import Glibc
import Host
import Loop
import Radio
import Timebase

/// The objects that all others need, made in the only order that works: rights and blocked signals are a thread's own,
/// and threads are born with those of the one that starts them.
struct Runtime {
  let loop: EventLoop
  let started: Instant
  let notify: ServiceNotify
  let signals: BlockedSignals
  let bluetooth: BluetoothAccess
  /// For what may take long outside: name servers, programs, chips.
  let network: Worker
  let disk: Worker

  init(scanner: BeaconScanner.Settings) throws {
    loop = try EventLoop()
    started = loop.now.instant
    notify = ServiceNotify()
    // Blocked before any thread exists, so that none of them is ever hit.
    signals = try BlockedSignals([SIGTERM, SIGINT, SIGHUP])
    // It opens the kernel's Bluetooth while it may; after this no thread is born with that right.
    bluetooth = BluetoothAccess(settings: scanner)
    network = try Worker(loop: loop, name: "network")
    disk = try Worker(loop: loop, name: "disk")
    // This thread gave up its own rights, and the workers never need any.
    for worker in [network, disk] { worker.perform({ Capabilities.giveUp() }, then: {}) }
  }
}
