import Glibc
import Web

let version = "0.1.0"

/// One line on standard error, which is the journal, and the end.
func end(_ line: String, with status: Int32) -> Never {
  let bytes = Array((line + "\n").utf8)
  _ = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
  exit(status)
}

do {
  let options = try ServerOptions.parse(Array(CommandLine.arguments.dropFirst()))
  switch options.action {
  case .help: print(ServerOptions.help)
  case .version: print("homeward-web \(version)")
  case .run: try Program(options, version: version).run()
  }
} catch let mistake as ServerOptions.Mistake {
  end("homeward-web: \(mistake.text)", with: 64)
} catch {
  end("homeward-web: \(error)", with: 70)
}
