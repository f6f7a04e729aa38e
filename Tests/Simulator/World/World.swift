import Model
import Timebase
import Uplink

/// One run: a seed goes in, everything that reached the broker comes out, and what the judges say of it.
///
/// The real `Core`, the real message code and the real store file run in it under a virtual clock; road,
/// receiver, clock, disk, network, broker and people are the world's, and so are their faults. A run has
/// two phases: first faults strike, and nothing wrong may leave; then they stop, everything that is owed
/// arrives, and it goes quiet.
public final class World {
  /// Indirect: the heap of the schedule moves its entries about, and some are large.
  indirect enum Happening {
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

  let seed: UInt64
  /// What is wrong on purpose, for the tests of the judges.
  let breakage: Breakage?
  /// Hears what happens as it happens, for people who look into one seed.
  public var narrator: ((String) -> Void)?

  /// World's time.
  private(set) var now = Instant.zero
  var schedule = Schedule<Happening>()
  var phases: Phases
  let faults: Faults

  let road: Road
  var receiver: Receiver
  var air: Air
  var board: Board
  let card: Card
  let line: Line
  let people: People

  // The process, and its MQTT client
  let process: Process
  var client = Client()

  // Who looks
  var ledger = Ledger()
  let evidence = Evidence()
  private var judges = Bench.judges
  /// The tracker's deadline, and how often it has rung at one moment.
  private var tick = (at: Instant.zero, count: 0)

  /// `hours`: how long faults strike; a seed decides it otherwise.
  public init(seed: UInt64, breakage: Breakage? = nil, hours: Double? = nil) {
    self.seed = seed
    self.breakage = breakage
    func dice(_ part: String) -> Dice { Dice(seed: seed, for: part) }
    var (world, later) = (dice("world"), dice("later"))
    var rates = Rates(dice: &world, later: &later)
    // Settings by command would hide what is told wrong on purpose.
    if breakage != nil { rates.end(.ordered) }
    let drawn = world.spread(3600, 21_600) - 1500
    let length = hours.map { $0 * 3600 } ?? drawn
    phases = Phases(length)
    road = Road(dice: &world, turning: dice("turns"), length: length + 4000)
    receiver = Receiver(
      dice: dice("receiver"), time: ReceiverTime(dice: dice("time")),
      ground: ReceiverGround(dice: dice("ground")), line: ReceiverLine(dice: dice("serial")),
      haze: ReceiverHaze(dice: dice("haze")))
    card = Card(seed: seed)
    var antenna = dice("antenna")
    var radio = Radio(dice: dice("radio"), stops: road.stops, sharesAntenna: antenna.chance(0.3))
    let wanderers = Wanderers(dice: dice("wanderers"))
    var scenario = Scenario(
      dice: dice("people"), later: dice("afar"), whims: dice("whims"), road: road, radio: radio)
    var handshake = dice("handshake")
    scenario.listen(&handshake)
    scenario.connect(&handshake)
    scenario.drawEdges(dice("edges"))
    scenario.drawTwins(dice("twins"))
    scenario.holdDown(dice("held"))
    scenario.drawTurns(dice("forgotten"))
    // What is wrong on purpose is to be found in the worlds that it was first found in.
    if breakage?.isOfFeatures ?? true {
      scenario.drawFeatures(seed: seed)
      scenario.drawJam(dice("jam"), &rates)
    }
    if breakage == nil {
      scenario.drawRarities(seed: seed)
      receiver.hops = ReceiverHops(dice: dice("hops"))
      scenario.drawBeacons(seed: seed, &radio, mayRide: wanderers.mayBeElsewhere)
    }
    air = Air(radio: radio, wanderers: wanderers, dice: dice("silence"))
    board = Board(voltage: Voltage(dice: dice("volts")))
    faults = Faults(rates, seed: seed)
    process = Process(scenario.configuration)
    people = People(scenario, seed: seed, isPlain: breakage == nil || breakage == .callsAreForgotten)
    line = Line(seed: seed, handshake: handshake, isPlain: breakage == nil)
    line.server.learn(scenario.configuration.broker.protocolLevel, &line.handshakeDice)
    var (addresses, aliases) = (dice("addresses"), dice("aliases"))
    line.server.isIPv6Alone = addresses.chance(0.1) && breakage == nil
    line.server.aliasMaximum = aliases.pick([0, 10, 10])
    line.server.receiveMaximum = world.chance(0.3) ? world.whole(1...50) : nil
  }

  /// The store goes before the disk that it would still roll back on.
  deinit {
    card.disk.killHandles()
    process.desk?.abandon()
    process.desk = nil
  }

  /// The judges' word on this run's ledger, or on one that was changed.
  func judge(_ ledger: Ledger) -> [Complaint] { Court.judge(ledger, road) }

  /// Runs it all, to the end.
  public func run() -> Outcome {
    begin()
    while let next = schedule.next {
      if let deadline = wakeAt, deadline <= next {
        now = max(now, deadline)
        ring()
        continue
      }
      guard next < phases.end, let entry = schedule.take() else { break }
      now = entry.at
      happen(entry.what)
    }
    now = phases.end
    ledger.ended = now
    finish()
    return Outcome(of: self)
  }

  /// A line of the story; costs nothing where nobody listens.
  func tell(_ line: @autoclosure () -> String) {
    guard let narrator else { return }
    narrator("\(Double(now.nanoseconds / 1_000_000) / 1000) s  \(line())")
  }

  /// All that look are shown what happens.
  func show(_ what: Seen) {
    evidence.saw(what, in: self)
    for index in judges.indices { judges[index].saw(what, in: self) }
    evidence.judged(what, in: self)
  }

  private func begin() {
    boot()
    schedule.add(.beat, at: .zero + .seconds(1))
    schedule.add(.faultsEnd, at: phases.faultsEnd)
    schedule.add(.receiverRests, at: phases.rest)
    schedule.add(.probe, at: phases.rest)
    for fault in Fault.allCases where !fault.isProbability && faults.rates[fault] > 0 { planNext(fault) }
  }

  /// The daemon's timer.
  private var wakeAt: Instant? {
    guard process.isRunning, !process.isStopping, let deadline = tracker?.wakeAt else { return nil }
    return board.clock.truth(of: deadline)
  }

  private func ring() {
    tick = (now, tick.at == now ? tick.count + 1 : 0)
    precondition(tick.count < 10_000, "seed \(seed): the tracker's deadline never passes")
    wake(.tick)
  }

  private func happen(_ what: Happening) {
    switch what {
    case .beat: beat()
    case .reading(let reading, let life):
      if breakage == .receiverIsNotHeard, now > .zero + .seconds(120) { return }
      if life == self.life {
        show(.heard(reading))
        wake(.reading(reading))
      }
    case .processStart: startProcess()
    case .storeOpened(let life): if life == self.life { openStore() }
    case .storeReopens(let life): if life == self.life { reopenStore() }
    case .storeTakesUp(let earlier, let life):
      if life == self.life, process.takingUp == nil { handOver(to: earlier) }
    case .diskDone(let life): if life == self.life { diskDone() }
    case .diskTriesAgain(let life):
      guard life == self.life else { return }
      process.desk?.tryAgain()
      runDesk()
    case .processEnd(let life): if life == self.life { endProcess() }
    case .boot: boot()
    case .switchesOff(let life): if life == self.life { switchOff() }
    case .synchronised(let boot): if boot == board.boots, board.isPowered { synchronise() }
    case .alarm(let alarm, let instant, let life): if life == self.life { rings(alarm, at: instant) }
    case .client(let step, let turn, let life):
      if turn == client.turn, life == self.life { happens(step) }
    case .clientLooks(let connection): look(at: connection)
    case .packet(let packet): arrived(packet)
    case .answer(let connection, let answer): answered(connection, answer)
    case .looksAtAnswers(let life):
      if life == self.life {
        lookAtAnswers()
        if !process.isStopping { drain() }
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
