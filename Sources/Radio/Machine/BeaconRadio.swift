import Model
import Timebase

/// What has to be done so that advertisements arrive, and arrive again after whatever befell the radio.
/// It opens nothing: answers and events go in, orders come out, and `BeaconScanner` performs them.
///
/// ```
///            plan                                  every fact is as it should be
///  resting ────────▶ asking ⇄ (adapter? powered? low energy? monitor or scan on?) ──▶ hearing ⇄ pausing
///     ▲                │ refused, no adapter, off                         ▲              │ a minute, silent
///     │                ▼                                                  │ anybody      ▼
///     │             waiting ── a moment later, or when something changes  └────────── doubting ─▶ ladder
///     └───────────── plan off, from everywhere; what was switched on is switched off first
/// ```
/// Instead of a script for every way back there is one question: what is missing? (`proceed`). So an
/// adapter that is unplugged in the middle of anything needs no rule of its own.
struct BeaconRadio {
  enum Way: String, Hashable, Sendable {
    /// The kernel's advertisement monitor: passive, and others may use the adapter beside us.
    case monitor
    /// Scanning by ourselves on a raw socket, in the words of Bluetooth 5 or of Bluetooth 4.
    case extended
    case legacy

    var isRaw: Bool { self != .monitor }
  }

  /// Why each way was refused. No dictionary: the first one of its kind costs the program a page or two.
  struct Refusals {
    private var monitor: String?
    private var extended: String?
    private var legacy: String?

    subscript(way: Way) -> String? {
      get {
        switch way {
        case .monitor: monitor
        case .extended: extended
        case .legacy: legacy
        }
      }
      set {
        switch way {
        case .monitor: monitor = newValue
        case .extended: extended = newValue
        case .legacy: legacy = newValue
        }
      }
    }
  }

  struct Adapter: Hashable {
    var index: UInt16
    var address: UInt64
    var bus: UInt8
    var supported: BluetoothManagement.Settings
    var current: BluetoothManagement.Settings
  }

  enum Question: Hashable {
    case commands
    case list
    case information(Candidate)
    case lowEnergy
    case powerOn
    case addMonitor
    /// Does the adapter obey the kernel, which tells nobody when it does not?
    case monitorScan
    case removeMonitor
    case removeLeftover
    case rawCommands
    case rawDisable
    case rawParameters
    case rawEnable
    case rawStop
    /// Before others lose their connections to a power cycle.
    case connections
    case powerOff
    /// By rfkill, which the kernel obeys without asking the adapter.
    case block
    /// Does the adapter answer at all?
    case probe
  }

  enum Order: Hashable {
    /// Answered at once by `managementOpened`.
    case openManagement
    case manage(BluetoothManagement.Command, UInt16, [UInt8])
    /// Answered at once by `rawOpened`.
    case openRaw(UInt16, hears: Bool)
    case closeRaw
    case command(UInt16, [UInt8])
    case filter(BeaconFilter)
    /// Blocks this adapter and lets it go again; answered by `blocked`, later.
    case block(UInt16)
    /// A monitor outlives the process that made it: after a crash it is taken away by what was noted here.
    case note(Monitor?)
    case say(isWarning: Bool, String)
  }

  enum State: Hashable {
    case resting
    case asking(Question, until: Instant)
    case waiting(until: Instant)
    case hearing
    case pausing(until: Instant)
    /// Silent for long: is anybody there, at least a stranger?
    case doubting(until: Instant)
  }

  struct Candidate: Hashable {
    var index: UInt16
    var bus: UInt8
  }

  struct Monitor: Hashable {
    var address: UInt64
    var handle: UInt16
  }

  /// The raw socket and how far its scan is set up.
  struct Raw: Hashable {
    enum Stage: Hashable { case unknown, off, set, on }
    var isOpen = false
    /// False: it was opened for a probe.
    var hears = false
    /// It only looks on while the kernel starts the monitor's scan; nil: it does not.
    var trial: Trial?
    var supportsExtended: Bool?
    var way = Way.legacy
    var stage = Stage.unknown
    var isOn: Bool { stage == .on }
  }

  /// How far the kernel is with the scan of a monitor.
  enum Trial: Hashable { case opening, blind, open, set }

  struct Settings: Hashable, Sendable {
    /// Nil: any adapter.
    var address: UInt64?
    /// nil: the best that works.
    var method: Method?
    enum Method: Hashable, Sendable { case monitor, raw }
  }

  // Facts. `proceed` compares them with the plan.
  var settings = Settings()
  var plan = ScanPlan.off
  var isWatched = false
  var state = State.resting
  var mayUseRaw = false
  /// The management channel is there; nil: not yet asked for.
  var hasManagement: Bool?
  /// Whether a switch (rfkill) holds the adapter down: the kernel's own refusal does not always say so.
  var isBlocked: (UInt16) -> Bool = { _ in false }
  /// It takes orders from us, not only questions.
  var isTrusted = false
  /// Nil until the kernel was asked.
  var knowsMonitor: Bool?
  /// Adapters still to be asked for; nil: the list itself is not known.
  var candidates: [Candidate]?
  var known: [Adapter] = []
  var adapter: Adapter?
  /// The adapter that was used last: it is sought first when it was gone.
  var lastAddress: UInt64?
  /// Since when the adapter that we use is off, though nobody here switched it off.
  var offSince: Instant?
  var raw = Raw()
  var monitor: UInt16?
  /// The adapter that was seen to obey the kernel.
  var obeyed: UInt64?
  /// Of a run before this one that found no time to take it away.
  var leftover: Monitor?
  var refusals = Refusals()

