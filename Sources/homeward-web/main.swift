import Glibc
import Web

let version = "0.1.0"

/// One line on standard error, which is the journal.
func warn(_ line: String) {
  let bytes = Array(("homeward-web: " + line + "\n").utf8)
  _ = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
}

func end(_ line: String, with status: Int32) -> Never {
  warn(line)
  exit(status)
}

do {
  let options = try ServerOptions.parse(Array(CommandLine.arguments.dropFirst()))
  switch options.action {
  case .help: print(ServerOptions.help)
  case .version: print("homeward-web \(version)")
  case .run:
    let program = try Program(options, version: version)
    for fault in program.mapFaults { warn(fault) }
    program.run()
  }
} catch let mistake as ServerOptions.Mistake {
  end("\(mistake.text)", with: 64)
} catch {
  end("\(error)", with: 70)
}
