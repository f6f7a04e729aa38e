import Loop
import Model
import OwnTracks
import Timebase

/// Measures the battery that starts the vehicle, three times a minute: changes that matter last for a minute.
public final class VoltageGauge {
  /// Events, posted on the loop's thread.
  public enum Event: Hashable, Sendable {
    /// Volts; nil: unknown.
    case measured(Double?)
    /// In plain words; reported once, until it is well again.
    case trouble(String)
    /// The reported trouble is over.
    case well
  }

  /// Between two readings.
  public static let readingSpan = Span.seconds(20)

  private let source: VoltageSource
  private let post: (Event) -> Void
  private var reading: RegularReading<Found>?
  private var isInTrouble = false

  private enum Found: Sendable {
    case volts(Double)
    case nothing(String)
  }

  /// `worker` reads files and chips. `timeout`: how long a program may take.
  public init(
    loop: EventLoop, worker: Worker, source: VoltageSource, timeout: Span = .seconds(10),
    post: @escaping (Event) -> Void
  ) {
    self.source = source
    self.post = post
    reading = RegularReading(
      loop: loop, worker: worker, every: Self.readingSpan, read: { Self.read(source) },
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

  private static func read(_ source: VoltageSource) -> Found {
    do throws(FuelGauge.Trouble) {
      switch source {
      case .ina219(let place): return .volts(try FuelGauge.volts(at: place))
      case .file(let path): return found(try BatteryGauge.contents(path), path)
      case .command: return .nothing("")
      }
    } catch {
      return .nothing(error.description)
    }
  }

  private static func found(_ bytes: [UInt8], _ place: String) -> Found {
    if let volts = VoltageText.parse(bytes) { return .volts(volts) }
    let words = String(decoding: bytes.prefix(40), as: UTF8.self).split { $0.isWhitespace }
    let shown = words.joined(separator: " ").plainLine
    return .nothing("\(place): it says \"\(shown)\", expected volts such as 12.4")
  }

  private func take(_ outcome: ChildProgram.Outcome) {
    switch outcome {
    case .said(let bytes):
      guard case .command(let words) = source else { return }
      take(Self.found(bytes, words[0]))
    case .failed(let why), .hung(let why): take(.nothing(why))
    }
  }

  private func take(_ found: Found) {
    switch found {
    case .volts(let volts):
      if isInTrouble { post(.well) }
      isInTrouble = false
      post(.measured(volts))
    case .nothing(let why):
      // Named once: the next one may have another reading in it.
      if !isInTrouble { post(.trouble(why)) }
      isInTrouble = true
      post(.measured(nil))
    }
  }
}
