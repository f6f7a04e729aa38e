import Core
import Host
import Model
import OwnTracks
import Timebase

/// What others send us.
extension Daemon {
  /// `payload` as it was before it was encrypted, where it was.
  func take(_ payload: [UInt8], from topic: String, isRetained: Bool, isEncrypted: Bool) {
    var refusal: CommandRefusal?
    let incoming = Incoming.read(
      topic: topic, payload: payload, isRetained: isRetained, isEncrypted: isEncrypted,
      topics: encoder.topics, configuration: configuration
    ) { [configuration] action in
      refusal = CommandDoor.refusal(
        of: action, isRetained: isRetained, isEncrypted: isEncrypted, configuration)
      return refusal == nil
    }
    traffic.count()
    switch incoming {
    case .command(let command, let problems):
      for problem in problems { say(.warning, problem, of: .others) }
      post(.commanded(command))
    case .barred(let action):
      if let refusal { post(.commandBarred(action: action ?? "of unknown action", refusal)) }
    case .friend(let topic, let news): friends?.note(news, of: topic)
    case .notice(let text):
      say(.info, text, of: .others)
      hook?.noticed(payload)
    case .malformed(let text):
      if let line = traffic.complain(text, at: loop.now.instant) { say(.warning, line, of: .others) }
    case .nothing: break
    }
  }

  /// Has no place in the queue, so nobody waits for its acknowledgement.
  func announce(_ report: Report, as message: Message) {
    guard var sealed = sealing.sealed(message) else { return }
    if let statusConnection, case .status(let status) = report, let isOnline = status.isOnline {
      if isOnline {
        // Those who listen now are told at once; it is told again when there is a will to take it back.
        sealed.isRetained = statusConnection.isWordKept
      } else {
        statusConnection.say(sealed)
      }
    }
    broker?.send(sealed)
  }

  /// What only adapters know.
  func boardFacts() -> BoardFacts {
    var facts = BoardFacts()
    facts.version = Main.version
    facts.hostName = hostName
    facts.kernel = Board.kernel
    facts.model = Board.model
    facts.uptime = Int(loop.now.instant.nanoseconds / 1_000_000_000)
    facts.locale = Board.locale
    facts.hasBarometer = barometer.pressure() != nil
    if let receiver = gpsd?.status {
      facts.isGpsdConnected = receiver.isConnected
      facts.receiver = receiver.device
      facts.fixMode = receiver.mode
      facts.satellites = receiver.satellitesUsed
    }
    let radio = scanner.status
    facts.hasBluetooth = radio.adapter != nil
    facts.isBluetoothPowered = radio.isHearing
    facts.isScanning = radio.isHearing && radio.duty > 0
    return facts
  }
}
