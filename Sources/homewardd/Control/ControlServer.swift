import Answers
import Core
import Host
import Loop
import Model
import OwnTracks
import Storage
import Timebase

/// Server of the control socket: clients' questions are answered here, by the tracker, or by the disk.
final class ControlServer {
  /// Posted on the loop's thread.
  enum Event {
    /// Read the file again; the answer goes to the sender.
    case reload(sender: UInt64)
    /// Open or close the connection to the server; the answer goes to the sender.
    case link(DaemonRequest.LinkOrder, sender: UInt64)
    /// Erase all location data; the answer goes to the sender when it is done.
    case wipe(StoreWipe.Extent, sender: UInt64)
  }

  /// For so long after each question the radio listens to everybody. A client that watches asks every second.
  private static let watch = Span.seconds(10)

  private let subsystems: Subsystems
  private let storage: StoreAccess
  private let started: Instant
  private let post: (Event) -> Void
  private let avatar: CardAvatar
  private let names: LocalFriends
  private var control: ControlSocket?
  private var isEnding = false

  /// `started`: when this program was; `friendNames`: the folder of what the owner calls others.
  init(
    _ subsystems: Subsystems, _ storage: StoreAccess, disk: Worker, started: Instant, friendNames: String,
    post: @escaping (Event) -> Void
  ) throws {
    names = LocalFriends(worker: disk, directory: friendNames) { [log = subsystems.log] event in
      if case .warning(let text) = event { log.say(.warning, text) }
    }
    avatar = CardAvatar(worker: disk, directory: subsystems.settings.configuration.board.stateDir)
    self.subsystems = subsystems
    self.storage = storage
    self.started = started
    self.post = post
    control = try ControlSocket(
      loop: subsystems.loop, path: subsystems.settings.configuration.board.controlSocket
    ) {
      [unowned self] in heard($0)
    }
    names.read()
  }

  func close() { control?.close() }

  /// The configuration is read again, and what lies beside it.
  func readFriendNames() { names.read() }

  /// No client is served any more but those that wait for an answer.
  func end() { isEnding = true }

  // MARK: Answers

  func answer(_ sender: UInt64, _ answer: JSON) { control?.answer(sender, answer.serialised()) }

  /// The tracker's word, and for `status` what the adapters add.
  func reply(_ answer: ControlAnswer, to sender: UInt64) {
    if case .status(let status) = answer {
      self.answer(sender, Answer.status(full(status)))
    } else {
      self.answer(sender, Answer.json(answer, subsystems.settings.encoder.topics))
    }
  }

  func recall(_ query: HistoryQuery, for sender: UInt64) {
    let encoder = subsystems.settings.encoder
    let isAsked = storage.history(query) { [unowned self] result in
      switch result {
      case .success(let points):
        answer(sender, HistoryQuery.answer(points, encoder, isLast: points.count < query.limit))
      case .failure(let error):
        answer(sender, Answer.failure("the store cannot be read: \(error.sentence)"))
      }
    }
    if !isAsked { answer(sender, Answer.failure("there is no store to read from")) }
  }

  /// If nothing can be sent again the answer is given at once, otherwise by the tracker.
  func takeRefused(first: UInt64, for sender: UInt64) {
    guard storage.isReadable else {
      return answer(sender, Answer.failure("nothing is sent again: there is no store to put it into"))
    }
    subsystems.connection.takeRefused(first: first) { [unowned self] taking in
      switch taking {
      case .nothing: answer(sender, Answer.done("nothing was refused: there is nothing to send again"))
      case .none(let count, let why):
        answer(sender, Answer.failure("nothing is sent again: none of \(count) can be: \(why)"))
      case .taken(let refused): subsystems.host.post(.refusedTaken(refused, for: sender))
      case .failed(let why): answer(sender, Answer.failure("nothing is sent again: \(why)"))
      }
    }
  }

  /// In one word, and what waits where that matters.
  var standing: String {
    guard let status = subsystems.host.status else { return "starting" }
    let configuration = subsystems.settings.configuration
    let standing = ServiceState(
      .init(
        isConfigured: status.isIdentityValid, fixAge: status.fixAge,
        fixAgeLimit: Self.fixAgeLimit(status, configuration),
        isRadioDead: subsystems.scanner.status.state == "waiting",
        isConnected: subsystems.connection.colour == .green || configuration.broker.port == 0,
        waiting: status.queue.count - status.queue.waitingOld - status.queue.waitingTogether,
        window: status.queue.window))
    let waiting = status.queue.count == 1 ? "1 message waits" : "\(status.queue.count) messages wait"
    return status.queue.count > 0 ? "\(standing.rawValue); \(waiting)" : standing.rawValue
  }

