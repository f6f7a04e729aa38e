import CLinux
import Glibc
import Loop
import OwnTracks
import Timebase

/// Notices that the power is going: a power supply of the kernel that goes off line, or a line of a GPIO
/// chip. There are some hundred milliseconds then, so nothing is asked twice: the first edge counts.
public final class PowerFailInput {
  public enum Event: Hashable, Sendable {
    case failing
    case back
    /// In plain words: nothing will ever be noticed.
    case trouble(String)
  }

  /// A contact bounces, and a supply that is weak comes and goes: after an edge the next counts so much later.
  public static let gap = Span.seconds(10)

  private let loop: EventLoop
  private let root: String
  private let post: (Event) -> Void
  private var socket: NetlinkSocket?
  private var watch: Watch?
  private var line: Int32 = -1
  private var supply = ""
  private var isOnline: Bool?
  private var isFailing = false
  private var last: Instant?

  /// `root`: /sys/class/power_supply on every board.
  public init(
    loop: EventLoop, source: PowerFailSource, root: String = "/sys/class/power_supply",
    post: @escaping (Event) -> Void
  ) {
    self.loop = loop
    self.root = root
    self.post = post
    switch source {
    case .supply(let name): begin(name)
    case .gpio(let chip, let number, let isActiveLow): begin(chip, number, isActiveLow)
    }
  }

  deinit { close() }

  public func close() {
    socket?.close()
    socket = nil
    watch?.cancel()
    watch = nil
    if line >= 0 { Glibc.close(line) }
    line = -1
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
    guard let text = Sysfs.text("\(root)/\(supply)/online") else { return }
    let before = isOnline
    isOnline = text != "0"
    // It may have been off line for long when the program begins.
    guard let before, before != isOnline else { return }
    before ? failing() : back()
  }

  // MARK: A line

  private func begin(_ chip: Int, _ number: Int, _ isActiveLow: Bool) {
    let path = "/dev/gpiochip\(chip)"
    let failure = clinux_gpio_watch(path, UInt32(number), isActiveLow, &line)
    guard failure == 0 else {
      let why = String(cString: strerror(failure))
      return post(
        .trouble("\(path), line \(number): \(why); see powerFailInput in man homeward.otrc"))
    }
    watch = loop.watch(line, for: .read) { [unowned self] _ in readEdges() }
  }

  private func readEdges() {
    while case let edge = clinux_gpio_edge(line), edge != 0 { edge > 0 ? failing() : back() }
  }

  // MARK: Both

  private func failing() {
    let now = loop.now.instant
    guard last.map({ now - $0 >= Self.gap }) ?? true else { return }
    last = now
    isFailing = true
    post(.failing)
  }

  private func back() {
    guard isFailing else { return }
    isFailing = false
    post(.back)
  }
}
