import Model
import OwnTracks

/// The doctor's findings about gpsd, its receiver and the fix. A receiver without sky reports that it has no fix; one
/// that reports nothing has another fault.
struct GPSDFindings {
  private let settings: Configuration.Receiver?
  private let status: StatusRecord?

  /// `settings` nil: the address of gpsd is unknown, and it is not looked for. `status` nil: no daemon.
  init(_ settings: Configuration?, _ status: StatusRecord?) {
    (self.settings, self.status) = (settings?.receiver, status)
  }

  func findings() -> [Finding] {
    guard let settings else { return status == nil ? [] : daemonFindings }
    let place = "\(settings.host):\(settings.port)"
    let probe = GPSDProbe(host: settings.host, port: settings.port, device: settings.device)
    // The daemon knows better what its receiver does.
    let found: GPSDProbe.Found
    switch probe.look(isListening: status == nil) {
    case .reached(let answer): found = answer
    case .failed(let reason):
      return [Finding(.fail, "gpsd", "\(place): \(reason)", remedy: absent(settings))]
    }
    let gpsd = Finding(.ok, "gpsd", "\(place), release \(found.release)")
    guard !found.devices.isEmpty else {
      return [gpsd, Finding(.fail, "receiver", "gpsd has no receiver", remedy: Self.none)]
    }
    guard settings.device.isEmpty || found.devices.contains(settings.device) else {
      return [
        gpsd,
        Finding(
          .fail, "receiver", "gpsd has \(found.devices.joined(separator: ", ")), not \(settings.device)",
          remedy: "homeward config set gpsdDevice \(found.devices[0]); then: homeward reload"),
      ]
    }
    return [gpsd] + receiver(found)
  }

  private func receiver(_ found: GPSDProbe.Found) -> [Finding] {
    let names = found.devices.joined(separator: ", ")
    guard let status else {
      switch found.mode {
      case nil: return [silent("\(names) sends nothing", found.devices[0])]
      case let mode? where mode < 2: return [Finding(.ok, "receiver", names), Self.noFix]
      case _: return [Finding(.ok, "receiver", names), Finding(.ok, "fix", "there is one")]
      }
    }
    if let seconds = status.gps?.silent {
      return [silent(Self.cause(status) ?? "silent for \(Readable.span(Double(seconds)))", found.devices[0])]
    }
    return [Finding(.ok, "receiver", names), fix(status)] + Self.rate(status)
      + Self.interference(status, isWatched: settings?.watchesJamming ?? false)
      + Self.sleepless(status, isWanted: settings?.sleeps ?? false)
  }

  /// By the daemon alone.
  private var daemonFindings: [Finding] {
    guard let status else { return [] }
    if status.gps?.reached == false {
      return [Finding(.fail, "gpsd", Self.cause(status) ?? "not reached", remedy: "systemctl status gpsd")]
    }
    if status.gps?.silent != nil {
      return [silent(Self.cause(status) ?? "silent", status.gps?.device ?? "DEVICE")]
    }
    let isWatched = status.gps?.jamming != nil || status.gps?.monitorSilent == true
    return [fix(status)] + Self.rate(status) + Self.interference(status, isWatched: isWatched)
  }

  private static func cause(_ status: StatusRecord) -> String? { status.gps?.cause }

  private static let none = "plug it in; name its device in /etc/default/gpsd (DEVICES=) and restart gpsd"

  private static let noFix = Finding(
    .warn, "fix", "no position since the start",
    remedy: "give the antenna a view of the sky; a cold receiver takes up to 15 minutes")

  private func silent(_ words: String, _ device: String) -> Finding {
    Self.silent(words, device, sleeps: settings?.sleeps ?? false)
  }

  /// `sleeps`: it may have been left asleep.
  static func silent(_ words: String, _ device: String, sleeps: Bool) -> Finding {
    let asleep = "it may be asleep (receiverSleep): sudo systemctl restart gpsd; if that does not wake it, "
    return Finding(
      .fail, "receiver", words,
      remedy: (sleeps ? asleep : "")
        + "it has power and is plugged in? Another speed (baud) than gpsd's, a dead cable or RX and TX exchanged: "
        + "gpsctl \(device); cgps -s")
  }

