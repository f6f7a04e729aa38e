import Model

@testable import OwnTracks

/// Batches as they come from a broker, and messages that become one. The first byte says which.
enum BatchTarget {
  @Sendable static func feed(_ input: UnsafeRawBufferPointer) {
    guard let form = input.first else { return }
    if form & 1 == 0 {
      read([Batch.version] + input.dropFirst())
    } else {
      let lines = input.dropFirst().split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      let payloads = lines.prefix(BatchLimits.most).map { Array($0.prefix(BatchLimits.longest)) }
      comesBack(payloads, isRetained: form & 2 == 0)
    }
  }

  private static func read(_ bytes: [UInt8]) {
    guard let batch = try? Batch.unpacked(bytes) else { return }
    claim(batch.payloads.count <= BatchLimits.most, "more messages than a batch has")
    claim(batch.payloads.allSatisfy { $0.count <= BatchLimits.longest }, "a message longer than any")
    comesBack(batch.payloads, isRetained: batch.isRetained)
  }

  private static func comesBack(_ payloads: [[UInt8]], isRetained: Bool) {
    let read = try? Batch.unpacked(Batch.packed(payloads, isRetained: isRetained))
    claim(read?.payloads == payloads, "other messages come out than went in")
    claim(read?.isRetained == isRetained, "retained differently")
  }
}
