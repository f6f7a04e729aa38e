/// Keeps a large struct from being copied.
///
/// Swift passes a struct that it can take apart to a method by value: even a call that changes nothing
/// copies all of it first. For the tracker that is 5 kB, several times with every fix. A struct that holds
/// a value of a type unknown to the compiler is never taken apart, so it is passed by address; and so is
/// any struct that holds it. Costs 40 bytes, holds nothing.
///
/// `~Copyable` looks like the better tool and is not: it forbids copies in the source, but the code that the
/// compiler makes of a call stays the same. Measured with Swift 6.3.1 on the tracker, the outbox and all else
/// that has an anchor, or holds one that has: the functions run for a fix contain 39.5 kB of copies as plain
/// structs, 39.2 kB as noncopyable ones, and 19.6 kB with anchors; their stack frames have 17.6, 17.5 and 8.9 kB.
struct Anchor: Sendable {
  private let nothing: (any Sendable)? = nil
}
