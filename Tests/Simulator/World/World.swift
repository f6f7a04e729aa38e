import Core
import Model
import OwnTracks
import Timebase
import Uplink

/// One run: a seed goes in, everything that reached the broker comes out, and what the judges say of it.
///
/// The real `Core`, the real message code and the real store file run in it under a virtual clock; road,
/// receiver, clock, disk, network, broker and people are the world's, and so are their faults. A run has
/// two phases: first faults strike, and nothing wrong may leave; then they stop, everything that is owed
/// arrives, and it goes quiet.
public final class World {
  enum Happening {
    case beat
    case reading(Reading, life: Int)
    case processStart
    case storeOpened(life: Int)
    case storeReopens(life: Int)
    case storeTakesUp(Snapshot, life: Int)
    case diskDone(life: Int)
    case diskTriesAgain(life: Int)
    case processEnd(life: Int)
    case boot
    case switchesOff(life: Int)
    case synchronised(boot: Int)
    case alarm(Client.Alarm, at: Instant, life: Int)
    case client(Client.Step, turn: Int, life: Int)
    case clientLooks(connection: Int)
    case packet(Packet)
    case answer(connection: Int, Packet.Answer)
    case looksAtAnswers(life: Int)
    case connectionLost(connection: Int, BrokerCause)
    case probe
    case clears(life: Int)
    case strikes(Fault)
    case ends(Fault)
    case faultsEnd
    case receiverRests
  }

  struct Alone: Equatable {
    var life: Int
    var sequence: UInt64
  }

  let seed: UInt64
  /// World's time.
  var now = Instant.zero
  var schedule = Schedule<Happening>()
  var rates: Rates
  let road: Road
  var receiver: Receiver
  var clock = BoardClock()
  let disk: Disk
  let vfs: DiskVFS
  var wire = Wire()
  var server = Server()
  var client = Client()
  var scenario: Scenario
  var radio: Radio
  public internal(set) var ledger = Ledger()
  /// Hears what happens as it happens, for people who look into one seed.
  public var narrator: ((String) -> Void)?
  var judging = Reasons()
  var limits = Limits()
  var keeping = Keeping()
  var fullness = Fullness()
  var lastHeard = LastHeard()
  var wanderers: Wanderers
  var approach = Approach()
  var upkeep = Upkeep()
  var rulesWatch = RulesWatch()
  var answers = Answers()
  var remembered = Remembered()
  var owed = OwedPoints()
  var hearing = Hearing()
  var departed = Departed()
  var ears = Ears()
  var coldStart = ColdStart()
  var wakefulness = Wakefulness()
  var attempts = Attempts()
  var news = ConnectionNews()
  var patience = Patience()
  var continuity = Continuity()
  var watch = Watch()
  var regionWatch = RegionWatch()
  var way: Way
  var voltage: Voltage
  var sag = Sag()
  var veil = Veil()
  var choice = Choice()
  var pace = PaceWatch()
  var intervals = Intervals()
  var statusWord = StatusWord()
  var rival: Rival
  var insistence: Insistence
  var stuck: Stuck
  var hiccup: Hiccup
  var follows = FollowWatch()
  var dwells: DwellWatch
  var faints = Faints()

  var faultDice: Dice
  var wireDice: Dice
  /// Resets, quotas and messages that connections end over.
  var lineDice: Dice
  /// How many acknowledgements come with one wake-up.
  var answerDice: Dice
  /// When fixes become vague.
  var hazeDice: Dice
  /// Whether the radio hangs when a beacon is about to be lost.
  var silenceDice: Dice
  /// From CONNECT to the last SUBACK, and who tries whether the board obeys.
  var handshakeDice: Dice
  /// Whether a broker is mute from the greeting on.
  var muteDice: Dice

