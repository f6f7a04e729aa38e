// The fuzzer's program: `fuzz TARGET` and then what libFuzzer takes. `Tests/Fuzz/run` builds and starts it.
import CFuzzer
import Glibc

/// Add one here, and a folder of its name under corpus.
let targets: [String: (UnsafeRawBufferPointer) -> Void] = [
  "adverts": AdvertTarget.feed,
  "radio": RadioTarget.feed,
]

let words = CommandLine.arguments
guard words.count > 1, let target = targets[words[1]] else {
  print("usage: fuzz \(targets.keys.sorted().joined(separator: "|")) [OPTION|CORPUS]...")
  exit(64)
}
AnyTarget.feed = target
// libFuzzer reads the rest as if it were its own program.
var arguments: [UnsafeMutablePointer<CChar>?] = ([words[0]] + words.dropFirst(2)).map { strdup($0) } + [nil]
var count = Int32(arguments.count - 1)
exit(
  arguments.withUnsafeMutableBufferPointer { buffer in
    var start = buffer.baseAddress
    return LLVMFuzzerRunDriver(&count, &start, feedAnyTarget)
  })
