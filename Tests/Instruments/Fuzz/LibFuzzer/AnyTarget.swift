/// The target that was chosen: libFuzzer's callback knows nothing but bytes.
enum AnyTarget {
  nonisolated(unsafe) static var feed: (UnsafeRawBufferPointer) -> Void = { _ in }
}

/// By this name libFuzzer's own main, which is linked and not used, asks for it.
@_cdecl("LLVMFuzzerTestOneInput")
func feedAnyTarget(_ bytes: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
  AnyTarget.feed(UnsafeRawBufferPointer(start: bytes, count: size))
  return 0
}
