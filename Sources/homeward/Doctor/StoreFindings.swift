import Model
import OwnTracks

/// The doctor's findings about the store: the daemon's errors with it, and the folder itself.
struct StoreFindings {
  private let directory: String?
  private let status: StatusRecord?

  /// Without settings and without a daemon its path is unknown, and nothing is checked.
  init(_ settings: Configuration?, _ status: StatusRecord?) {
    self.status = status
    directory = status?.store?.path ?? settings?.board.stateDir
  }

  func findings() -> [Finding] {
    guard let directory else { return [] }
    let place = StoreFolder(path: directory)
    let folder = place.finding()
    guard let trouble = status?.storeTrouble else { return [folder] + aside(place) }
    // Where the folder has the same trouble its remedy is the better one.
    let remedy = folder.verdict == .fail ? folder.remedy : "df -h \(directory); journalctl -u homeward -n 20"
    return [Finding(.fail, "store", trouble, remedy: remedy)] + (folder.verdict == .fail ? [folder] : [])
      + aside(place)
  }

  /// The daemon says so once, in the journal, and goes on with a new store.
  private func aside(_ place: StoreFolder) -> [Finding] {
    let count = place.damagedStores
    guard count > 0 else { return [] }
    let names = "\(place.path)/store.damaged-" + (count == 1 ? "1" : "1 to \(count)")
    return [
      Finding(
        .warn, "store",
        "was damaged \(count == 1 ? "once" : "\(count) times"), and begun anew with what could be read of it: \(names)",
        remedy:
          "if this comes again, the card is failing; sudo rm -r \(place.path)/store.damaged-* ends this line")
    ]
  }
}
