import Model
import OwnTracks

/// What the daemon knows of the board itself: its supply, its heat, its storage.
struct BoardFindings {
  private let board: JSON?

  init(_ board: JSON?) {
    self.board = board
  }

  /// One line of `status`; nil: the kernel tells nothing of it.
  var words: String? {
    var words: [String] = []
    if let degrees = board?["temperature"]?.double {
      words.append("\(Readable.number(degrees, decimals: 0)) °C")
    }
    if let wear = board?["storageWear"]?.int { words.append("storage \(wear) % worn") }
    words += troubles.map { $0?.words ?? "something that this program does not know" }
    if isSeen("underVoltage") { words.append("the voltage was too low before") }
    return words.isEmpty ? nil : words.joined(separator: ", ")
  }

  func findings() -> [Finding] {
    guard let board else { return [] }
    var findings = troubles.map { trouble in
      let isBroken = trouble == .readOnly || trouble == .fileSystemErrors
      return Finding(
        isBroken ? .fail : .warn, "board", text(of: trouble, in: board), remedy: remedy(for: trouble))
    }
    if isSeen("underVoltage") {
      findings.append(
        Finding(
          .warn, "board", "the voltage was too low since the daemon started",
          remedy: remedy(for: .underVoltage)))
    }
    if findings.isEmpty, let words { findings.append(Finding(.ok, "board", words)) }
    return findings
  }

  /// Nil: of a newer daemon.
  private var troubles: [BoardHealth.Trouble?] {
    board?["troubles"]?.elements?.map { $0.text.flatMap(BoardHealth.Trouble.init) } ?? []
  }

  /// It was so, and no longer is.
  private func isSeen(_ key: String) -> Bool {
    board?[key]?.flag == false && board?[key + "Seen"]?.flag == true
  }

  private func text(of trouble: BoardHealth.Trouble?, in board: JSON) -> String {
    let words = trouble?.words ?? "something that this program does not know"
    switch trouble {
    case .hot:
      return words + (board["temperature"]?.double.map { ": \(Readable.number($0, decimals: 0)) °C" } ?? "")
    case .storageWorn: return words + (board["storageWear"]?.int.map { ": \($0) %" } ?? "")
    case .fileSystemErrors: return words + (board["fileSystemErrors"]?.int.map { ": \($0)" } ?? "")
    case .underVoltage, .throttled, .readOnly, nil: return words
    }
  }

  private func remedy(for trouble: BoardHealth.Trouble?) -> String? {
    switch trouble {
    case .underVoltage: "a supply of 5.1 V, and a shorter or thicker cable"
    case .throttled, .hot: "give it air or a heat sink; look at the supply too"
    case .storageWorn: "copy the card or replace the board's storage soon"
    case .fileSystemErrors:
      "have it checked at the next start (fsck.mode=force in cmdline.txt), and replace the card soon"
    case .readOnly: "journalctl -k says why; a card that does this is about to die"
    case nil: nil
    }
  }
}
