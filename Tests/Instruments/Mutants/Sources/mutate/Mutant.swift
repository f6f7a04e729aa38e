/// One break of the sources, behind a switch.
struct Mutant {
  enum Kind: String {
    /// `if`, `guard`, `while` and `?:` the other way round.
    case condition
    /// A comparison moved by one, or its opposite.
    case comparison
    /// `&&` for `||`.
    case junction
    /// A number one more, or twice as large; `true` for `false`.
    case constant
    /// A call left out.
    case call
    /// An assignment left out.
    case assignment
  }

  var kind: Kind
  /// Of the file, from the root of the tree.
  var path: String
  /// Counted from 1.
  var line: Int
  var column: Int
  /// The function, or the type, that it is in.
  var place: String
  /// What stands there, in one line.
  var before: String
  var after: String
  /// The what-th of the same words in the same place.
  var ordinal = 1

  /// Says which one it is as long as its own words and those of its surroundings stay as they are, wherever the lines move.
  var name: String { "\(path) \(place) \(kind.rawValue) `\(before)` \(ordinal)" }
}

/// What is put into the text for it: nothing is taken away but operators that become commas, so that all lines stay
/// where they are and breaks may lie within each other.
struct Edit {
  /// In UTF-8, of the file.
  var offset: Int
  /// How many bytes it replaces.
  var length = 0
  var text: String
  /// Of edits at one place: what closes comes first, from the inside out, then what opens, from the outside in.
  var order: Int
}