  // What is under way
  var pauseUntil: Instant?
  var isRestarting = false
  var isCycling = false
  /// The adapter is to be chosen anew once this one is let go.
  var isReplacing = false
  /// It did not answer: first it has to.
  var needsProof = false

  // Watching
  var filter = BeaconFilter.asleep
  var tick: Instant?
  var phaseEnds: Instant?
  var lastHeard = Instant.zero
  var isDoubtful = false
  var emptyReports = 0
  /// When the scan was started anew in this silence.
  var restarted: Instant?
  /// An advertisement that could be read arrived; nil: none ever did.
  var lastReadable: Instant?
  /// By when the scan that was started anew has to hear somebody, because a moment ago there was somebody.
  var suspectedUntil: Instant?
  /// When the adapter was last switched off and on for nothing but its silence.
  var cycledForSilence: Instant?
  /// It was blocked and let go, and not yet switched on.
  var wasBlocked = false
  /// Why rfkill did not help when it was last tried; nil: it did, or was not.
  var blockFailure: String?
  /// The power cycle under way is for that.
  var isSuspect = false
  var ladder = BeaconLadder()
  /// As `ScannerState` has it; nil: nothing is known yet.
  var isHearing: Bool?
  /// What is wrong, for people; nil: nothing.
  var cause: String?
  var said: String?
  var orders: [Order] = []

  var wantsToHear: Bool { isWatched || plan.duty > 0 && !plan.wanted.isEmpty }
  /// Percent, as it counts now.
  var duty: Int { isWatched ? 100 : plan.duty }

  /// By which way it scans now; nil: it does not.
  var way: Way? {
    if monitor != nil { return .monitor }
    return raw.isOn ? raw.way : nil
  }

  var isObeyed: Bool { obeyed != nil && obeyed == adapter?.address }
  /// A report would end a doubt of ours.
  var isUnsure: Bool { isDoubtful || raw.trial != nil }

  /// When `timerFired` wants to be called.
  var deadline: Instant? {
    switch state {
    case .resting: nil
    case .asking(_, let until), .waiting(let until), .pausing(let until), .doubting(let until): until
    case .hearing: [tick, phaseEnds, suspectedUntil].compactMap { $0 }.min()
    }
  }

  mutating func take() -> [Order] {
    defer { orders.removeAll() }
    return orders
  }

  // MARK: Inputs

  mutating func planned(_ plan: ScanPlan, at now: Instant) {
    let (wanted, before) = (wantsToHear, duty)
    self.plan = plan
    changed(wanted, before, at: now)
  }

  /// People look at what is heard.
  mutating func watched(_ isWatched: Bool, at now: Instant) {
    let (wanted, before) = (wantsToHear, duty)
    self.isWatched = isWatched
    changed(wanted, before, at: now)
  }

  private mutating func changed(_ wanted: Bool, _ before: Int, at now: Instant) {
    let isIdle = plan.wanted.isEmpty && !isWatched
    if isIdle, state == .resting, filter == .asleep { return }
    guard wanted != wantsToHear || before != duty || isIdle else { return }
    // Another duty begins with listening; a raw scan needs other parameters for it.
    if raw.isOn, before != duty { isRestarting = true }
    pauseUntil = nil
    phaseEnds = nil
    switch state {
    // The answer on its way leads on; what failed a moment ago would fail again.
    case .asking: break
    case .waiting where wantsToHear && wanted: break
    case .resting, .waiting, .hearing, .pausing, .doubting: proceed(at: now)
    }
  }

  /// Another adapter or another way: begins anew.
  mutating func configured(_ settings: Settings, at now: Instant) {
    self.settings = settings
    refusals = Refusals()
    isReplacing = true
    isRestarting = true
    cause = nil
    if case .asking = state { return }
    proceed(at: now)
  }

  mutating func timerFired(at now: Instant) {
    guard let deadline, deadline <= now else { return }
    switch state {
    case .resting: break
    case .asking(let question, _): unanswered(question, at: now)
    case .waiting, .pausing: proceed(at: now)
    case .doubting: nobodyThere(at: now)
    case .hearing: watch(at: now)
    }
  }

  mutating func ask(_ question: Question, patience: Span = .seconds(3), at now: Instant) {
    state = .asking(question, until: now + patience)
  }

  /// Not now; `proceed` looks again.
  mutating func wait(_ span: Span, _ cause: String?, at now: Instant) {
    if let cause { complain(cause) }
    state = .waiting(until: now + span)
  }

  /// Said once, until it is something else or all is well again.
  mutating func complain(_ text: String) {
    guard text != cause else { return }
    cause = text
    said = nil
    orders.append(.say(isWarning: true, "beacons: \(text)"))
  }

  mutating func set(_ filter: BeaconFilter) {
    guard filter != self.filter else { return }
    self.filter = filter
    orders.append(.filter(filter))
  }
}
