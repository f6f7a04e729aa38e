import Core
import Model
import Timebase

/// How often the tracker may wake the process for the time alone, purpose by purpose: all that a board on battery pays
/// for what is decided.
///
/// Whatever comes from outside (a fix, a beacon, a command, another network) may be followed by some wake-ups of each
/// purpose, and by no more until something else comes, but for those that have a rhythm of their own.
struct WakeRhythm {
  var settings: Configuration
  /// Regions of beacons.
  var beacons = 0

  /// What may follow one thing from outside. Beacons fall silent one by one, and may be kept for a while.
  func burst(_ purpose: Purpose) -> Double { purpose == .beaconSilence ? max(3, 2 * Double(beacons)) : 3 }

  /// Least time from one wake-up to the next; nil: none follows by itself.
  func least(_ purpose: Purpose) -> Span? {
    switch purpose {
    case .periodicReport: atLeast(.seconds(1), of: .seconds(settings.reports.locatorInterval))
    case .ping: atLeast(.minutes(1), of: .minutes(settings.reports.ping))
    case .receiverWake, .receiverRest: atLeast(.seconds(1), of: .seconds(settings.receiver.dutyCycle))
    case .batch: atLeast(.seconds(1), of: .seconds(settings.queue.batchSeconds))
    // What is refused is tried again: by the client, by the disk, by the broker.
    case .sendAgain: .seconds(1)
    case .storeRetry: .seconds(10)
    // What was set aside is read again; and each message that was turned away is tried once, which is counted.
    case .askAgain: .minutes(5)
    // A word of life in 10 minutes; what waits is counted each minute, and descriptions repeated.
    case .announcement: .seconds(30)
    // Asked again each ten minutes.
    case .halt: .minutes(2)
    // A call for help that nobody has acknowledged.
    case .sos: .seconds(60)
    // A trip that was taken up ends when it is known what time it is.
    case .tripSilence: .seconds(60)
    // Looked at again where something else was due first.
    case .history: .seconds(60)
    case .fixLoss: .seconds(20)
    case .receiverSilence: .seconds(30)
    case .holdDown, .groupCommit, .housekeeping, .beaconSilence, .scanWake, .configurationTrial,
      .settingsNews, .vehicle, .lines, .owedLocation, .settling, .window, .networkMode, .brokerMemory,
      .checkIn, .batteryStep:
      nil
    }
  }

  /// Wake-ups that are not worn off yet, purpose by purpose.
  struct Accounts {
    private var accounts: [Purpose: (wakeUps: Double, at: Instant)] = [:]

    /// Something has come from outside.
    mutating func forgive() { accounts = [:] }

    /// What follows from something.
    mutating func forgive(_ purposes: [Purpose]) { for purpose in purposes { accounts[purpose] = nil } }

    /// False: that is once too often.
    mutating func woke(for purpose: Purpose, least: Span?, burst: Double = 3, at now: Instant) -> Bool {
      let before = accounts[purpose] ?? (0, now)
      let wornOff = least.map { (now - before.at).seconds / $0.seconds } ?? 0
      let wakeUps = max(0, before.wakeUps - wornOff) + 1
      accounts[purpose] = wakeUps > burst ? nil : (wakeUps, now)
      return wakeUps <= burst
    }
  }

  private func atLeast(_ least: Span, of span: Span) -> Span { max(least, span) }
}
