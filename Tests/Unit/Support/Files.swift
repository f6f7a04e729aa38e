import Glibc

package func readFile(_ path: String) -> [UInt8] {
  let descriptor = open(path, O_RDONLY)
  guard descriptor >= 0 else { return [] }
  defer { close(descriptor) }
  var bytes = [UInt8](repeating: 0, count: Int(lseek(descriptor, 0, SEEK_END)))
  let count = pread(descriptor, &bytes, bytes.count, 0)
  return Array(bytes.prefix(max(0, count)))
}

package func writeFile(_ bytes: [UInt8], to path: String) {
  let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
  guard descriptor >= 0 else { return }
  _ = pwrite(descriptor, bytes, bytes.count, 0)
  close(descriptor)
}
