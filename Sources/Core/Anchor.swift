/// Keeps a large struct where it is.
///
/// Swift hands a struct that it can take apart to a method as if it were a number: a question that changes
/// nothing copies all of it first. Of the tracker that is 5 kB, several times with every fix. A struct
/// that holds a value of a type which nobody can know before it runs is never taken apart, so it is asked
/// by its address; and so is whatever holds such a struct. Costs 40 bytes, holds nothing.
struct Anchor: Sendable {
  private let nothing: (any Sendable)? = nil
}
