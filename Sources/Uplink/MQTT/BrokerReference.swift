/// The broker's reference for callbacks: the broker may be gone when they run.
///
/// `weak` would do the same, but the first `weak` reference moves an object's reference counts into a side table, and
/// from then on every use of the object takes that detour: the broker is in use with every fix.
final class BrokerReference {
  /// Set when the broker is made, cleared in its `deinit`. Only on the thread that it lives on.
  unowned var broker: Broker?
}
