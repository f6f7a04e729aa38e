import Host
import Model
import OwnTracks
import Storage
import Timebase
import Uplink

/// The adapters' part of `status`; for the connection see `ConnectionAnswer`.
extension StatusRecord.Receiver {
  init(_ status: PositionSourceStatus, at now: Instant) {
    self.init()
    (source, reached, mode, malformed) = (status.name, status.isReached, status.mode, status.malformedLines)
    (version, device, driver) = (status.version, status.device, status.driver)
    (satellites, cause) = (status.satellitesUsed, status.cause)
    silent = status.silence.map { Int($0.seconds) }
    lastReport = status.lastReport.map { (now - $0).seconds }
    (jamming, spoofing) = (status.interference?.jamming.rawValue, status.interference?.spoofing.rawValue)
    monitorSilent = status.isMonitorSilent ? true : nil
  }
}

extension StatusRecord.Page {
  /// Nil: it draws nothing differently.
  init?(_ page: Configuration.Page) {
    let usual = Configuration().page
    guard page != usual else { return nil }
    self.init()
    template = page.template.isEmpty ? nil : page.template
    copyright = page.copyright.isEmpty ? nil : page.copyright
    tacho = page.tacho == usual.tacho ? nil : page.tacho.rawValue
  }
}

extension StatusRecord.Messages {
  init(_ traffic: Traffic, _ payloadEncryption: PayloadEncryption) {
    self.init()
    (received, malformed, friendUpdates) = (traffic.received, traffic.malformed, traffic.friendUpdates)
    lastMalformed = traffic.lastMalformed
    unopened = payloadEncryption.isOn ? payloadEncryption.unopened : nil
    lastUnopened = payloadEncryption.lastUnopened
  }
}

extension StatusRecord.DataUsed {
  init(_ data: DataUse) {
    self.init()
    (today, month, budget) = (data.volume.today, data.volume.month, data.budget)
    spacing = data.spacing.map { Int($0.seconds.rounded()) }
  }
}

extension StatusRecord.Hook {
  init(_ status: EventHook.Status) {
    self.init()
    (run, failed, killed, dropped) = (status.run, status.failed, status.killed, status.dropped)
  }
}

extension StatusRecord.Store {
  init(_ condition: StoreAccess.Condition?, path: String, at now: Instant) {
    self.init()
    self.path = path
    switch condition {
    case .missing(let trouble, let nextTry):
      cause = "\(trouble); going on in memory, trying again"
      nextAttempt = nextTry.map { max(0, ($0 - now).seconds) }
    case .inUse(let status):
      (bytesWritten, size, quarantined) = (status.bytesWritten, status.size, status.quarantined)
      cause = status.failure
    case nil: break
    }
  }
}
