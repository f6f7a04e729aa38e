/// Which homewardd this is.
enum Release {
  /// The package's as well: board/package reads it here.
  static let version = "0.1.0"
}
