import Glibc

/// What this thread has made the kernel write, bytes.
package func threadWriteBytes() -> Int {
  let text = String(decoding: readStream("/proc/thread-self/io"), as: UTF8.self)
  let line = text.split(separator: "\n").first { $0.hasPrefix("write_bytes:") }
  return line.flatMap { Int($0.split(separator: " ")[1]) } ?? 0
}

/// Resident set of the whole process, bytes: it says something only where no other test runs in it.
package func residentBytes() -> Int {
  let fields = String(decoding: readStream("/proc/self/statm"), as: UTF8.self).split(separator: " ")
  return fields.count > 1 ? (Int(fields[1]) ?? 0) * 4096 : 0
}

package func secondsNow() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// What this thread has spent on a processor: other tests and other programs do not count.
package func secondsOfWork() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

private func readStream(_ path: String) -> [UInt8] {
  let descriptor = open(path, O_RDONLY)
  guard descriptor >= 0 else { return [] }
  defer { close(descriptor) }
  var bytes = [UInt8](repeating: 0, count: 4096)
  let count = Glibc.read(descriptor, &bytes, bytes.count)
  return Array(bytes.prefix(max(0, count)))
}