  // The process
  var tracker: LivingTracker?
  var desk: StoreDesk?
  let twin = StoreTwin()
  var takingUp: TakingUp?
  var encoder: Encoder
  var configuration: Configuration
  var startWaypoints: [WaypointEntry] = []
  var inbox: [Event] = []
  /// Acknowledged, and the process has not looked since.
  var gathered: [UInt64] = []
  var life = 0
  var boots = 0
  var isPowered = false
  var isRunning = false
  var isStopping = false
  /// The process ends when this many effects of consequence are done; nil: it does not.
  var effectsLeft: Int?
  /// As far as it is wired.
  var ignition = false
  /// The process ends because the board is being switched off.
  var isSwitchedOff = false
  var battery = Battery(level: 80, state: .unplugged)
  var isCalm = false
  /// Somebody will clear the queue.
  var wantsClear = false
  var connections = 0
  /// What the last connection ended over, where that was one message.
  var lastAlone: Alone?
  var endings = Endings()
  /// SUBSCRIBEs so far.
  var requests: Int32 = 0
  var controlLines: UInt64 = 0
  /// Seconds that a batch takes.
  var diskLatency = 0.015
  /// What the store was asked to write and has not answered.
  var batches: [UInt64: [StoreWrite]] = [:]
  var underWay = UnderWay()
  /// Messages of batches that have failed in this life.
  var tried: Set<UInt64> = []
  /// What this process has on the disk and the broker has not acknowledged, by sequence.
  var known: [UInt64: Message] = [:]
  /// In writes that failed, and in none since.
  var doubtful: [UInt64: Message] = [:]
  /// Messages that this process has been told will never be taken.
  var refusedHere = 0
  /// The same as of a second ago.
  var overflowed = 0
  /// The same after the last event of this life.
  var thinned: Int?
  /// The most messages that this tracker can have had sent again.
  var resendable = 0
  /// The tracker's count of dropped messages, as last seen.
  var droppedBefore = 0
  var isDrainingLast = false
  var failedOpenings = 0
  /// What is wrong on purpose, for the tests of the judges.
  let breakage: Breakage?

  let faultsEnd: Instant
  let rest: Instant
  let end: Instant

  /// `hours`: how long faults strike; a seed decides it otherwise.
  public init(seed: UInt64, breakage: Breakage? = nil, hours: Double? = nil) {
    self.seed = seed
    self.breakage = breakage
    var dice = Dice(seed: seed, for: "world")
    var later = Dice(seed: seed, for: "later")
    rates = Rates(dice: &dice, later: &later)
    // Settings by command would hide what is told wrong on purpose.
    if breakage != nil { rates.end(.ordered) }
    let drawn = dice.spread(3600, 21_600) - 1500
    let length = hours.map { $0 * 3600 } ?? drawn
    road = Road(dice: &dice, turning: Dice(seed: seed, for: "turns"), length: length + 4000)
    receiver = Receiver(
      dice: Dice(seed: seed, for: "receiver"), time: ReceiverTime(dice: Dice(seed: seed, for: "time")),
      ground: ReceiverGround(dice: Dice(seed: seed, for: "ground")),
      line: ReceiverLine(dice: Dice(seed: seed, for: "serial")),
      haze: ReceiverHaze(dice: Dice(seed: seed, for: "haze")))
    disk = Disk(dice: Dice(seed: seed, for: "disk"))
    vfs = DiskVFS(disk)
    var antenna = Dice(seed: seed, for: "antenna")
    radio = Radio(
      dice: Dice(seed: seed, for: "radio"), stops: road.stops, sharesAntenna: antenna.chance(0.3))
    wanderers = Wanderers(dice: Dice(seed: seed, for: "wanderers"))
    scenario = Scenario(
      dice: Dice(seed: seed, for: "people"), later: Dice(seed: seed, for: "afar"),
      whims: Dice(seed: seed, for: "whims"), road: road, radio: radio)
    handshakeDice = Dice(seed: seed, for: "handshake")
    muteDice = Dice(seed: seed, for: "mute")
    scenario.listen(&handshakeDice)
    scenario.connect(&handshakeDice)
    scenario.drawEdges(Dice(seed: seed, for: "edges"))
    scenario.drawTwins(Dice(seed: seed, for: "twins"))
    scenario.holdDown(Dice(seed: seed, for: "held"))
    scenario.drawTurns(Dice(seed: seed, for: "forgotten"))
    way = Way(dice: Dice(seed: seed, for: "way"))
    dwells = DwellWatch(dice: Dice(seed: seed, for: "restless"))
    voltage = Voltage(dice: Dice(seed: seed, for: "volts"))
    insistence = Insistence(dice: Dice(seed: seed, for: "insistence"), isPresent: breakage == nil)
    rival = Rival(dice: Dice(seed: seed, for: "rival"), isPresent: breakage == nil)
    // What is wrong on purpose is to be found in the worlds that it was first found in.
    if breakage?.isOfFeatures ?? true {
      scenario.drawFeatures(seed: seed)
      scenario.drawJam(Dice(seed: seed, for: "jam"), &rates)
    }
    if breakage == nil {
      scenario.drawRarities(seed: seed)
      receiver.hops = ReceiverHops(dice: Dice(seed: seed, for: "hops"))
      scenario.drawBeacons(seed: seed, &radio, mayRide: wanderers.mayBeElsewhere)
    }
    configuration = scenario.configuration
    encoder = Encoder(configuration, hostName: "board")
    faultDice = Dice(seed: seed, for: "faults")
    wireDice = Dice(seed: seed, for: "wire")
    lineDice = Dice(seed: seed, for: "line")
    answerDice = Dice(seed: seed, for: "answers")
    hazeDice = Dice(seed: seed, for: "spells")
    hiccup = Hiccup(dice: Dice(seed: seed, for: "hiccup"))
    stuck = Stuck(dice: Dice(seed: seed, for: "stuck"), mayBe: breakage == nil)
    silenceDice = Dice(seed: seed, for: "silence")
    server.learn(scenario.configuration.broker.protocolLevel, &handshakeDice)
    var addresses = Dice(seed: seed, for: "addresses")
    server.isIPv6Alone = addresses.chance(0.1) && breakage == nil
    var aliases = Dice(seed: seed, for: "aliases")
    server.aliasMaximum = aliases.pick([0, 10, 10])
    server.receiveMaximum = dice.chance(0.3) ? dice.whole(1...50) : nil
    faultsEnd = .zero + .seconds(max(600, length))
    // Two pings and what a slow line needs for a backlog.
    rest = faultsEnd + .seconds(2400)
    end = rest + .seconds(180)
  }

