import Model
import Timebase

/// State of the board as published to others, and the parts of it that they may have wrong.
///
///     published ──a new connection, another mode or setting, a doubt of the broker──▶ in doubt ──taken──▶ published
struct Announcement {
  /// Regions that are shown, at most: each costs a message and an entity.
  static let shownRegions = 100
  /// Descriptions are told again so often in a row, and then once in so long: anybody may pretend to start.
  static let repeatLimit = (burst: 5, span: Span.minutes(1))
  /// By now the consumers of a newly described entity have subscribed to its state: it is published once more for them.
  static let secondWord = Span.seconds(10)
  /// Messages that wait are told of once something has waited for so long, and so often.
  static let waiting = Span.minutes(1)
  /// Home Assistant is told how the board is at least so often, and where it was never heard to start, more often: it
  /// takes the board to be gone from its start on until it hears from it.
  static let rhythm = (heard: Span.minutes(60), unheard: Span.minutes(10))

  /// From this share of the interval on, the state of the board goes out with the next message: the modem is awake then.
  static let early = 0.75

  /// A description that the broker keeps.
  struct Kept: Hashable {
    var topic: String
    /// Of what it says; nil: it has to be told again, whatever it said.
    var digest: Int?
  }

  /// For those who go by the age of the last word.
  struct Heartbeat {
    /// By when, and from when on, it is told again how the board is; nil: when there is something to tell.
    var nextWord: (due: Instant, early: Instant)?
    /// By when Home Assistant is; nil: it is not shown there.
    var nextShown: Instant?
    /// The last word has no date, and so no age.
    var isUndated = false
    /// As soon as nothing waits.
    var isWordOwed = false
  }

  /// Steps after which exactly the wanted entities are shown.
  struct Steps {
    /// Topics of what is to be taken back.
    var gone: [String] = []
    /// Entities to publish, as indices of the wanted ones.
    var toPublish: [Int] = []
  }

  /// Something has happened that those who watch us over the network should know.
  private var isPresenceInDoubt = false
  private var isDiscoveryInDoubt = false
  private var isPlaceInDoubt = false
  /// All of it has to be told again as soon as that may be.
  private var isRepeatOwed = false
  private var turns = RateLimit(burst: Announcement.repeatLimit.burst, span: Announcement.repeatLimit.span)
  /// Home Assistant was heard to start.
  private var isBirthHeard = false
  private(set) var kept: [Kept]
  /// Topics of descriptions that are being taken back: until that is delivered somebody may drop it from the queue.
  private var leaving: [String] = []
  /// Topics on which the broker keeps a word of ours: one, and another where the board had another name.
  private(set) var words: [String]
  /// The descriptions on the previous broker were taken back on leaving it. Not acknowledged, so they are kept here.
  private(set) var isTakenBack: Bool
  /// Among the topics in the store, where that is so.
  private static let takenBack = "taken back"
  /// Of all three, as the store has them.
  private var written: [String]
  /// A person removes the tracker.
  private var isWithdrawn = false
  /// The last location that was told, with the time that it was told with; nil: none, as far as is known.
  private(set) var place: Fix?
  /// Messages that wait, as they were told of; nil: not told yet.
  private(set) var publishedWaiting: Int?
  /// Since when something waits; nil: nothing does.
  private var waitingSince: Instant?
  private var heartbeat = Heartbeat()
  /// The board has, or had since the start, what such an entity shows.
  private(set) var hasBattery = false
  private(set) var hasIgnition = false
  private(set) var hasVolts = false
  private(set) var hasSOS = false

  /// `topics`: of what an earlier start has left with the broker; `place`: the last location that it has told.
  init(topics: [String] = [], place: Fix? = nil) {
    self.place = place
    written = topics
    isTakenBack = topics.contains(Self.takenBack)
    words = topics.filter(Self.isWord)
    kept = topics.filter { !Self.isWord($0) && $0 != Self.takenBack }.map { Kept(topic: $0, digest: nil) }
  }

