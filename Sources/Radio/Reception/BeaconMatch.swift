import Model

/// Whether a beacon is wanted, in the same time for one region and for ten thousand.
struct BeaconMatch {
  private struct Key: Hashable {
    var uuid: BeaconUUID
    /// Below 0: any.
    var major: Int32
    var minor: Int32
  }

  private var keys: Set<Key> = []
  private var hasWildcards = false
  private var hasMajors = false

  init(_ wanted: [BeaconIdentity] = []) {
    for identity in wanted {
      // Identities are checked where they are made.
      guard let uuid = BeaconUUID(identity.uuid) else { continue }
      let major = identity.major.map(Int32.init) ?? -1
      let minor = identity.major == nil ? -1 : identity.minor.map(Int32.init) ?? -1
      keys.insert(Key(uuid: uuid, major: major, minor: minor))
      if major < 0 { hasWildcards = true } else if minor < 0 { hasMajors = true }
    }
  }

  var isEmpty: Bool { keys.isEmpty }

  func contains(_ beacon: BeaconNumber) -> Bool {
    let (uuid, major) = (beacon.uuid, Int32(beacon.major))
    return keys.contains(Key(uuid: uuid, major: major, minor: Int32(beacon.minor)))
      || hasMajors && keys.contains(Key(uuid: uuid, major: major, minor: -1))
      || hasWildcards && keys.contains(Key(uuid: uuid, major: -1, minor: -1))
  }
}
