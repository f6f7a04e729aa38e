import OwnTracks

/// Changes of the tracker's status. It has sections; a section is sent again when something in it has changed that is
/// not merely an age.
public enum StatusSections {
  /// Ages in seconds: different every time, and no news.
  private static let ageing: Set<String> = ["age", "lastReport", "silent", "nextAttempt", "lastHeard"]
  /// Ages in seconds as well, but one that is less than before has started again: that is news.
  private static let counting: Set<String> = ["since", "lastConfirmed"]
  /// A section that does so.
  private static let uptime = "uptime"

  /// The sections of `new` that differ, and null for those that are gone; nil: none.
  public static func changes(from old: JSON, to new: JSON) -> JSON? {
    var changed: [JSON.Member] = []
    for section in new.members ?? [] where section.key != uptime {
      guard let before = old[section.key], isSame(before, section.value) else {
        changed.append(section)
        continue
      }
    }
    for section in old.members ?? [] where new[section.key] == nil && !section.value.isNull {
      changed.append(JSON.Member(section.key, .null))
    }
    return changed.isEmpty ? nil : .object(changed)
  }

  private static func isSame(_ before: JSON, _ now: JSON) -> Bool {
    switch (before, now) {
    case (.object(let old), .object(let new)):
      old.count == new.count && new.allSatisfy { isSame(before[$0.key], $0) }
    case (.array(let old), .array(let new)):
      old.count == new.count && zip(old, new).allSatisfy(isSame)
    case (_, _): before == now
    }
  }

  private static func isSame(_ before: JSON?, _ now: JSON.Member) -> Bool {
    guard let before else { return false }
    if ageing.contains(now.key) { return true }
    if counting.contains(now.key), let old = before.double, let new = now.value.double { return new >= old }
    return isSame(before, now.value)
  }
}
