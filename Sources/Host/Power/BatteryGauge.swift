import Glibc
import Loop
import Model
import OwnTracks
import Timebase

/// A battery for which the kernel has no driver: a chip on the I2C bus, a file or a program. It is read once a minute.
/// If the answer makes no sense the battery is unknown, which is reported once.
public final class BatteryGauge {
  /// Events, posted on the loop's thread.
  public enum Event: Hashable, Sendable {
    /// The first reading, and every other one after it; nil: it is unknown.
    case batteryChanged(Battery?)
    /// In plain words; reported once, until it is well again.
    case trouble(String)
    /// The reported trouble is over.
    case well
  }

  /// Between two readings: levels change slowly.
  public static let readingSpan = Span.seconds(60)
  /// For a chip that measures no current: the level has to move by this many percent to count as a trend.
  static let trend = 0.2

  /// The newest trouble; nil: there is none.
  public private(set) var cause: String?
  /// Programs that had to be killed.
  public private(set) var hung = 0
  /// As it was posted last.
  public private(set) var battery: Battery?

  private let source: BatterySource
  private let post: (Event) -> Void
  private var reading: RegularReading<Found>?
  private var hasPosted = false
  private var anchor: Double?
  private var state = Battery.State.unknown

  /// `worker` reads files and chips. `timeout`: how long a program may take.
  public init(
    loop: EventLoop, worker: Worker, source: BatterySource, table: VoltageTable,
    timeout: Span = .seconds(10), post: @escaping (Event) -> Void
  ) {
    self.source = source
    self.post = post
    reading = RegularReading(
      loop: loop, worker: worker, every: Self.readingSpan, read: { Self.read(source, table) },
      take: { [unowned self] in take($0) })
    if case .command(let words) = source {
      reading?.run(words, timeout: timeout) { [unowned self] in take($0) }
    }
  }

  /// Ends a running program. Calling it twice is harmless.
  public func close() { reading?.close() }

  /// Reads now.
  public func look() { reading?.look() }

  /// Reads more rarely while nobody waits for it.
  public func pace(isRare: Bool) { reading?.pace(isRare: isRare) }

  // MARK: On the worker

  private enum Found: Sendable {
    case battery(Battery)
    case reading(FuelGauge.Reading)
    case nothing(String)
  }

  private static func read(_ source: BatterySource, _ table: VoltageTable) -> Found {
    do {
      if case .file(let path) = source { return .battery(try BatteryText.parse(contents(path))) }
      return try FuelGauge.read(source, table).map { .reading($0) } ?? .nothing("no chip")
    } catch let refusal as BatteryText.Refusal {
      guard case .file(let path) = source else { return .nothing(refusal.description) }
      return .nothing("\(path): \(refusal)")
    } catch {
      return .nothing("\(error)")
    }
  }

  /// Does not wait for a pipe: without a writer at its other end it would never deliver anything.
  static func contents(_ path: String) throws(FuelGauge.Trouble) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      throw FuelGauge.Trouble(description: "\(path): cannot be read: \(String(cString: strerror(errno)))")
    }
    defer { Glibc.close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: BatteryText.limit + 1)
    let count = Glibc.read(descriptor, &buffer, buffer.count)
    return Array(buffer.prefix(max(0, count)))
  }

  // MARK: On the loop

  private func take(_ found: Found) {
    switch found {
    case .battery(let battery): take(battery)
    case .reading(let reading): take(reading)
    case .nothing(let why): unknown(why.plainLine)
    }
  }

  private func take(_ outcome: ChildProgram.Outcome) {
    switch outcome {
    case .said(let bytes):
      do {
        take(try BatteryText.parse(bytes))
      } catch {
        guard case .command(let words) = source else { return }
        unknown("\(words[0]): it says \(error)")
      }
    case .failed(let why): unknown(why)
    case .hung(let why):
      hung += 1
      unknown(why)
    }
  }

  func take(_ reading: FuelGauge.Reading) {
    follow(reading.percent)
    take(Battery(level: Int(reading.percent.rounded()), state: reading.state ?? state))
  }

  /// Infers from the trend of the level whether the battery is being charged.
  private func follow(_ percent: Double) {
    guard let before = anchor else {
      anchor = percent
      return
    }
    guard abs(percent - before) >= Self.trend else { return }
    state = percent > before ? .charging : .unplugged
    anchor = percent
  }

  private func take(_ new: Battery) {
    if cause != nil { post(.well) }
    cause = nil
    change(to: new)
  }

  private func unknown(_ why: String) {
    let isNews = cause == nil
    cause = why
    if isNews { post(.trouble(why)) }
    anchor = nil
    state = .unknown
    change(to: nil)
  }

  private func change(to new: Battery?) {
    guard !hasPosted || new != battery else { return }
    hasPosted = true
    battery = new
    post(.batteryChanged(new))
  }
}
