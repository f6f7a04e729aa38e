import Host
import Loop
import Model
import OwnTracks
import Timebase

/// Extensions by the owner: a program for events, keys for locations.
final class OwnerExtensions {
  /// Its settings.
  struct Settings: Hashable {
    var onEvent = ""
    var scope = Configuration.EventScope.events
    var timeout = 0
    var extraKeys = ""

    init() {}

    init(_ configuration: Configuration) {
      onEvent = configuration.programs.onEvent
      scope = configuration.programs.onEventFor
      timeout = configuration.programs.onEventTimeout
      extraKeys = configuration.programs.extraKeys
    }
  }

  private let loop: EventLoop
  private let worker: Worker
  private let additions: Encoder.Additions
  private let log: ServiceLog
  private var settings = Settings()
  private var hook: EventHook?
  private var extras: ExtraKeys?

  init(loop: EventLoop, worker: Worker, additions: Encoder.Additions, log: ServiceLog) {
    self.loop = loop
    self.worker = worker
    self.additions = additions
    self.log = log
  }

  /// At the start, and after every change of settings.
  func configure(_ wanted: Settings) {
    guard wanted != settings else { return }
    settings = wanted
    close()
    (hook, extras) = (nil, nil)
    additions.extras = []
    if !wanted.onEvent.isEmpty {
      let hook = EventHook(loop: loop, path: wanted.onEvent, timeout: .seconds(wanted.timeout)) {
        [log] event in
        if case .warning(let text) = event { log.say(.warning, text) }
      }
      hook.check()
      self.hook = hook
    }
    if !wanted.extraKeys.isEmpty {
      extras = ExtraKeys(loop: loop, worker: worker, directory: wanted.extraKeys) { [additions, log] event in
        switch event {
        case .read(let values): additions.extras = values
        case .warning(let text): log.say(.warning, text)
        }
      }
    }
  }

  /// With every fix.
  func lookAtKeys() { extras?.look() }

  func published(_ report: Report, as message: Message) {
    guard let hook else { return }
    if let word = report.eventWord {
      hook.happened(word, message.payload)
    } else if settings.scope == .all, let word = report.messageWord {
      hook.happened(word, message.payload, isEvent: false)
    }
  }

  /// Hands another device's message to the program.
  func noticed(_ payload: [UInt8]) { hook?.noticed(payload) }

  /// Nil where no program is named.
  var status: EventHook.Status? { hook?.status }

  func close() {
    hook?.close()
    extras?.close()
  }
}
