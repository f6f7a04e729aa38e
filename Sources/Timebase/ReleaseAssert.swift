/// An assertion that release builds check too: stops the program at a bug of our own, with the reason on standard
/// error. `precondition` drops its reason in a release build: the journal would end with a bare trap.
///
/// Not for what the world can do: a file, a message or a device that is wrong is an error of its own.
@inlinable public func releaseAssert(
  _ isSo: Bool, _ reason: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line
) {
  if !isSo { fatalError(reason(), file: file, line: line) }
}
