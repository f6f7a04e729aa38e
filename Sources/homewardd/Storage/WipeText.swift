import Storage

extension StoreWipe.Report {
  /// Text for people: what is gone, what is left, and what no program can erase.
  func text(_ extent: StoreWipe.Extent, in directory: String) -> String {
    let kept =
      extent == .places ? "Mode, tag, odometer and what commands have set are kept." : "Nothing is kept."
    return """
      wiped: \(files) files in \(directory) were overwritten and removed, \(bytes / 1024) kB: history, queue, regions, \
      friends, refused messages. \(kept)
      Not reached: the configuration file; what the broker, other servers and onEvent's program have; the journal \
      (journalctl --rotate; journalctl --vacuum-time=1s); copies, swap; and on SD cards, eMMC and SSDs old blocks, \
      because wear levelling writes elsewhere (fstrim helps with some; only encrypting or destroying the card is sure).
      """
  }
}
