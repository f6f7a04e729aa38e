import Host
import Model
import OwnTracks
import Timebase

/// What the owner adds: a program for events, keys for locations.
extension Daemon {
  /// At the start, and where their settings have changed.
  func configureOwnersPrograms() {
    let wanted = OwnersPrograms(configuration)
    guard wanted != owners else {
      return
    }
    owners = wanted
    hook?.close()
    extras?.close()
    (hook, extras) = (nil, nil)
    additions.extras = []
    if !wanted.onEvent.isEmpty {
      let hook = EventHook(loop: loop, path: wanted.onEvent, patience: .seconds(wanted.timeout)) {
        [unowned self] event in
        if case .warning(let text) = event { say(.warning, text) }
      }
      hook.check()
      self.hook = hook
    }
    if !wanted.extraKeys.isEmpty {
      let extras = ExtraKeys(loop: loop, worker: network, directory: wanted.extraKeys) {
        [unowned self] event in
        switch event {
        case .read(let values): additions.extras = values
        case .warning(let text): say(.warning, text)
        }
      }
      self.extras = extras
    }
  }

  func published(_ report: Report, as message: Message) {
    if let hook, let word = report.eventWord { hook.happened(word, message.payload) }
  }
}

/// The settings of what the owner adds.
struct OwnersPrograms: Hashable {
  var onEvent = ""
  var timeout = 0
  var extraKeys = ""

  init() {}

  init(_ configuration: Configuration) {
    onEvent = configuration.onEvent
    timeout = configuration.onEventTimeout
    extraKeys = configuration.extraKeys
  }
}
