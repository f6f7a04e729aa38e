/// `/tiles/Z/X/Y`: a square of the map as browsers count it, from the north.
public struct TilePath: Hashable, Sendable {
  /// Doublings of the scale, 0 to 24.
  public var zoom: Int
  /// From the west and from the north, below 2^zoom.
  public var column, row: Int

  /// Nil: it is none.
  public init?(_ path: String) {
    guard path.hasPrefix("/tiles/"), path.utf8.count <= 40 else { return nil }
    let parts = path.dropFirst(7).split(separator: "/", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { part in
      part.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int(part) : nil
    }
    guard parts.count == 3, numbers.count == 3, numbers[0] <= 24, numbers[1] < 1 << numbers[0],
      numbers[2] < 1 << numbers[0]
    else { return nil }
    (zoom, column, row) = (numbers[0], numbers[1], numbers[2])
  }

  /// As MBTiles count it, from the south.
  public var rowFromSouth: Int { (1 << zoom) - 1 - row }
}
