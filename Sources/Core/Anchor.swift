/// Keeps a large struct where it is.
///
/// Swift hands a struct that it can take apart to a method as if it were a number: a question that changes
/// nothing copies all of it first. Of the tracker that is 5 kB, several times with every fix. A struct
/// that holds a value of a type which the compiler does not know is never taken apart, so it is asked
/// by its address; and so is whatever holds such a struct. Costs 40 bytes, holds nothing.
///
/// `~Copyable` looks like the better word for it and is none: it forbids copies in the source, and what the
/// compiler makes of a question stays as it was. Tried with Swift 6.3.1 on the tracker, the outbox and all else
/// that has an anchor, or holds one that has: the functions that a fix runs contain 39.5 kB of copies as plain
/// structs, 39.2 kB as noncopyable ones, and 19.6 kB with anchors; their stack frames have 17.6, 17.5 and 8.9 kB.
struct Anchor: Sendable {
  private let nothing: (any Sendable)? = nil
}
