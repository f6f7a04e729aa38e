import Glibc
import Model
import OwnTracks
import Timebase

/// The looks that the doctor takes, from the file to the broker. None of them changes anything.
struct Examination {
  var configurationPath: String
  var socketPath: String

  func findings() -> [Finding] {
    let text = try? ConfigurationText(configurationPath)
    let settings = text?.decoded.configuration ?? Configuration()
    let (daemon, status) = daemonFinding()
    return configuration(text) + [daemon] + changes(status) + receiver(settings, status)
      + [clock(), broker(settings, status)] + DeliveryText.findings(status) + leftovers(status)
      + subscriptions(status)
      + BeaconFindings(scanner: status?["scanner"]).findings() + store(settings, status)
      + BoardFindings(status?["board"]).findings()
  }

  private func configuration(_ text: ConfigurationText?) -> [Finding] {
    guard let text else {
      let exists = access(configurationPath, F_OK) == 0
      return [
        Finding(
          .fail, "configuration",
          "\(configurationPath): " + (exists ? "not readable for you" : "there is no such file"),
          remedy: exists ? "run this with sudo" : "run install.sh, or name the file with --file")
      ]
    }
    if let permission = text.permissionProblem {
      return [Finding(.fail, "configuration", permission, remedy: "chmod o-rwx \(configurationPath)")]
    }
    guard text.problemLines.isEmpty else {
      return text.problemLines.map {
        Finding(.fail, "configuration", $0, remedy: "homeward config set KEY VALUE, then homeward reload")
      }
    }
    let warnings = text.decoded.warnings.map { Finding(.warn, "configuration", $0) }
    return warnings.isEmpty ? [Finding(.ok, "configuration", configurationPath)] : warnings
  }

  /// The file is not all that counts.
  private func changes(_ status: JSON?) -> [Finding] {
    guard let changed = ConfigRemote.summary(status) else { return [] }
    return [
      Finding(
        .warn, "configuration", "changed by commands, against the file: \(changed)",
        remedy: "homeward config remote shows it, with --clear it is as in the file again")
    ]
  }

  private func daemonFinding() -> (Finding, JSON?) {
    do {
      let status = try DaemonConnection(path: socketPath).ask(["status"])["status"] ?? .null
      let running = status["uptime"]?.double.map { ", running for \(Readable.span($0))" } ?? ""
      return (Finding(.ok, "daemon", "answers\(running)"), status)
    } catch let failure as Failure {
      return (
        Finding(
          .fail, "daemon", failure.text, remedy: "systemctl status homeward; journalctl -u homeward -n 20"),
        nil
      )
    } catch {
      return (Finding(.fail, "daemon", "\(error)"), nil)
    }
  }

  private func receiver(_ settings: Configuration, _ status: JSON?) -> [Finding] {
    let probe = GPSDProbe(host: settings.receiver.host, port: settings.receiver.port).look()
    guard case .reached(let release, let devices) = probe else {
      let reason = if case .failed(let reason) = probe { reason } else { "" }
      return [
        Finding(
          .fail, "gpsd", "\(settings.receiver.host):\(settings.receiver.port): \(reason)",
          remedy: "sudo apt install gpsd; sudo systemctl enable --now gpsd.socket")
      ]
    }
    let gpsd = Finding(.ok, "gpsd", "\(settings.receiver.host):\(settings.receiver.port), release \(release)")
    guard !devices.isEmpty else {
      return [
        gpsd,
        Finding(
          .fail, "receiver", "gpsd has no receiver",
          remedy: "plug it in; name its device in /etc/default/gpsd (DEVICES=) and restart gpsd"),
      ]
    }
    let wanted = settings.receiver.device
    guard wanted.isEmpty || devices.contains(wanted) else {
      return [
        gpsd,
        Finding(
          .fail, "receiver", "gpsd has \(devices.joined(separator: ", ")), not \(wanted)",
          remedy: "homeward config set gpsdDevice \(devices[0]), then homeward reload"),
      ]
    }
    return [gpsd, Finding(.ok, "receiver", devices.joined(separator: ", ")), fix(status)]
  }