  /// Those of descriptions end with `/config`.
  private static func isWord(_ topic: String) -> Bool { topic.hasSuffix("/status") }

  var isDue: Bool { isPresenceInDoubt || isDiscoveryInDoubt || isPlaceInDoubt }
  /// A consumer that looks now may find no place, or one with old regions.
  var isPlaceDue: Bool { isPlaceInDoubt }
  /// Of descriptions that the broker may keep.
  var topics: [String] { kept.map(\.topic) + leaving }
  /// The last word has no age.
  var isUndated: Bool { heartbeat.isUndated }
  var isTakingBack: Bool { !leaving.isEmpty }
  /// The broker may keep something of ours.
  var isAnythingKept: Bool { !kept.isEmpty || !words.isEmpty || !leaving.isEmpty }

  mutating func presenceDoubted() { isPresenceInDoubt = true }
  mutating func discoveryDoubted() { isDiscoveryInDoubt = true }
  mutating func placeDoubted() { isPlaceInDoubt = place != nil }
  mutating func allDoubted() { (isPresenceInDoubt, isDiscoveryInDoubt) = (true, true) }

  /// A location goes out, which says all that there is to say of the place.
  mutating func published(place: Fix) { (self.place, isPlaceInDoubt) = (place, false) }

  /// Nobody can be sure to have seen what was shown: all of it is shown again when discovery is due.
  mutating func forgetShown() {
    kept += leaving.map { Kept(topic: $0, digest: nil) }
    leaving = []
    for index in kept.indices { kept[index].digest = nil }
    isRepeatOwed = false
  }

  /// The broker has lost what it kept, or Home Assistant has just started.
  mutating func forgotten(isBirth: Bool, deadlines: inout Deadlines, at now: Instant) {
    if isBirth { isBirthHeard = true } else { placeDoubted() }
    isPresenceInDoubt = true
    if turns.take(at: now) { return repeatAll() }
    isRepeatOwed = true
    deadlines.arm(.announcement, by: now + Self.repeatLimit.span)
  }

  private mutating func repeatAll() {
    forgetShown()
    isDiscoveryInDoubt = true
  }

  /// That broker is left, and was told so as far as that can be known.
  mutating func brokerLeft() { isTakenBack = !kept.isEmpty }

  /// Nothing is kept any more, and nothing is wanted.
  mutating func withdrawn() { (kept, leaving, isTakenBack, isWithdrawn) = ([], [], false, true) }

  /// Consumers that have just heard of an entity listen to its state soon.
  mutating func described(deadlines: inout Deadlines, at now: Instant) {
    let soon = now + Self.secondWord
    heartbeat.nextShown = heartbeat.nextShown.map { min($0, soon) } ?? soon
    deadlines.arm(.announcement, by: soon)
  }

  /// All that was to be taken back is.
  mutating func queueEmptied() { leaving = [] }

  /// The word is on this topic; those that are to be taken back.
  mutating func wordIsKept(on topic: String) -> [String] {
    defer { words = [topic] }
    return words.filter { $0 != topic }
  }

  /// The board is called otherwise from here on, or never again.
  mutating func forgetWords(but topic: String? = nil) -> [String] {
    defer { words = words.filter { $0 == topic } }
    return words.filter { $0 != topic }
  }

  /// Topics for the store to write; nil: it has them.
  mutating func newTopics() -> [String]? {
    let now = topics + words + (isTakenBack ? [Self.takenBack] : [])
    guard now != written else { return nil }
    written = now
    return now
  }

  mutating func batteryFound() {
    if !hasBattery { (hasBattery, isDiscoveryInDoubt) = (true, true) }
  }

  mutating func ignitionFound() {
    if !hasIgnition { (hasIgnition, isDiscoveryInDoubt) = (true, true) }
  }

  mutating func voltsFound() {
    if !hasVolts { (hasVolts, isDiscoveryInDoubt) = (true, true) }
  }

