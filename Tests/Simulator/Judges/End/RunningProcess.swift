/// The process never has to give up: long after the last fault a tracker runs.
struct RunningProcess: Judge {
  func saw(_ what: Seen, in world: World) {
    switch what {
    case .rests where world.tracker == nil:
      world.complain(.process, "no tracker runs, long after the last fault")
    case .finished where world.tracker == nil: world.complain(.process, "no tracker runs at the end")
    default: break
    }
  }
}
