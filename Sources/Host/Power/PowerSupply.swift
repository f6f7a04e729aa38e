import CLinux
import Loop
import Model
import Timebase

/// The board's own battery, read when the kernel reports a change of a power supply. Many drivers only report that the
/// charger comes or goes: a battery is therefore read once a minute as well. Without a battery nothing is read, and
/// only a power supply that appears wakes this class.
public final class PowerSupply {
  /// Events, posted on the loop's thread.
  public enum Event: Hashable, Sendable {
    /// nil: no battery (any more).
    case batteryChanged(Battery?)
  }

  /// Percent change slowly; the modes only compare them with thresholds.
  public static let readingSpan = Span.seconds(60)

  /// The same while nobody waits for it.
  public static let rareSpan = Span.minutes(5)

  /// As it was posted last.
  public private(set) var battery: Battery?

  private let loop: EventLoop
  private let root: String
  private let post: (Event) -> Void
  private var socket: NetlinkSocket?
  private var timer: Timer?
  private var hasPosted = false
  private var isRare = false

  /// `root`: /sys/class/power_supply on every board. The first state is posted at once.
  public init(
    loop: EventLoop, root: String = "/sys/class/power_supply", post: @escaping (Event) -> Void
  ) throws(LoopError) {
    self.loop = loop
    self.root = root
    self.post = post
    socket = try NetlinkSocket(loop: loop, clinux_uevent, groups: 1) { [unowned self] in received($0) }
    timer = loop.makeTimer { [unowned self] in look() }
    look()
  }

  deinit { close() }

  /// Nothing is posted afterwards. Calling it twice is harmless.
  public func close() {
    socket?.close()
    timer?.cancel()
  }

  /// When the battery will be read by the clock; nil without one.
  public var nextReading: Instant? { timer?.deadline }

  /// Reads more rarely while nobody waits for it, and at once where somebody does again.
  public func pace(isRare: Bool) {
    guard isRare != self.isRare else { return }
    self.isRare = isRare
    if !isRare { look() }
  }

  /// Reads the power supplies now.
  public func look() {
    let found = Self.read(root: root)
    timer?.set(at: found == nil ? nil : loop.now.instant + (isRare ? Self.rareSpan : Self.readingSpan))
    guard !hasPosted || found != battery else { return }
    hasPosted = true
    battery = found
    post(.batteryChanged(found))
  }

  private func received(_ what: NetlinkSocket.Received) {
    switch what {
    case .datagram(let bytes): if Self.isAboutPower(bytes) { look() }
    case .overrun: look()
    }
  }

  /// A uevent is a list of NUL-terminated strings.
  static func isAboutPower(_ event: ArraySlice<UInt8>) -> Bool {
    let wanted = Array("SUBSYSTEM=power_supply".utf8)
    return event.split(separator: 0).contains { $0.elementsEqual(wanted) }
  }

  /// Several batteries count as one: their mean level, and the state that best shows whether the board runs on them.
  static func read(root: String) -> Battery? {
    let batteries = Sysfs.names(in: root).compactMap { battery(in: "\(root)/\($0)") }
    guard !batteries.isEmpty else { return nil }
    let order: [Battery.State] = [.unplugged, .charging, .full]
    let state = order.first { state in batteries.contains { $0.state == state } } ?? .unknown
    let sum = batteries.reduce(0) { $0 + $1.level }
    return Battery(level: sum / batteries.count, state: state)
  }

  private static func battery(in directory: String) -> Battery? {
    // `scope` Device: the battery of a mouse or a headset. Without `present` it is there.
    guard Sysfs.text("\(directory)/type") == "Battery", Sysfs.text("\(directory)/scope") != "Device",
      Sysfs.text("\(directory)/present") != "0", let level = level(in: directory)
    else { return nil }
    return Battery(level: level, state: state(Sysfs.text("\(directory)/status")))
  }

  /// Percent; drivers without `capacity` give charge (µAh) or energy (µWh).
  private static func level(in directory: String) -> Int? {
    if let percent = Sysfs.number("\(directory)/capacity") { return whole(percent) }
    for quantity in ["charge", "energy"] {
      if let now = Sysfs.number("\(directory)/\(quantity)_now"),
        let full = Sysfs.number("\(directory)/\(quantity)_full"), full > 0
      {
        return whole(now / full * 100)
      }
    }
    return nil
  }

  private static func whole(_ percent: Double) -> Int { Int(min(100, max(0, percent)).rounded()) }

  private static func state(_ word: String?) -> Battery.State {
    switch word {
    case "Discharging", "Not charging": .unplugged
    case "Charging": .charging
    case "Full": .full
    case _: .unknown
    }
  }
}
