/// What the broker gives to those that call it back: it may be gone by then.
///
/// As `weak` would do. But the first `weak` reference moves an object's counts into a table of their own, and
/// from then on whatever is done with it takes the long way there: the broker is in use with every fix.
final class BrokerReference {
  /// Set when the broker is made, cleared in its `deinit`. Only on the thread that it lives on.
  unowned var broker: Broker?
}