  /// The store goes before the disk that it would still roll back on.
  deinit {
    disk.killHandles()
    desk?.abandon()
    desk = nil
  }

  /// The judges' word on this run's ledger, or on one that was changed.
  public func judge(_ ledger: Ledger) -> [Complaint] { Judge.all(ledger, road) }

  /// Runs it all, to the end.
  public func run() -> Outcome {
    begin()
    while let next = schedule.next {
      if let deadline = nextDeadline, deadline <= next {
        now = max(now, deadline)
        tick()
        continue
      }
      guard next < end, let entry = schedule.take() else { break }
      now = entry.at
      happen(entry.what)
    }
    now = end
    ledger.ended = end
    finish()
    return Outcome(of: self)
  }

  /// A line of the story; costs nothing where nobody listens.
  func tell(_ line: @autoclosure () -> String) {
    guard let narrator else { return }
    narrator("\(Double(now.nanoseconds / 1_000_000) / 1000) s  \(line())")
  }

  private func begin() {
    boot()
    schedule.add(.beat, at: .zero + .seconds(1))
    schedule.add(.faultsEnd, at: faultsEnd)
    schedule.add(.receiverRests, at: rest)
    schedule.add(.probe, at: rest)
    for fault in Fault.allCases where !fault.isProbability && rates[fault] > 0 { planNext(fault) }
  }

  /// The daemon's timer.
  private var nextDeadline: Instant? {
    guard isRunning, !isStopping, let deadline = tracker?.nextDeadline else { return nil }
    return clock.truth(of: deadline)
  }

  private var ticksHere = 0
  private var lastTick = Instant.zero

  private func tick() {
    ticksHere = lastTick == now ? ticksHere + 1 : 0
    lastTick = now
    precondition(ticksHere < 10_000, "seed \(seed): the tracker's deadline never passes")
    wakefulness.ticked()
    wake(.tick)
  }

  private func happen(_ what: Happening) {
    switch what {
    case .beat: beat()
    case .reading(let reading, let life):
      if breakage == .receiverIsNotHeard, now > .zero + .seconds(120) { return }
      if life == self.life {
        approach.hear(reading, at: BoardClock.truth(now))
        choice.hear(reading)
        coldStart.hear(reading, at: now)
        wake(.reading(reading))
      }
    case .processStart: startProcess()
    case .storeOpened(let life): if life == self.life { openStore() }
    case .storeReopens(let life): if life == self.life { reopenStore() }
    case .storeTakesUp(let earlier, let life): if life == self.life, takingUp == nil { handOver(to: earlier) }
    case .diskDone(let life): if life == self.life { diskDone() }
    case .diskTriesAgain(let life):
      guard life == self.life else { return }
      desk?.tryAgain()
      runDesk()
    case .processEnd(let life): if life == self.life { endProcess() }
    case .boot: boot()
    case .switchesOff(let life): if life == self.life { switchOff() }
    case .synchronised(let boot): if boot == boots, isPowered { synchronise() }
    case .alarm(let alarm, let instant, let life): if life == self.life { rings(alarm, at: instant) }
    case .client(let step, let turn, let life):
      if turn == client.turn, life == self.life { happens(step) }
    case .clientLooks(let connection): look(at: connection)
    case .packet(let packet): arrived(packet)
    case .answer(let connection, let answer): answered(connection, answer)
    case .looksAtAnswers(let life):
      if life == self.life {
        lookAtAnswers()
        if !isStopping { drain() }
      }
    case .connectionLost(let connection, let cause):
      if client.connection == connection { connectionLost(cause) }
    case .probe: probe()
    case .clears(let life): if life == self.life { control(.queueClear) }
    case .strikes(let fault): strike(fault)
    case .ends(let fault): repair(fault)
    case .faultsEnd: faultsStop()
    case .receiverRests: rested()
    }
  }
}
