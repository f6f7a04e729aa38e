/// What is waited for, and has to come to an end.
extension World {
  /// Once a second.
  func judgeWaits(_ truth: Road.Position) {
    judgeFollows(truth)
    judgeDwells(truth)
    judgeFaints()
  }
}