  /// A call for help has begun, here or before the start.
  mutating func sosFound() { (hasSOS, isDiscoveryInDoubt, isPresenceInDoubt) = (true, true, true) }

  /// Takes over what adapters reported to an earlier tracker of this process.
  mutating func goOn(from earlier: Announcement) {
    (hasBattery, hasIgnition, hasVolts) = (earlier.hasBattery, earlier.hasIgnition, earlier.hasVolts)
    hasSOS = earlier.hasSOS
    isBirthHeard = earlier.isBirthHeard
    place = earlier.place ?? place
  }

  /// The parts in doubt; they count as told from then on.
  mutating func take() -> (presence: Bool, discovery: Bool, place: Bool) {
    defer { (isPresenceInDoubt, isDiscoveryInDoubt, isPlaceInDoubt) = (false, false, false) }
    return (isPresenceInDoubt, isDiscoveryInDoubt, isPlaceInDoubt)
  }

  // MARK: How the board is

  /// It was told that so many messages wait. `isShown`: Home Assistant is to hear of it again in time; `interval`: so
  /// are those who go by the age of the last message.
  mutating func published(
    waiting: Int, isShown: Bool, interval: Span? = nil, isDated: Bool = true, deadlines: inout Deadlines,
    at now: Instant
  ) {
    publishedWaiting = waiting
    heartbeat.nextWord = interval.map { (now + $0, now + .seconds($0.seconds * Self.early)) }
    heartbeat.isUndated = interval != nil && !isDated
    heartbeat.isWordOwed = false
    heartbeat.nextShown = isShown ? now + (isBirthHeard ? Self.rhythm.heard : Self.rhythm.unheard) : nil
    deadlines[.announcement] = heartbeat.nextShown
    if let nextWord = heartbeat.nextWord { deadlines.arm(.announcement, by: nextWord.due) }
    if isRepeatOwed { deadlines.arm(.announcement, by: now + Self.repeatLimit.span) }
  }

  /// So many messages wait now. What comes and goes within a moment is nothing to tell.
  mutating func counted(waiting: Int, deadlines: inout Deadlines, at now: Instant) {
    guard let publishedWaiting else { return }
    if waiting == 0 {
      waitingSince = nil
      if publishedWaiting != 0 || heartbeat.isWordOwed { isPresenceInDoubt = true }
    } else if waitingSince == nil || waiting != publishedWaiting {
      waitingSince = waitingSince ?? now
      deadlines.arm(.announcement, by: now + Self.waiting)
    }
  }

  /// Its own time is over, or that of something else for which the same deadline is armed.
  mutating func intervalIsOver(deadlines: inout Deadlines, at now: Instant) {
    guard let nextWord = heartbeat.nextWord else { return }
    guard now < nextWord.due else {
      isPresenceInDoubt = true
      return
    }
    deadlines.arm(.announcement, by: nextWord.due)
  }

  /// Something else goes out. Once it is delivered, so that no more than one word has to be said of it.
  mutating func somethingGoesOut(at now: Instant) {
    if let nextWord = heartbeat.nextWord, now >= nextWord.early { heartbeat.isWordOwed = true }
  }

  /// There is something to tell, as soon as nothing waits.
  mutating func wordOwed() { heartbeat.isWordOwed = true }

  /// The time is over, or that of something else for which the same deadline is armed: is there anything to say?
  /// `waiting` messages wait.
  mutating func timeIsOver(waiting: Int, deadlines: inout Deadlines, at now: Instant) {
    if isRepeatOwed, turns.take(at: now) { repeatAll() }
    if isRepeatOwed { deadlines.arm(.announcement, by: now + Self.repeatLimit.span) }
    let isWaiting = waitingSince.map { now - $0 >= Self.waiting } ?? false
    if isWaiting && waiting != publishedWaiting { isPresenceInDoubt = true }
    guard let nextShown = heartbeat.nextShown else { return }
    if now >= nextShown { isPresenceInDoubt = true } else { deadlines.arm(.announcement, by: nextShown) }
  }

  // MARK: What is shown

