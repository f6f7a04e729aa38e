/// A way back to the broker for those whom it asks to call it: it may be gone by then.
///
/// As `weak` would do. But the first `weak` reference moves an object's counts into a table of their own, and
/// from then on whatever is done with it takes the long way there: the broker is in use with every fix.
final class BrokerTether {
  /// Tied when the broker is made, cut in its `deinit`. Only on the thread that it lives on.
  unowned var broker: Broker?
}
