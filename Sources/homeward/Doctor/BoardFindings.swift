import Model
import OwnTracks

/// The doctor's findings about the board itself: its supply, its temperature, its storage.
struct BoardFindings {
  private let board: StatusRecord.Board?

  init(_ board: StatusRecord.Board?) {
    self.board = board
  }

  func findings() -> [Finding] {
    guard let board else { return [] }
    var findings = board.known.map { trouble in
      let isBroken = trouble == .readOnly || trouble == .fileSystemErrors
      return Finding(
        isBroken ? .fail : .warn, "board", text(of: trouble, in: board), remedy: remedy(for: trouble))
    }
    if board.wasUnderVoltage {
      findings.append(
        Finding(
          .warn, "board", "the voltage was too low since the daemon started",
          remedy: remedy(for: .underVoltage)))
    }
    if findings.isEmpty, let words = board.words { findings.append(Finding(.ok, "board", words)) }
    return findings
  }

  private func text(of trouble: BoardHealth.Trouble?, in board: StatusRecord.Board) -> String {
    let words = trouble?.words ?? "something that this program does not know"
    switch trouble {
    case .hot:
      return words + (board.temperature.map { ": \(Readable.number($0, decimals: 0)) °C" } ?? "")
    case .storageWorn: return words + (board.storageWear.map { ": \($0) %" } ?? "")
    case .fileSystemErrors: return words + (board.fileSystemErrors.map { ": \($0)" } ?? "")
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
