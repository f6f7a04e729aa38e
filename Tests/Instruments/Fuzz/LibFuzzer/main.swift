// The fuzzer's program: `fuzz TARGET` and then what libFuzzer takes. `Tests/Instruments/Fuzz/run` builds and starts it.
import CFuzzer
import Glibc

@testable import FuzzTargets

let words = CommandLine.arguments
guard words.count > 1, let target = Targets.all[words[1]] else {
  print("usage: fuzz \(Targets.all.keys.sorted().joined(separator: "|")) [OPTION|CORPUS]...")
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