  /// `wanted`: topics and digests of the descriptions, in the order in which they are told.
  mutating func show(_ wanted: [Kept]) -> Steps {
    var steps = Steps()
    isTakenBack = false
    let topics = Set(wanted.map(\.topic))
    assert(topics.count == wanted.count, "two entities of one topic hide each other")
    steps.gone = kept.map(\.topic).filter { !topics.contains($0) }
    leaving = leaving.filter { !topics.contains($0) } + steps.gone
    let shown = Dictionary(kept.map { ($0.topic, $0) }, uniquingKeysWith: { first, _ in first })
    steps.toPublish = wanted.indices.filter { index in
      guard let digest = shown[wanted[index].topic]?.digest else { return true }
      return digest != wanted[index].digest
    }
    kept = wanted
    return steps
  }
}

extension Announcement {
  /// Entities that the configuration allows and that can have a value.
  func wanted(_ configuration: Configuration, _ tracked: [RegionEngine.Tracked]) -> [DiscoveryReport] {
    // Home Assistant could not read an encrypted state.
    guard !isWithdrawn, configuration.dashboard.discovery, configuration.messages.encryptionKey.isEmpty,
      configuration.transport == .mqtt
    else { return [] }
    var board: [DiscoveredEntity] = [.place]
    if hasBattery { board += [.battery, .charging] }
    if configuration.reports.extendedData { board += [.speed, .altitude, .course] }
    board += [.accuracy, .seen, .queue, .mode, .network, .satellites, .dataMonth]
    if hasIgnition { board.append(.ignition) }
    if hasVolts { board.append(.vehicleVolts) }
    let canCall = hasSOS || !configuration.power.sosInput.text.isEmpty
    if canCall { board.append(.sos) }
    if configuration.receiver.watchesJamming { board += [.jamming, .spoofing] }
    if configuration.power.longestSleep > 0 { board.append(.nextCheckIn) }
    if configuration.power.batterySteps.value?.limits.isEmpty == false { board.append(.batteryStep) }
    // No location says that the board is in a private one.
    let regions = tracked.map(\.region).filter {
      $0.isShared && $0.isMonitored && !$0.isFollow && !$0.hidesReports
    }
    board += Self.journey(configuration, tracked)
    let orders = configuration.commands
    let isOrdered = configuration.broker.sub && orders.isOn && !orders.requireEncrypted
    if isOrdered, orders.allowRemoteLocation { board.append(.locate) }
    if isOrdered, canCall { board.append(.acknowledgeSOS) }
    let isModeChosen = isOrdered && orders.remoteConfiguration
    if isModeChosen { board.append(.anchorAlarm) }
    if configuration.journey.alarmMessages, isModeChosen || configuration.journey.anchorAlarm > 0 {
      board.append(.anchor)
    }
    return board.map { DiscoveryReport($0, isModeChosen: isModeChosen) }
      + Self.unique(regions).prefix(Self.shownRegions)
      .map { .init(.region(rid: $0.rid, name: $0.eventName)) }
  }

  private static func journey(
    _ configuration: Configuration, _ tracked: [RegionEngine.Tracked]
  ) -> [DiscoveredEntity] {
    let journey = configuration.journey
    var entities: [DiscoveredEntity] = []
    if journey.odometer { entities.append(.odometer) }
    if journey.trips { entities.append(.trip) }
    guard journey.alarmMessages else { return entities }
    if journey.towAlarm > 0 { entities.append(.tow) }
    if journey.overspeed > 0 || tracked.contains(where: { $0.region.speedLimit != nil }) {
      entities.append(.overspeed)
    }
    if journey.harsh.isOn { entities.append(.harsh) }
    return entities
  }

  /// Ids from outside may differ in what a topic cannot hold; the first of them is shown then.
  private static func unique(_ regions: [Region]) -> [Region] {
    var keys: Set<String> = []
    return regions.filter { keys.insert(DiscoveredEntity.region(rid: $0.rid, name: "").key).inserted }
  }
}
