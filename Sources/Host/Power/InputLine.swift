import CLinux
import Glibc
import Loop
import Model
import OwnTracks

/// A wire that is either on or off: a power supply of the kernel (on line or not), or a line of a GPIO chip
/// (active or not).
public final class InputLine {
  /// Events, posted on the loop's thread.
  public enum Event: Hashable, Sendable {
    /// The first one is the initial level, the others are changes. A line that came and went posts both.
    case level(Bool)
    /// In plain words: nothing will ever be noticed.
    case trouble(String)
  }

  private let loop: EventLoop
  /// The configuration's key, for messages.
  private let key: String
  private let root: String
  private let post: (Event) -> Void
  private var socket: NetlinkSocket?
  private var watch: Watch?
  private var line: Int32 = -1
  private var supply = ""
  /// Of a chip, for messages.
  private var place = ""
  private var level: Bool?

  /// `root`: /sys/class/power_supply on every board.
  public init(
    loop: EventLoop, source: PowerFailSource, key: String, root: String = "/sys/class/power_supply",
    post: @escaping (Event) -> Void
  ) {
    self.loop = loop
    self.key = key
    self.root = root
    self.post = post
    switch source {
    case .supply(let name): begin(name)
    case .gpio(let chip, let number, let isActiveLow): begin(chip, number, isActiveLow)
    }
  }

  deinit { close() }

  /// Nothing is posted afterwards. Calling it twice is harmless.
  public func close() {
    socket?.close()
    socket = nil
    watch?.cancel()
    watch = nil
    if line >= 0 { Glibc.close(line) }
    line = -1
  }

  private func take(_ new: Bool) {
    guard new != level else { return }
    level = new
    post(.level(new))
  }

  // MARK: A supply of the kernel

  private func begin(_ name: String) {
    supply = name
    do {
      socket = try NetlinkSocket(loop: loop, clinux_uevent, groups: 1) { [unowned self] in received($0) }
    } catch {
      return post(.trouble("\(error)"))
    }
    guard Sysfs.text("\(root)/\(name)/online") != nil else {
      return post(.trouble("\(root)/\(name)/online: there is no such power supply; see: ls \(root)"))
    }
    look()
  }

  private func received(_ what: NetlinkSocket.Received) {
    switch what {
    case .datagram(let bytes): if PowerSupply.isAboutPower(bytes) { look() }
    case .overrun: look()
    }
  }

  /// Reads the supply now.
  func look() {
    if let text = Sysfs.text("\(root)/\(supply)/online") { return take(text != "0") }
    guard level != nil else { return }
    level = nil
    post(.trouble("\(root)/\(supply)/online: the power supply is gone"))
  }

  // MARK: A line

  private func begin(_ chip: Int, _ number: Int, _ isActiveLow: Bool) {
    let path = "/dev/gpiochip\(chip)"
    place = "\(path), line \(number)"
    var descriptor: Int32 = -1
    let failure = clinux_gpio_watch(path, UInt32(number), isActiveLow, &descriptor)
    guard failure == 0 else {
      let why = String(cString: strerror(failure))
      return post(.trouble("\(place): \(why); see \(key) in man homeward.otrc"))
    }
    begin(watching: descriptor)
  }

  /// A line of a chip, which is closed with this.
  func begin(watching descriptor: Int32) {
    line = descriptor
    watch = loop.watch(line, for: .read) { [unowned self] _ in readEdges() }
    readLevel()
  }

  /// The kernel keeps sixteen edges: after more than that the level shows the final state.
  private func readEdges() {
    while case let edge = clinux_gpio_edge(line), edge != 0 { take(edge > 0) }
    readLevel()
  }

  /// A chip that was unplugged says so at each turn of the loop, without end.
  private func readLevel() {
    let now = clinux_gpio_level(line)
    if now >= 0 { return take(now == 1) }
    let why = String(cString: strerror(errno))
    close()
    level = nil
    post(.trouble("\(place): \(why): the chip is gone; once it is back: sudo systemctl restart homeward"))
  }
}
