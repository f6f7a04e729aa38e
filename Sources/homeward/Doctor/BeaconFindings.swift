import Glibc
import Model
import OwnTracks

/// The doctor's findings about the radio: adapter, rfkill, rights, and the share of the beacons' advertisements that
/// is received. There are none where no beacon is wanted.
struct BeaconFindings {
  /// The daemon's.
  var scanner: StatusRecord.Scanner?
  /// Where the kernel describes adapters and switches.
  var adapters = "/sys/class/bluetooth"
  var switches = "/sys/class/rfkill"

  func findings() -> [Finding] {
    guard let scanner, let state = scanner.state, state != "idle" else { return [] }
    guard scanner.hearing == true else { return [trouble(scanner.cause ?? state)] }
    var words = state
    if let adapter = scanner.adapter { words += " on \(adapter)" }
    if let way = scanner.way { words += ", \(way)" }
    if let reason = scanner.reason { words += " because \(reason)" }
    return [Finding(.ok, "beacons", words)] + heard(scanner)
  }

  private func heard(_ scanner: StatusRecord.Scanner) -> [Finding] {
    let hints = scanner.hints ?? []
    if !hints.isEmpty { return hints.map { Finding(.warn, "advert yield", $0) } }
    guard let reception = scanner.reception else { return [] }
    return [Finding(.ok, "advert yield", "\(reception) % of the beacons' calls arrive")]
  }

  private func trouble(_ cause: String) -> Finding {
    if let blocked = blockedSwitch {
      return Finding(
        .fail, "beacons", "\(blocked) blocks the adapter", remedy: "sudo rfkill unblock bluetooth")
    }
    guard hasAdapter else {
      return Finding(
        .fail, "beacons", "there is no Bluetooth adapter",
        remedy: "plug one in; on a Raspberry Pi: remove dtoverlay=disable-bt from config.txt")
    }
    if cause.contains("CAP_NET") {
      return Finding(
        .fail, "beacons", cause,
        remedy: "start it by its unit (systemctl start homeward), which gives the right")
    }
    if cause.contains("homeward-radio.path") {
      return Finding(
        .fail, "beacons", cause,
        remedy: "sudo systemctl start homeward-radio.path, which lets the adapter be switched off and on")
    }
    return Finding(.fail, "beacons", cause, remedy: "dmesg | grep -i bluetooth")
  }

  private var hasAdapter: Bool {
    !Folder.names(in: adapters).isEmpty
  }

  private var blockedSwitch: String? {
    Folder.names(in: switches).first { name in
      read("\(switches)/\(name)/type") == "bluetooth"
        && (read("\(switches)/\(name)/soft") == "1" || read("\(switches)/\(name)/hard") == "1")
    }
  }

  private func read(_ path: String) -> String? {
    (try? FileText.read(path, atMost: 4096)).map { String(decoding: $0, as: UTF8.self).trimmed }
  }
}
