// Many boards in one process, for Tests/Instruments/Herd/crowd. Each has the real tracker, the real messages and the
// real connection to the broker; its receiver is a drive that is made up, and its store answers at once, from memory.
//
//     herd-sessions CONFIGURATION FIRST COUNT EVERY RATE RECORD
//
// COUNT boards, named from FIRST on, RATE of them more a second, with a fix every so many seconds; the positions that they
// publish go to RECORD, one a line. Orders are lines of the standard input: `ask` is answered by a line of figures,
// `still` ends the drives, and the end of the input all.
import Glibc
import Loop
import OwnTracks
import Timebase

func fail(_ text: String) -> Never {
  let line = Array("herd-sessions: \(text)\n".utf8)
  _ = write(2, line, line.count)
  exit(70)
}

func contents(_ path: String) -> [UInt8] {
  guard let file = fopen(path, "r") else { fail("no \(path)") }
  defer { fclose(file) }
  var bytes = [UInt8](repeating: 0, count: 65_536)
  let count = fread(&bytes, 1, bytes.count, file)
  return Array(bytes.prefix(count))
}

/// A connection takes four descriptors: the library has a pair of sockets beside it, and what it costs is read by another.
func raiseLimit(for boards: Int) {
  var limit = rlimit()
  getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  let wanted = rlim_t(4 * boards + 64)
  guard limit.rlim_max >= wanted else { fail("\(boards) boards take \(wanted) descriptors") }
  limit.rlim_cur = max(limit.rlim_cur, wanted)
  setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
}

let words = CommandLine.arguments
guard words.count == 7, let first = Int(words[2]), let count = Int(words[3]), let every = Double(words[4]),
  let rate = Double(words[5]), count > 0, every > 0, rate > 0
else { fail("usage: herd-sessions CONFIGURATION FIRST COUNT EVERY RATE RECORD") }
let decoded = ConfigurationFile.decode(contents(words[1]))
for problem in decoded.problems { fail("\(words[1]): \(problem)") }
guard let record = Record(words[6]) else { fail("cannot write \(words[6])") }
raiseLimit(for: count)

let crowd = try Crowd(decoded.configuration, first: first, count: count, record: record)
crowd.start(rate: rate, every: every)
crowd.loop.run()
