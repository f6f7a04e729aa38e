/// An area across the date line comes in two parts, one on each side (RFC 7946, 3.1.9).
enum DateLine {
  /// The two as one ring whose corners go from 180 to -180 degrees and back; nil where they do not meet there in one edge.
  /// Each is a ring of `[longitude, latitude]`.
  static func joined(_ rings: [JSON]) -> JSON? {
    guard rings.count == 2, let one = path(rings[0]), let other = path(rings[1]), one.side == -other.side
    else {
      return nil
    }
    let first = one.corners
    var second = other.corners
    // Whichever way round each was drawn, the second goes on where the first ends.
    if !isNear(first.last, second.first) { second.reverse() }
    guard isNear(first.last, second.first), isNear(first.first, second.last) else { return nil }
    return .array(first + second.dropFirst().dropLast())
  }

  /// A ring without its edge on the date line, from one end of that edge to the other.
  private static func path(_ ring: JSON) -> (corners: [JSON], side: Double)? {
    var corners = ring.elements ?? []
    if corners.count > 1, corners.first == corners.last { corners.removeLast() }
    let on = corners.indices.filter { corners[$0][0]?.double?.magnitude == 180 }
    guard corners.count > 2, on.count == 2, let side = corners[on[0]][0]?.double,
      corners[on[1]][0]?.double == side
    else { return nil }
    // The edge ends where the path begins.
    let start: Int
    if on[1] == on[0] + 1 {
      start = on[1]
    } else if on[0] == 0, on[1] == corners.count - 1 {
      start = 0
    } else {
      return nil
    }
    return (Array(corners[start...] + corners[..<start]), side)
  }

  /// As precise as a polygon keeps its corners.
  private static func isNear(_ one: JSON?, _ other: JSON?) -> Bool {
    guard let one = one?[1]?.double, let other = other?[1]?.double else { return false }
    return (one - other).magnitude < 1e-6
  }
}
