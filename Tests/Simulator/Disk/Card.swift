/// The board's card, what the store on it has to hold, and how long it takes.
final class Card {
  let disk: Disk
  let vfs: DiskVFS
  let twin = StoreTwin()
  /// Seconds that a batch takes.
  var latency = usual
  static let usual = 0.015

  init(seed: UInt64) {
    disk = Disk(dice: Dice(seed: seed, for: "disk"))
    vfs = DiskVFS(disk)
  }

  func recover() {
    disk.fault = .none
    latency = Self.usual
    disk.callOffStrike()
  }
}
