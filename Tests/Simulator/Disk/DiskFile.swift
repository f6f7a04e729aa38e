/// One file of the simulated disk: what a reader sees now (the kernel's cache), what is truly on the
/// medium, and which parts differ.
final class DiskFile {
  private(set) var cache: [UInt8] = []
  private(set) var medium: [UInt8] = []
  /// Sectors written since the last sync, of the size that the medium writes whole.
  private var dirty: Set<Int> = []
  private let sector: Int
  /// Whether the medium knows the file at all.
  private(set) var isDurable = false

  init(sector: Int) { self.sector = sector }

  var count: Int { cache.count }
  var isDirty: Bool { !dirty.isEmpty || cache.count != medium.count }

  func read(_ into: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
    let available = max(0, min(into.count, cache.count - offset))
    cache.withUnsafeBytes { bytes in
      if available > 0 { into.copyMemory(from: .init(rebasing: bytes[offset..<offset + available])) }
    }
    return available
  }

  func write(_ from: UnsafeRawBufferPointer, at offset: Int) {
    guard !from.isEmpty else { return }
    if cache.count < offset + from.count {
      cache.append(contentsOf: repeatElement(0, count: offset + from.count - cache.count))
    }
    cache.withUnsafeMutableBytes { bytes in
      UnsafeMutableRawBufferPointer(rebasing: bytes[offset..<offset + from.count]).copyMemory(from: from)
    }
    for number in offset / sector...(offset + from.count - 1) / sector { dirty.insert(number) }
  }

  func truncate(to count: Int) {
    if count < cache.count { cache.removeLast(cache.count - count) }
    dirty = dirty.filter { $0 * sector < count }
  }

  func sync() {
    resize(&medium, to: cache.count)
    for number in dirty { store(number) }
    dirty = []
    isDurable = true
  }

  /// A sync that failed: the kernel forgets that these pages were dirty. They can be read, and a later
  /// sync succeeds without them.
  func forgetDirty() { dirty = [] }

  /// What is not on the medium when the power goes: each sector by itself, or not.
  func cutPower(keep: (Int) -> Bool) -> (kept: Int, dropped: Int) {
    var (kept, dropped) = (0, 0)
    for number in dirty.sorted() {
      if keep(number) {
        if medium.count < min((number + 1) * sector, cache.count) {
          resize(&medium, to: min((number + 1) * sector, cache.count))
        }
        store(number)
        isDurable = true
        kept += 1
      } else {
        dropped += 1
      }
    }
    dirty = []
    cache = medium
    return (kept, dropped)
  }

  func flip(bit: Int) {
    medium[bit / 8] ^= 1 << UInt8(bit % 8)
    cache = medium
  }

  func replace(with bytes: [UInt8]) {
    (cache, medium, dirty, isDurable) = (bytes, bytes, [], true)
  }

  private func store(_ number: Int) {
    let start = number * sector
    let end = min(start + sector, cache.count, medium.count)
    guard start < end else { return }
    cache.withUnsafeBytes { cache in
      medium.withUnsafeMutableBytes { medium in
        UnsafeMutableRawBufferPointer(rebasing: medium[start..<end]).copyMemory(
          from: .init(rebasing: cache[start..<end]))
      }
    }
  }

  private func resize(_ bytes: inout [UInt8], to count: Int) {
    if bytes.count < count { bytes.append(contentsOf: repeatElement(0, count: count - bytes.count)) }
    if bytes.count > count { bytes.removeLast(bytes.count - count) }
  }
}