  private func fix(_ status: JSON?) -> Finding {
    guard let status else { return Finding(.warn, "fix", "only the daemon knows") }
    let age = status["fix"]?["age"]?.double
    guard let age else {
      return Finding(
        .warn, "fix", "no position since the start",
        remedy: "give the antenna a view of the sky; a cold receiver takes up to 15 minutes")
    }
    guard age < 60 else {
      return Finding(
        .warn, "fix", "the last position is \(Readable.span(age)) old",
        remedy: "look at the receiver with: cgps -s")
    }
    let accuracy = status["fix"]?["acc"]?.double.map { ", ± \(Readable.number($0, decimals: 0)) m" } ?? ""
    return Finding(.ok, "fix", "\(Readable.span(age)) old\(accuracy)")
  }

  private func clock() -> Finding {
    SystemClock.read().wall != nil
      ? Finding(.ok, "clock", "synchronised")
      : Finding(
        .warn, "clock", "not synchronised; positions wait until the receiver's time has proved itself",
        remedy: "timedatectl set-ntp true, where there is a network")
  }

  private func broker(_ settings: Configuration, _ status: JSON?) -> Finding {
    // What is in force may not be what the file says.
    let port = status?["connection"]?["port"]?.int ?? settings.broker.port
    let host = status?["connection"]?["host"]?.text ?? settings.broker.host
    let isOffline = status == nil ? settings.isOffline : port == 0
    if isOffline { return Finding(.warn, "broker", "port is 0: switched off") }
    guard let connection = status?["connection"] else {
      return Finding(.warn, "broker", "only the daemon knows")
    }
    let cause = connection["cause"]?.text ?? ""
    let server = connection["endpoint"]?.text ?? "\(host):\(port)"
    let words = server + " " + (connection["state"]?.text ?? "")
    switch connection["colour"]?.text {
    case "green":
      guard let queue = status?["queue"], let held = QueueCommand.held(queue) else {
        return Finding(.ok, "broker", words)
      }
      return Finding(
        .warn, "broker", "\(words); \(held)",
        remedy: "give this user the right to publish there (the broker's access list or quota)")
    case "amber":
      return Finding(
        .warn, "broker", "\(words): \(cause)",
        remedy: connection["remedy"]?.text ?? "it tries again by itself")
    case "blue":
      return Finding(.warn, "broker", "\(words): \(cause)", remedy: connection["remedy"]?.text)
    default:
      return Finding(
        .fail, "broker", "\(words): \(cause)",
        remedy: connection["remedy"]?.text
          ?? "homeward config check \(configurationPath); then homeward reload")
    }
  }

  /// The way to the broker was switched off while no daemon ran that could have taken back what it keeps.
  private func leftovers(_ status: JSON?) -> [Finding] {
    guard let left = status?["leftDescriptions"]?.int, left > 0 else { return [] }
    return [
      Finding(
        .warn, "Home Assistant",
        "still shows \(Readable.count(left, "entity", plural: "entities")) of this board: the broker keeps them",
        remedy:
          "with mode 0 and the broker's port as before, homeward reload; once it is connected, set both back and "
          + "reload: the running tracker takes them back")
    ]
  }

  /// What the broker does not deliver: without it nobody can give orders, and nobody would notice.
  private func subscriptions(_ status: JSON?) -> [Finding] {
    let missing = status?["connection"]?["notSubscribed"]?.elements ?? []
    return missing.map { missing in
      let filter = Readable.value(missing["filter"])
      let remedy =
        switch missing["word"]?.text {
        case "refused", "ended": "give this user the right to read \(filter) at the broker"
        case "oversized":
          "find the message and take it away: mosquitto_pub -r -n -t TOPIC; then homeward reload"
        case _: "if it stays so, look at the broker's log"
        }
      return Finding(
        .warn, "messages", "\(filter) is not subscribed: \(Readable.value(missing["why"]))", remedy: remedy)
    }
  }

  private func store(_ settings: Configuration, _ status: JSON?) -> [Finding] {
    var findings: [Finding] = []
    let cause = status?["store"]?["cause"]?.text ?? ""
    if !cause.isEmpty {
      findings.append(Finding(.fail, "store", cause, remedy: "df -h \(settings.board.stateDir)"))
    }
    findings.append(StoreFolder(path: settings.board.stateDir).finding())
    return findings
  }
}
