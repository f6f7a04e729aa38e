import Core
import Host
import Loop
import Model
import OwnTracks
import Timebase

/// Inputs wired to the board: its battery, the vehicle's, the ignition, the air's pressure, and the news that the
/// power is going.
final class BoardInputs {
  /// Air is slow.
  private static let pressureSpan = Span.seconds(10)
  /// A reading takes some milliseconds of the loop's time; a bus that hangs takes a second of it, and gives nothing.
  private static let (hung, hungSpan) = (Span.milliseconds(500), Span.minutes(60))

  private let barometer = Barometer()
  /// Found at the last reading.
  private(set) var hasBarometer = false
  let health: BoardHealthWatch
  let papers: BoardPapers
  private let loop: EventLoop
  private let worker: Worker
  private let host: TrackerHost
  private let log: ServiceLog
  private var nextPressure = Instant.zero
  private var isRare = false
  private var power: PowerSupply?
  /// Nil where the kernel knows the battery.
  private(set) var gauge: BatteryGauge?
  private var powerFail: PowerFailInput?
  private var ignition: InputLine?
  private var sos: InputLine?
  private var voltage: VoltageGauge?

  /// `worker` is for the network, `disk` for files; `directory`: the store's.
  init(
    loop: EventLoop, worker: Worker, disk: Worker, host: TrackerHost, directory: String, log: ServiceLog
  ) {
    self.loop = loop
    self.worker = worker
    self.host = host
    self.log = log
    health = BoardHealthWatch(directory: directory) { line, isWrong in
      log.say(isWrong ? .warning : .info, "the board: \(line)")
    }
    papers = BoardPapers(loop: loop, worker: disk, directory: directory) { host.post(.presenceDoubted) }
  }

  func start(_ settings: Configuration) throws(LoopError) {
    papers.configure(certificate: settings.tls.clientCertificate)
    try configureBattery(settings)
    configurePowerFail(settings)
    configureIgnition(settings)
    configureSOS(settings)
    configureVehicleBattery(settings)
    configureWake(settings)
    measurePressure()
  }

  /// Only what has other keys now is opened anew.
  func adopt(_ new: Configuration, after old: Configuration) {
    closeLines(new.power, old.power)
    if new.power.powerFailInput != old.power.powerFailInput { configurePowerFail(new) }
    if new.power.ignitionInput != old.power.ignitionInput { configureIgnition(new) }
    if new.power.sosInput != old.power.sosInput { configureSOS(new) }
    if new.power.vehicleBattery != old.power.vehicleBattery { configureVehicleBattery(new) }
    let isOtherBattery =
      new.power.batterySource != old.power.batterySource
      || new.power.batteryVoltages != old.power.batteryVoltages
    if isOtherBattery { try? configureBattery(new) }
    papers.configure(certificate: new.tls.clientCertificate)
    if new.power.longestSleep != old.power.longestSleep { configureWake(new) }
  }

  /// One line may become another's, and the kernel gives it to one at a time.
  private func closeLines(_ new: Configuration.Power, _ old: Configuration.Power) {
    if new.powerFailInput != old.powerFailInput { powerFail?.close() }
    if new.ignitionInput != old.ignitionInput { ignition?.close() }
    if new.sosInput != old.sosInput { sos?.close() }
  }

  /// Gauges wake a board that sleeps: they are read more rarely while nothing depends on the next reading.
  func pace(isRare: Bool) {
    if isRare != self.isRare { change(isRare: isRare) }
  }

  /// On its own, since the other is called with every fix.
  private func change(isRare: Bool) {
    self.isRare = isRare
    power?.pace(isRare: isRare)
    gauge?.pace(isRare: isRare)
    voltage?.pace(isRare: isRare)
  }

  /// When the loop wakes up anyway.
  func look() {
    health.look(at: loop.now.instant)
    papers.look()
  }

  /// For a fix that may be published.
  func measurePressure() {
    guard loop.now.instant >= nextPressure else { return }
    let before = SystemClock.instant()
    let pressure = barometer.pressure()
    let taken = SystemClock.instant() - before
    hasBarometer = pressure != nil
    host.post(.pressureMeasured(pressure))
    nextPressure = loop.now.instant + Self.pause(afterReadingFor: taken, isFound: hasBarometer)
    guard nextPressure - loop.now.instant > Self.pressureSpan else { return }
    log.say(
      .warning,
      "the barometer did not answer for \(Int(taken.seconds * 1000)) ms: it is read once an hour until it does; see dmesg"
    )
  }

