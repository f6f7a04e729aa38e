import Glibc
import Host
import Loop
import Model
import OwnTracks
import Storage

@main
struct Main {
  /// sysexits.h: the configuration is wrong; systemd does not start us again for it.
  static let configurationError: Int32 = 78
  static let usageError: Int32 = 64
  static let softwareError: Int32 = 70
  /// Ended by itself after a wipe; systemd leaves it alone, so that nothing is written anew.
  static let wiped: Int32 = 79
  /// Ended by itself to start anew.
  static let temporaryFailure: Int32 = 75

  static func main() {
    do {
      let options = try Options.parse(Array(CommandLine.arguments.dropFirst()))
      switch options.action {
      case .help: print(Options.help)
      case .version: print("homewardd \(Release.version)")
      case .check: try check(options)
      case .wipe(let isWhole): try wipe(options, isWhole ? .everything : .places)
      case .probe: try probe(options)
      case .run: try run(options)
      }
    } catch let mistake as Options.Mistake {
      end("homewardd: \(mistake.text)", with: usageError)
    } catch let refusal as ConfigurationSource.Refusal {
      end("homewardd: \(refusal)", with: configurationError)
    } catch let error as StoreError {
      end("homewardd: not wiped: \(error.sentence)", with: softwareError)
    } catch {
      end("homewardd: \(error)", with: softwareError)
    }
  }

  private static func check(_ options: Options) throws {
    let decoded = try ConfigurationSource.read(options.configuration, overrides: options.overrides)
    let regions = decoded.waypoints.filter { $0.coordinate != nil }.count
    print("\(options.configuration): good, \(regions) region\(regions == 1 ? "" : "s")")
  }

  private static func wipe(_ options: Options, _ extent: StoreWipe.Extent) throws {
    let decoded = try ConfigurationSource.read(options.configuration, overrides: options.overrides)
    let directory = decoded.configuration.board.stateDir
    let socket = decoded.configuration.board.controlSocket
    ReasonFiles.remove(in: String(socket[..<(socket.lastIndex(of: "/") ?? socket.startIndex)]))
    let report = try StoreWipe.run(in: directory, extent)
    SettingsInForce.recordings(decoded.configuration).discard()
    print(report.text(extent, in: directory))
  }

  private static func probe(_ options: Options) throws {
    let decoded = try ConfigurationSource.read(options.configuration, overrides: options.overrides)
    let settings = SettingsInForce(file: decoded.configuration, hostName: hostName())
    let folder = CertificateFolder(in: settings.configuration.board.stateDir)
    settings.renewed = folder.renewed(folder.state(), of: settings.configuration.tls.clientCertificate)
    let found = try BrokerProbe(settings: settings).look()?.answer ?? .null
    print(String(decoding: found.serialised(), as: UTF8.self).plainJSON)
  }

  private static func run(_ options: Options) throws {
    ProgramMemory.letGoOfStart()
    let decoded = try ConfigurationSource.read(options.configuration, overrides: options.overrides)
    ProgramMemory.letGoOfStart()
    let daemon = try Daemon(options: options, decoded: decoded, hostName: hostName())
    let status = daemon.run()
    exit(status)
  }

  private static func hostName() -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard gethostname(&buffer, buffer.count - 1) == 0 else { return "homeward" }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func end(_ line: String, with status: Int32) -> Never {
    // It may quote the file.
    let bytes = Array((line.plainText + "\n").utf8)
    _ = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    exit(status)
  }
}
