import Glibc
import Model
import TestSupport
import Timebase

/// A directory of its own that goes away with the test.
final class StoreDirectory {
  let path: String

  /// `isInMemory`: where this system has a folder for that.
  init(isInMemory: Bool = false) {
    let parent = isInMemory && access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
    var template = Array("\(parent)/homeward-store-XXXXXX".utf8CString)
    path = mkdtemp(&template).map { String(cString: $0) } ?? "/tmp"
  }

  deinit {
    for name in names { unlink("\(path)/\(name)") }
    rmdir(path)
  }

  var tables: String { path + "/store.sqlite" }

  var names: [String] {
    guard let directory = opendir(path) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// The files as another process, or a power cut, would find them now.
  func copy() -> StoreDirectory {
    let copy = StoreDirectory()
    for name in names { writeFile(readFile("\(path)/\(name)"), to: "\(copy.path)/\(name)") }
    return copy
  }
}

enum Sample {
  /// 220 bytes of payload, as a location has.
  static func message(_ sequence: UInt64, isEvent: Bool = false, payload count: Int = 220) -> Message {
    var payload = Array("{\"_type\":\"location\",\"n\":\(sequence),\"fill\":\"".utf8)
    while payload.count < count - 2 { payload.append(UInt8(97 + payload.count % 26)) }
    payload += Array("\"}".utf8)
    return Message(
      sequence: sequence, topic: "owntracks/board/van", payload: payload, qos: 1, isRetained: !isEvent,
      isEvent: isEvent, time: 1_700_000_000 + Int(sequence))
  }

  static func fix(_ number: Int = 0) -> Fix {
    Fix(
      time: WallTime(seconds: 1_700_000_000 + Double(number)),
      coordinate: Coordinate(latitude: 52.5 + Double(number) / 1e5, longitude: 13.4)!, accuracy: 4.5,
      altitude: 33, speed: 13.25, course: 271.5)
  }

  static func location(_ number: Int = 0) -> LocationReport {
    LocationReport(
      fix: fix(number), time: WallTime(seconds: 1_700_000_000 + Double(number)), created: nil,
      trigger: .timer, mode: .move)
  }

  static func region(_ number: Int, radius: Double = 100) -> Region {
    Region(
      rid: "rid\(number)", name: "Place \(number)|in|out",
      coordinate: Coordinate(latitude: 50 + Double(number % 1000) / 1000, longitude: 7)!, radius: radius,
      beacon: BeaconIdentity(uuid: "f7826da6-4fa2-4e98-8024-bc5b71e0893e", major: 7, minor: 9),
      created: 1_600_000_000 + number, isShared: number % 2 == 0)
  }
}
