import Storage

/// What no drive brings to the store: at the end of a world its file is given writes of every kind, is closed and opened,
/// and loses its power, and has to hold what the twin says.
extension World {
  func tryStore() {
    guard let opened = process.desk?.file, !card.twin.isInDoubt else { return }
    tell("the store is given writes of every kind")
    card.disk.fault = .none
    var file = opened
    var dice = Dice(seed: seed, for: "store")
    do throws(StoreError) {
      var draw = StoreDraw(Dice(seed: seed, for: "writes"), after: try file.snapshot().lastSequence)
      for _ in 0..<4 {
        for _ in 0..<dice.whole(5...25) {
          let writes = draw.writes()
          try file.apply(breakage == .storeForgetsAWrite ? writes.dropLast() : writes)
          card.twin.applied(writes)
          card.twin.counted(file.points)
        }
        try read(file, dice.whole(1...30))
        if dice.chance(0.5) {
          file.close()
        } else {
          _ = card.disk.cutPower(drops: dice.chance(0.5), tears: dice.chance(0.3))
          card.twin.powerCut()
        }
        file = try StoreFile(directory: Scratch.directory, vfs: card.vfs.name)
        card.twin.opened(file, try file.snapshot())
        if let wrong = file.inconsistency(countingTo: .max) {
          complain(.agreement, "store: \(wrong)")
        }
      }
      try read(file, 1000)
      card.twin.compare(with: file)
      file.close()
    } catch {
      complain(.agreement, "the store takes no writes: \(error.sentence)")
    }
    complainOfStore()
    card.disk.killHandles()
    process.desk?.abandon()
    process.desk = nil
  }

  /// Page by page.
  private func read(_ file: StoreFile, _ limit: Int) throws(StoreError) {
    var last: UInt64 = 0
    while true {
      let page = try file.load(after: last, limit: limit)
      card.twin.loaded(page, after: last, limit: limit)
      card.twin.indexed(try file.index(after: last, limit: limit), after: last, limit: limit)
      guard let newest = page.last else { return }
      last = newest.sequence
    }
  }
}
