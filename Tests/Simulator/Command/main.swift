import Glibc
import Simulator

// simulate FIRST [LAST]: runs these seeds one after the other. A line for each that fails, a line of
// sums at the end; with one seed, all that the judges say. Exit status 1: a judge complained.
// simulate story SEED: the same, and everything that happens.
// simulate hours COUNT FIRST [LAST]: runs of this length.

var words = CommandLine.arguments.dropFirst()
var hours: Double?
if words.first == "hours" {
  hours = words.dropFirst().first.flatMap { Double($0) }
  words = words.dropFirst(2)
}
let isStory = words.first == "story"
let numbers = words.compactMap { UInt64($0) }
guard let first = numbers.first, numbers.count <= 2, numbers.count == words.count - (isStory ? 1 : 0),
  numbers.last.map({ $0 >= first }) ?? false
else {
  print("usage: simulate [hours COUNT] FIRST [LAST], or simulate story SEED")
  exit(2)
}
var sums = Sums()
var lastHash: UInt64 = 0
for seed in first...(numbers.last ?? first) {
  let world = World(seed: seed, hours: hours)
  if isStory { world.narrator = { print($0) } }
  let outcome = world.run()
  sums.add(outcome)
  lastHash = outcome.hash
  guard let complaint = outcome.complaints.first else { continue }
  print("seed \(seed): \(complaint)")
  fflush(nil)
  if numbers.count == 1 { for other in outcome.complaints.dropFirst() { print("  also \(other)") } }
}
if numbers.count == 1 { print("hash of what reached the broker: \(String(lastHash, radix: 16))") }
print(sums.line)
exit(sums.failed == 0 ? 0 : 1)
