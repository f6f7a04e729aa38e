import Host
import Model
import Radio
import Timebase

extension BoardFacts {
  /// Facts that only adapters know. `uptime`: of the board.
  init(
    hostName: String, uptime: Instant, hasBarometer: Bool, health: BoardHealth,
    receiver: PositionSourceStatus,
    radio: BeaconScanner.Status, papers: BoardPapers
  ) {
    self.init()
    version = Release.version
    self.hostName = hostName
    kernel = Board.kernel
    model = Board.model
    self.uptime = Int(uptime.nanoseconds / 1_000_000_000)
    locale = Board.locale
    self.hasBarometer = hasBarometer
    self.health = health
    isSourceReached = receiver.isReached
    self.receiver = receiver.device
    fixMode = receiver.mode
    satellites = receiver.satellitesUsed
    hasBluetooth = radio.adapter != nil
    isBluetoothPowered = radio.isHearing
    isScanning = radio.isHearing && radio.duty > 0
    // The look is for the next message.
    papers.look()
    fleet = papers.facts
  }
}
