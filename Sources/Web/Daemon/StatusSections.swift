import OwnTracks

/// What of the tracker's status is news. It has sections; a section is sent again when something in it has changed that
/// is not merely older than before.
public enum StatusSections {
  /// They count seconds: each is different every time, and says nothing.
  private static let ageing: Set<String> = [
    "age", "lastReport", "silent", "since", "nextAttempt", "lastHeard",
  ]
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
    before == now || ageless(before) == ageless(now)
  }

  private static func ageless(_ value: JSON) -> JSON {
    switch value {
    case .object(let members):
      .object(
        members.compactMap { member in
          ageing.contains(member.key) ? nil : JSON.Member(member.key, ageless(member.value))
        })
    case .array(let elements): .array(elements.map(ageless))
    case .null, .boolean, .integer, .real, .string: value
    }
  }
}
