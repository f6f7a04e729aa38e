import Glibc
import Model
import OwnTracks

/// The board as the kernel shows it in its files, below a folder that tests put in place of the root.
struct BoardTree {
  var root = ""

  /// Bytes. The largest is the boot loader's configuration, one page of its EEPROM.
  private static let limit = 1 << 16

  /// Without the blanks around it; nil where it is not there or cannot be read.
  func text(_ path: String) -> String? { bytes(path).map { String(decoding: $0, as: UTF8.self).trimmed } }

  /// The strings of a property in the device tree, each of which ends with a zero.
  func strings(_ path: String) -> [String] {
    (bytes(path) ?? []).split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Sorted.
  func names(_ path: String) -> [String] { Folder.names(in: root + path) }

  func has(_ path: String) -> Bool { access(root + path, F_OK) == 0 }

  /// Nil: nothing is there.
  func program(_ path: String) -> OwnersProgram? { OwnersProgram(at: root + path) }

  func bytes(_ path: String) -> [UInt8]? { try? FileText.read(root + path, atMost: Self.limit) }
}

extension BoardTree {
  /// Whether the image's own program for power is there: then the owner's file tells it what to do.
  var isImage: Bool { has("/usr/lib/homeward/homeward-power") }

  /// The names that the device tree gives the board, the exact one first; none on a PC.
  var compatible: [String] { strings("/sys/firmware/devicetree/base/compatible") }
}
