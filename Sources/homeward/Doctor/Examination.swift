import Glibc
import Model
import OwnTracks
import Timebase

/// The looks that the doctor takes, from the file to the broker. None of them changes anything.
struct Examination {
  var configurationPath: String
  var socketPath: String

  /// Without a file that can be read and is right nothing is guessed: of gpsd, broker and store only what the daemon says
  /// is told.
  func findings() -> [Finding] {
    let (daemon, status) = daemonFinding()
    let file = ConfigurationFindings(path: configurationPath, isDaemonThere: status != nil)
    let settings = file.settings
    // One by one: Swift 6.0 gives up on the type of a long sum.
    var all: [Finding] = file.findings()
    all.append(daemon)
    all += changes(status)
    all += GPSDFindings(settings, status).findings()
    all.append(Self.clock(isSynchronised: SystemClock.read().wall != nil, status))
    all += broker(settings, status)
    all += DeliveryText.findings(status)
    all += CommandsText.findings(status)
    all += leftovers(status)
    all += BeaconFindings(scanner: status?.scanner).findings()
    all += StoreFindings(settings, status).findings()
    if let settings { all += ProgramFindings.findings(settings) }
    all += BoardFindings(status?.board).findings()
    all += PowerFindings(settings, status).findings()
    all += PageFindings.findings(PageSocket())
    return all
  }

  /// The file is not all that counts.
  private func changes(_ status: StatusRecord?) -> [Finding] {
    guard let changed = status?.remote?.summary else { return [] }
    return [
      Finding(
        .warn, "configuration", "changed by commands, against the file: \(changed)",
        remedy: "homeward config remote; to have all as in the file again: homeward config remote --clear")
    ]
  }

  private func daemonFinding() -> (Finding, StatusRecord?) {
    do {
      let status = try DaemonConnection(path: socketPath).status()
      let running = status.uptime.map { ", running for \(Readable.span(Double($0)))" } ?? ""
      return (Finding(.ok, "daemon", "answers\(running)"), status)
    } catch let failure as Failure {
      let remedy = failure.isForbidden ? nil : "systemctl status homeward; journalctl -u homeward -n 20"
      return (Finding(.fail, "daemon", failure.text, remedy: remedy), nil)
    } catch {
      return (Finding(.fail, "daemon", "\(error)"), nil)
    }
  }

  /// The daemon knows better than the system whether times can be trusted: in a vehicle no network sets the clock.
  static func clock(isSynchronised: Bool, _ status: StatusRecord?) -> Finding {
    if isSynchronised { return Finding(.ok, "clock", "synchronised") }
    if status?.clock?.trusted == true {
      return Finding(.ok, "clock", "not synchronised by a network; the receiver's time has proved itself")
    }
    return Finding(
      .warn, "clock", "not synchronised; positions wait until the receiver's time has proved itself",
      remedy: "timedatectl set-ntp true, where there is a network")
  }

  /// The settings in force may differ from the file's, so the daemon's report comes first; without a daemon the broker
  /// is tried from here.
  private func broker(_ settings: Configuration?, _ status: StatusRecord?) -> [Finding] {
    if let status, let connection = status.connection {
      return BrokerFindings(connection: connection, queue: status.queue, topic: status.identity?.topic)
        .findings()
    }
    guard let settings else { return [] }
    if settings.isOffline { return [Finding(.warn, "broker", "port is 0: switched off")] }
    if settings.transport == .http {
      return [Finding(.warn, "broker", "messages are posted (mode 3): only the daemon tries that")]
    }
    return DaemonProbe(configurationPath: configurationPath).findings()
  }

  /// The way to the broker was switched off while no daemon ran that could have taken back what it keeps.
  private func leftovers(_ status: StatusRecord?) -> [Finding] {
    guard let left = status?.leftDescriptions, left > 0 else { return [] }
    return [
      Finding(
        .warn, "Home Assistant",
        "still shows \(Readable.count(left, "entity", plural: "entities")) of this board: the broker keeps them",
        remedy:
          "with mode 0 and the broker's port as before, homeward reload; once it is connected, set both back and "
          + "reload: the running tracker takes them back")
    ]
  }
}
