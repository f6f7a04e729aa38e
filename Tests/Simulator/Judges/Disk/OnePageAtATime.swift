/// A page of the queue's index is asked for when the one before it is there.
struct OnePageAtATime: Judge {
  func saw(_ what: Seen, in world: World) {
    guard case .pageAsked = what, world.process.desk?.isIndexAsked == true else { return }
    world.complain(.limits, "another page of the index is asked for, and one is on its way")
  }
}
