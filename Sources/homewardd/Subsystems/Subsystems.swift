import Host
import Loop
import Model
import OwnTracks
import Radio
import Receiver
import Storage
import Uplink

/// Everything that the daemon has to do with from its start to its end, made once and in the order of who knows whom.
struct Subsystems {
  let loop: EventLoop
  let log: ServiceLog
  let settings: SettingsInForce
  let recorder: DriveRecorder
  let host: TrackerHost
  let friends: FriendBook
  let board: BoardInputs
  let extensions: OwnerExtensions
  let scanner: BeaconScanner
  let source: any PositionSource
  let inbound: InboundMessages
  let connection: ServerConnection
  let certificates: CertificateRenewal
  let switchOff: SwitchOff
  let outage: OutageRequest
  let localTime: LocalTimeWatch
  let reasons: ReasonLog
  let memory: MemoryTrim

  init(_ runtime: Runtime, _ settings: SettingsInForce, _ log: ServiceLog) {
    let (loop, network) = (runtime.loop, runtime.network)
    let recorder = DriveRecorder(loop: loop, disk: runtime.disk, log: log)
    recorder.configure(settings.recording)
    let host = TrackerHost(loop: loop, recorder: recorder)
    let configuration = settings.configuration
    (self.loop, self.log, self.settings, self.recorder, self.host) = (loop, log, settings, recorder, host)
    board = BoardInputs(
      loop: loop, worker: network, disk: runtime.disk, host: host,
      directory: configuration.board.stateDir, log: log)
    extensions = OwnerExtensions(loop: loop, worker: network, additions: settings.additions, log: log)
    switchOff = SwitchOff(loop: loop, directory: settings.runtimeDirectory, log: log)
    localTime = LocalTimeWatch(loop: loop, host: host, settings: settings)
    memory = MemoryTrim(loop: loop)
    reasons = ReasonLog(directory: settings.runtimeDirectory, log: log)
    outage = OutageRequest(loop: loop, directory: settings.runtimeDirectory, log: log)
    scanner = BeaconScanner(
      loop: loop, worker: network, access: runtime.bluetooth, settings: settings.scanner
    ) { event in
      switch event {
      case .sighted(let sighting): host.post(.sighted(sighting))
      case .stateChanged(let state): host.post(.scannerChanged(state))
      case .info(let text): log.say(.info, text)
      case .warning(let text): log.say(.warning, text)
      }
    }
    source = Self.makeSource(runtime, configuration.receiver) { [board, extensions] event in
      switch event {
      case .reading(let reading):
        board.measurePressure()
        extensions.lookAtKeys()
        host.post(.reading(reading))
      case .interference(let found): host.post(.interference(found))
      case .reached(let name, let address):
        log.say(.info, "\(name) reached at \(address)")
        host.post(.sourceReached(name, true))
      case .lost(let name, let cause):
        log.say(.warning, "\(name) lost: \(cause)")
        host.post(.sourceReached(name, false))
      case .warning(let text): log.say(.warning, text)
      case .info(let text): log.say(.info, text)
      }
    }
    friends = FriendBook(
      loop: loop, worker: runtime.disk, directory: configuration.board.stateDir,
      positions: configuration.history.positions
    ) { event in
      if case .warning(let text) = event { log.say(.warning, text) }
    }
    inbound = InboundMessages(
      settings: settings, host: host, friends: friends, extensions: extensions, log: log)
    connection = ServerConnection(
      loop: loop, worker: network, disk: runtime.disk, settings: settings, host: host, inbound: inbound,
      log: log)
    certificates = CertificateRenewal(
      loop: loop, disk: runtime.disk, settings: settings, host: host, connection: connection,
      papers: board.papers, log: log)
  }

  /// The only place that knows a source of positions by name.
  private static func makeSource(
    _ runtime: Runtime, _ settings: Configuration.Receiver,
    post: @escaping (PositionSourceEvent) -> Void
  ) -> any PositionSource {
    GPSD(loop: runtime.loop, worker: runtime.network, settings: .init(settings), post: post)
  }
}