  /// Time that a fix may take, and the receiver's rest; nil: it is off.
  private static func fixAgeLimit(_ status: TrackerStatus, _ configuration: Configuration) -> Span? {
    let timeout = Span.seconds(configuration.reports.fixTimeout)
    guard let step = status.vehicle.step, step.step != nil else {
      return timeout + .seconds(configuration.receiver.dutyCycle)
    }
    return step.rest.map { timeout + $0 }
  }

  // MARK: Questions

  private func heard(_ event: ControlSocket.Event) {
    switch event {
    case .request(let id, let line, let isRoot):
      if isEnding { return answer(id, Answer.failure("the tracker is ending")) }
      subsystems.memory.grew()
      do {
        let words = try Request.words(line)
        let request = try Request(words: words, over: subsystems.settings.configuration)
        if case .tracker(.status) = request { subsystems.connection.tellCost() }
        if case .tracker = request { subsystems.recorder.note(words) }
        serve(request, for: id, byRoot: isRoot)
      } catch {
        answer(id, Answer.notUnderstood(error, by: Release.version))
      }
    }
  }

  private func serve(_ request: Request, for id: UInt64, byRoot isRoot: Bool) {
    switch request {
    case .tracker(.card(let card, let keepsFace)): publish(card, keepsFace: keepsFace, for: id)
    case .tracker(let request):
      subsystems.host.post(.control(request, from: id, byRoot: isRoot))
      if case .publish = request { subsystems.connection.hurry(isAsked: true) }
    case .store(let request): subsystems.host.post(.asked(request, from: id))
    case .friends(let request): answer(request, to: id)
    case .daemon(let request): serve(request, for: id, byRoot: isRoot)
    }
  }

  private func serve(_ request: DaemonRequest, for id: UInt64, byRoot isRoot: Bool) {
    switch request {
    case .reload: post(.reload(sender: id))
    case .link(let order): link(order, for: id)
    case .wipe(let isWhole): wipe(isWhole, for: id, byRoot: isRoot)
    case .settings:
      guard let status = subsystems.host.status else { return answer(id, Answer.failure("starting")) }
      control?.answer(id, subsystems.settings.answer(status))
    case .why(let why):
      // Without files of them: the tracker itself has the last hundred.
      guard let reasons = reasons(why) else { return subsystems.host.post(.control(.why, from: id)) }
      control?.answer(id, reasons)
    case .beacons(let ofStrangers): answer(id, beacons(ofStrangers: ofStrangers))
    case .recordings: sendRecordingPath(to: id)
    }
  }

  /// The Recorder takes a card without a picture for an empty picture: the last one is sent again.
  private func publish(_ card: FriendCard, keepsFace: Bool, for sender: UInt64) {
    guard card.face == nil, keepsFace else {
      // The answer says done: what it stands for is on the disk before.
      return avatar.keep(card.face) { [subsystems] why in
        if let why { subsystems.log.say(.warning, "the card's picture was not saved: \(why)") }
        subsystems.host.post(.control(.card(card), from: sender))
      }
    }
    avatar.read { [subsystems] face in
      subsystems.host.post(.control(.card(FriendCard(name: card.name, face: face)), from: sender))
    }
  }

  /// Where the recordings are, once all of them is there to be read.
  private func sendRecordingPath(to sender: UInt64) {
    guard let path = subsystems.recorder.path else {
      return answer(sender, Answer.failure("nothing is recorded: record is 0 (homeward config set record 8)"))
    }
    subsystems.recorder.flush { [unowned self] in
      var outcome = OutcomeRecord()
      (outcome.isDone, outcome.folder) = (true, path)
      answer(sender, outcome.answer)
    }
  }

  private func wipe(_ isWhole: Bool, for sender: UInt64, byRoot isRoot: Bool) {
    if subsystems.settings.configuration.commands.locked, !isRoot {
      return answer(sender, Answer.failure(Self.locked))
    }
    post(.wipe(isWhole ? .everything : .places, sender: sender))
  }

  /// A locked board is not cut off.
  private func link(_ order: DaemonRequest.LinkOrder, for sender: UInt64) {
    if order == .disconnect, subsystems.settings.configuration.commands.locked {
      return answer(sender, Answer.failure(Self.locked))
    }
    post(.link(order, sender: sender))
  }

  private func reasons(_ why: WhyRequest) -> [UInt8]? {
    subsystems.reasons.note(subsystems.host.takeReasons(evenCounts: true))
    return subsystems.reasons.answer(why)
  }

  private static let locked = "locked: the configuration allows no changes at the board"