  private func absent(_ settings: Configuration.Receiver) -> String {
    let isHere = settings.host == "localhost" || settings.host == "::1" || settings.host.hasPrefix("127.")
    guard isHere else {
      return "on \(settings.host) gpsd must run and listen to others: option -G, and in gpsd.socket "
        + "ListenStream=0.0.0.0:\(settings.port); if gpsd is on this board: homeward config set gpsdHost --default"
    }
    let other = "if it runs on another port: homeward config set gpsdPort --default"
    let start = "sudo apt install gpsd; sudo systemctl enable --now gpsd.socket"
    return settings.port == Configuration().receiver.port ? start : "\(start); \(other)"
  }

  private func fix(_ status: StatusRecord) -> Finding {
    guard let age = status.fix?.age else { return Self.noFix }
    guard age < Self.fresh, (status.gps?.mode ?? 2) >= 2 else {
      return Finding(
        .warn, "fix", "the last position is \(Readable.span(age)) old",
        remedy: "give the antenna a view of the sky; what the receiver sees: cgps -s")
    }
    let accuracy = status.fix?.accuracy.map { ", ± \(Readable.number($0, decimals: 0)) m" } ?? ""
    return Finding(.ok, "fix", "\(Readable.span(age)) old\(accuracy)")
  }

  /// Only where something needs more of them.
  static func rate(_ status: StatusRecord) -> [Finding] {
    guard let harsh = status.harshDriving, harsh.tooSlow == true, let rate = harsh.rate else { return [] }
    return [
      Finding(
        .warn, "receiver",
        "\(Readable.number(rate)) positions a second, and harshDriving needs 5: no harsh driving is told",
        remedy:
          "where the receiver can do that: gpsctl -c 0.2 \(status.gps?.device ?? "DEVICE"), at each start of gpsd"
      )
    ]
  }

  /// The receiver's word on jamming and spoofing, where it is asked.
  static func interference(_ status: StatusRecord, isWatched: Bool) -> [Finding] {
    guard isWatched, let gps = status.gps else { return [] }
    let subject = "jamming"
    if gps.monitorSilent == true {
      return [
        Finding(
          .warn, subject, "the receiver was asked and has not answered",
          remedy: "gpsd must be allowed to write to it: no -b in GPSD_OPTIONS of /etc/default/gpsd")
      ]
    }
    guard let jamming = gps.jamming, let spoofing = gps.spoofing else {
      guard let driver = gps.driver, driver != "u-blox" else {
        return [Finding(.ok, subject, "the receiver is asked once a minute, and was not yet")]
      }
      return [otherMaker("jammingWatch", driver, subject)]
    }
    let disturbed = ["warning", "critical"]
    let words = "the receiver says: jamming \(jamming), spoofing \(spoofing)"
    if disturbed.contains(jamming) || disturbed.contains(spoofing) {
      return [
        Finding(
          .warn, subject, words,
          remedy:
            "away from here it should end; if not, move the antenna away from cameras, chargers and cables")
      ]
    }
    guard jamming == "none" else {
      return [
        Finding(
          .warn, subject, "\(words): its monitor is switched off",
          remedy: "switch it on with ubxtool (docs/vehicle.md, Jamming)")
      ]
    }
    return [Finding(.ok, subject, words)]
  }

  /// Where a receiver is to sleep that has no ear for that.
  static func sleepless(_ status: StatusRecord, isWanted: Bool) -> [Finding] {
    guard isWanted, let driver = status.gps?.driver, driver != "u-blox" else { return [] }
    return [otherMaker("receiverSleep", driver, "receiver")]
  }

  private static func otherMaker(_ key: String, _ driver: String, _ subject: String) -> Finding {
    Finding(
      .warn, subject, "\(key) needs a receiver of u-blox, and gpsd takes this one for \(driver)",
      remedy:
        "homeward config set \(key) --default; gpsd knows a u-blox where it runs without -b "
        + "(GPSD_OPTIONS in /etc/default/gpsd)")
  }

  /// Seconds.
  private static let fresh = 60.0
}
