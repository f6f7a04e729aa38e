// The real store for Tests/Instruments/PowerCuts/run: written by one process whose disk remembers, opened by another on what a
// power cut has left.
//
//     power-cuts write FOLDER MARKS SEED BATCHES [close]   batches from a seed; close: with an orderly end
//     power-cuts check                                     a folder in each line: a line of JSON for each
import Glibc

let usage = "usage: power-cuts write FOLDER MARKS SEED BATCHES [close] | power-cuts check"

func put(_ text: String, to descriptor: Int32) {
  let bytes = Array(text.utf8)
  releaseAssert(write(descriptor, bytes, bytes.count) == bytes.count, "nobody takes what is said")
}

func releaseAssert(_ isSo: Bool, _ reason: String) {
  if isSo { return }
  let line = Array("power-cuts: \(reason)\n".utf8)
  _ = write(2, line, line.count)
  exit(70)
}

// Two processes have to agree about the sum of a value.
releaseAssert(getenv("SWIFT_DETERMINISTIC_HASHING") != nil, "needs SWIFT_DETERMINISTIC_HASHING=1")

let words = CommandLine.arguments
switch words.dropFirst().first {
case "write" where words.count >= 6:
  guard let seed = UInt64(words[4]), let batches = Int(words[5]) else {
    put(usage + "\n", to: 2)
    exit(64)
  }
  let marks = open(words[3], O_WRONLY)
  releaseAssert(marks >= 0, "no marks at \(words[3])")
  let writer = try Writer(folder: words[2], marks: marks, seed: seed)
  writer.live(batches)
  if words.last == "close" { writer.close() }
  // Otherwise as a power cut would: nothing is tidied up.
  _exit(0)
case "check":
  while let folder = readLine() { put(Found.words(in: folder) + "\n", to: 1) }
default:
  put(usage + "\n", to: 2)
  exit(64)
}