  private func answer(_ request: FriendRequest, to sender: UInt64) {
    let (friends, settings, now) = (subsystems.friends, subsystems.settings, subsystems.host.wall)
    switch request {
    case .list(let after, let isAll, let isLook):
      let days = isAll ? 0 : settings.configuration.friends.ignoreStale
      let own = settings.encoder.topics.base
      friends.friends(after: after) { [unowned self] page in
        func list(_ board: Friend?, _ updates: Int?) -> JSON {
          FriendRequest.answer(
            page.map(names.named), own: own, now: now, days: days, isLast: page.count < FriendBook.page,
            board: board, updates: updates)
        }
        guard after.isEmpty else { return answer(sender, list(nil, nil)) }
        let updates =
          isLook ? subsystems.inbound.lookedAtFriends() : subsystems.inbound.traffic.friendUpdates
        friends.friend(own) { [unowned self] known in
          answer(sender, list(board(known?.friend.card, own), updates))
        }
      }
    case .show(let topic):
      friends.friend(topic) { [unowned self] found in
        guard let found else { return answer(sender, Answer.failure(FriendRequest.unknownFriend(topic))) }
        names.shown(found.friend) { [unowned self] friend in
          answer(sender, FriendRequest.answer(friend, found.places))
        }
      }
    case .forget(let topic, let isPublished):
      if let refusal = refusal(toForget: topic, isPublished: isPublished) {
        return answer(sender, Answer.failure(refusal))
      }
      friends.forget(topic) { [unowned self] wasKnown in
        guard wasKnown else { return answer(sender, Answer.failure(FriendRequest.unknownFriend(topic))) }
        if isPublished { return subsystems.host.post(.control(.friendForget(topic: topic), from: sender)) }
        answer(sender, Answer.done("forgotten"))
      }
    case .forgetPlace(let topic, let time):
      if let refusal = refusal(toForget: topic, isPublished: false) {
        return answer(sender, Answer.failure(refusal))
      }
      friends.forget(topic, at: time) { [unowned self] wasKnown in
        answer(
          sender,
          wasKnown ? Answer.done("forgotten") : Answer.failure(FriendRequest.unknownPlace(topic, at: time))
        )
      }
    }
  }

  /// This board as one of those who tell where they are. The card comes back from the broker, where others are heard.
  private func board(_ card: FriendCard?, _ own: String) -> Friend {
    var board = Friend(topic: own)
    board.card = card ?? FriendCard()
    if let fix = subsystems.host.status?.position {
      var location = FriendLocation(time: fix.time, coordinate: fix.coordinate)
      location.accuracy = fix.accuracy
      location.tid = subsystems.settings.encoder.topics.trackerID
      board.location = location
    }
    return names.named(board)
  }

  /// Why a friend may not be forgotten, before anything is.
  private func refusal(toForget topic: String, isPublished: Bool) -> String? {
    let configuration = subsystems.settings.configuration
    if configuration.commands.locked { return Self.locked }
    guard isPublished, configuration.isOffline || !subsystems.settings.encoder.topics.isIdentityValid else {
      return nil
    }
    return "nothing is published from here: use --no-publish"
  }

  /// The tracker's beacons, or the unregistered ones that the radio receives.
  private func beacons(ofStrangers: Bool) -> JSON {
    let now = subsystems.loop.now.instant
    var answer = BeaconList()
    if ofStrangers {
      // The radio reports all beacons from now on, and says so in its own part.
      let found = subsystems.scanner.unregistered(watchFor: Self.watch).all
      answer.strangers = Answer.strangers(found, at: now)
    } else {
      answer.beacons = subsystems.host.beacons.map(Answer.beacon)
    }
    answer.scanner = .init(subsystems.scanner.status, at: now)
    return answer.done
  }

  private func full(_ status: TrackerStatus) -> StatusRecord {
    let now = subsystems.loop.now.instant
    let connection = subsystems.connection
    let board = subsystems.settings.configuration.board
    let record = StatusRecord(status, subsystems.settings.encoder.topics)
    record.connection = .init(connection, subsystems.settings, at: now)
    record.gps = .init(subsystems.source.status, at: now)
    record.scanner = .init(subsystems.scanner.status, at: now)
    record.messages = .init(subsystems.inbound.traffic, connection.payloadEncryption)
    record.batteryCause = subsystems.board.gauge?.cause
    record.batteryHung = subsystems.board.gauge.flatMap { $0.hung > 0 ? $0.hung : nil }
    record.store = .init(storage.condition, path: board.stateDir, at: now)
    record.data = subsystems.host.dataUse.map { .init($0) }
    record.page = .init(subsystems.settings.configuration.page)
    record.board = .init(subsystems.board.health.look(at: now))
    record.onEvent = subsystems.extensions.status.map { .init($0) }
    record.version = Release.version
    record.uptime = Int((now - started).seconds)
    return record
  }
}