  /// Until the next one: everything else waits for it.
  static func pause(afterReadingFor taken: Span, isFound: Bool) -> Span {
    !isFound && taken > hung ? hungSpan : pressureSpan
  }

  private func configureWake(_ settings: Configuration) {
    guard settings.power.longestSleep > 0 else { return }
    let alarm = WakeAlarm()
    let (isThere, fault) = (alarm.isThere, alarm.fault)
    host.post(.wakeAlarm(isThere))
    if isThere, let fault {
      log.say(.warning, "\(OwnersProgram.wake) \(fault): the board's own clock is to wake it")
    }
    guard !isThere else { return }
    log.say(
      .warning,
      "\(settings.power.parkedWake > 0 ? "parkedWake" : "batterySteps"): nothing can wake this board: no clock below /sys/class/rtc has an alarm, and "
        + (fault.map { "\(OwnersProgram.wake) \($0)" } ?? "there is no \(OwnersProgram.wake)"))
  }

  private func configurePowerFail(_ settings: Configuration) {
    powerFail?.close()
    powerFail = settings.power.powerFailInput.value.map { source in
      PowerFailInput(loop: loop, source: source) { [host, log] event in
        switch event {
        case .failing:
          host.post(.powerFailing)
          log.say(.warning, "the power is failing: everything goes to the disk")
        case .back: log.say(.info, "the power is back")
        case .trouble(let why): log.say(.error, "powerFailInput: \(why)")
        }
      }
    }
  }

  private func configureIgnition(_ settings: Configuration) {
    ignition?.close()
    ignition = nil
    // A level read from another pin does not hold for this one.
    host.post(.ignition(nil))
    guard let source = settings.power.ignitionInput.value else { return }
    ignition = InputLine(loop: loop, source: source, key: "ignitionInput") { [host, log] event in
      switch event {
      case .level(let isOn):
        host.post(.ignition(isOn))
        log.say(.info, "the ignition is \(isOn ? "on" : "off")")
      case .trouble(let why):
        host.post(.ignition(nil))
        log.say(.error, "ignitionInput: \(why)")
      }
    }
  }

  private func configureSOS(_ settings: Configuration) {
    if let sos {
      sos.close()
      host.post(.sosLine(nil))
    }
    sos = nil
    guard let source = settings.power.sosInput.value else { return }
    sos = InputLine(loop: loop, source: source, key: "sosInput") { [host, log] event in
      switch event {
      case .level(let isOn): host.post(.sosLine(isOn))
      case .trouble(let why):
        host.post(.sosLine(nil))
        log.say(.error, "sosInput: \(why)")
      }
    }
  }

  private func configureVehicleBattery(_ settings: Configuration) {
    voltage?.close()
    voltage = nil
    guard let source = settings.power.vehicleBattery.value else { return host.post(.vehicleVolts(nil)) }
    voltage = VoltageGauge(loop: loop, worker: worker, source: source) { [host, log] event in
      switch event {
      case .measured(let volts): host.post(.vehicleVolts(volts))
      case .trouble(let why): log.say(.warning, "vehicleBattery: \(why)")
      case .well: log.say(.info, "the voltage of the vehicle's battery is known again")
      }
    }
    voltage?.pace(isRare: isRare)
  }

  private func configureBattery(_ settings: Configuration) throws(LoopError) {
    power?.close()
    gauge?.close()
    (power, gauge) = (nil, nil)
    let source = settings.power.batterySource.value ?? .auto
    guard source != .auto, let table = settings.power.batteryVoltages.value else {
      power = try PowerSupply(loop: loop) { [host] event in
        switch event {
        case .batteryChanged(let battery): host.post(.batteryChanged(battery))
        }
      }
      power?.pace(isRare: isRare)
      return
    }
    gauge = BatteryGauge(loop: loop, worker: worker, source: source, table: table) { [host, log] event in
      switch event {
      case .batteryChanged(let battery): host.post(.batteryChanged(battery))
      case .trouble(let why): log.say(.warning, "battery unknown: \(why)")
      case .well: log.say(.info, "the battery's level is known again")
      }
    }
    gauge?.pace(isRare: isRare)
  }
}
