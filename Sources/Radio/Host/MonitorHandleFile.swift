import Glibc
import Host

/// The handle of the monitor that the kernel holds for us, in a file of its own: the kernel keeps it when we die, scans
/// for no one from then on, and has room for 32.
struct MonitorHandleFile {
  private let path: String?

  /// Where no directory is given, nothing is written.
  init(directory: String) { path = directory.isEmpty ? nil : directory + "/monitor" }

  /// Address and handle, as they were written; nil where nothing was, or nothing that makes sense.
  func read() -> MonitorRegistration.Record? {
    let words = path.flatMap(Sysfs.text)?.split(separator: " ") ?? []
    guard words.count == 2, let address = BeaconAddress.number(String(words[0])),
      let handle = UInt16(words[1])
    else { return nil }
    return .init(address: address, handle: handle)
  }

  /// Nil: there is none any more. That it cannot be written costs no more than the monitor of a crash.
  func write(_ monitor: MonitorRegistration.Record?) {
    guard let path else { return }
    guard let monitor else {
      unlink(path)
      return
    }
    // On the loop: a pipe in its place must not be waited for.
    let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
    let descriptor = open(path, flags, 0o600)
    guard descriptor >= 0 else { return }
    let text = Array("\(BeaconAddress.text(monitor.address)) \(monitor.handle)\n".utf8)
    _ = Glibc.write(descriptor, text, text.count)
    close(descriptor)
  }
}
