/// Stops the program at a bug of our own, and says why on standard error. `precondition` keeps its reason to
/// itself in a release build: a journal would end with a trap that nobody can look up.
///
/// Not for what the world can do: a file, a message or a device that is wrong is an error of its own.
public func insist(
  _ isSo: Bool, _ reason: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line
) {
  if !isSo { fatalError(reason(), file: file, line: line) }
}
