/// A value less than `limit` must not read as if it were equal.
func below(_ value: Double, _ limit: Double) -> String {
  let text = whole(value)
  guard text == whole(limit), value < limit else { return text }
  let floor = whole(value.rounded(.down))
  return floor == whole(limit) ? "\(value)" : floor
}

/// The same for a value that is more.
func above(_ value: Double, _ limit: Double) -> String {
  let text = whole(value)
  guard text == whole(limit), value > limit else { return text }
  let ceiling = whole(value.rounded(.up))
  return ceiling == whole(limit) ? "\(value)" : ceiling
}

func tenths(_ value: Double) -> String {
  value.magnitude < 1e9 ? "\((value * 10).rounded() / 10)" : "\(value)"
}

func hundredths(_ value: Double) -> String {
  value.magnitude < 1e9 ? "\((value * 100).rounded() / 100)" : "\(value)"
}

/// Rounded for reading; never traps on what a receiver may claim.
func whole(_ value: Double) -> String {
  guard value.magnitude < 1e15 else { return "\(value)" }
  return String(Int(value.rounded()))
}
