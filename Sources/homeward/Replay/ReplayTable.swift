import Model
import OwnTracks
import Replay
import Timebase

/// A replay for people: a line for each message, and what it came to.
struct ReplayTable {
  private let explains: Bool
  private var table = Table()
  private(set) var figures = ReplayFigures()
  private var clock: (wall: WallTime, at: Span)?
  /// The last withheld publish, while nothing else has happened: the same again only counts up.
  private var silence: (word: String, sentence: String, since: String, count: Int)?

  /// `explains`: withheld publishes have lines too.
  init(explains: Bool) { self.explains = explains }

  mutating func take(_ line: ReplayLine, at: Span) {
    figures.note(line, at: at)
    switch line {
    case .clock(let wall): clock = (wall, at)
    case .published(let report, _): add(time(at), ReplayWords(report))
    case .withheld(let reason): if explains { withheld(reason, at) }
    case .notice(let text): add(time(at), ReplayWords("notice", text))
    case .answer(let answer):
      let outcome = OutcomeRecord(answer: answer)
      let text = outcome?.text ?? outcome?.error ?? ""
      add(time(at), ReplayWords("answer", text.isEmpty ? answer.description : text))
    case .ended: endSilence()
    case .position, .delivered: break
    }
  }

  var text: String { (table.text.isEmpty ? "" : table.text + "\n\n") + Self.summary(figures) }

  /// `17 of 570 positions published, 2 crossings, 34 kB`. A place may be told again, with a crossing or as a ping: then
  /// there is no "of".
  static func summary(_ figures: ReplayFigures) -> String {
    let positions = Readable.count(figures.positions, "position")
    var words = [
      figures.locations <= figures.positions && figures.positions > 0
        ? "\(figures.locations) of \(positions) published"
        : "\(positions), \(Readable.count(figures.locations, "location")) published"
    ]
    words.append(Readable.count(figures.crossings, "crossing"))
    words.append(
      "\(Readable.bytes(figures.bytes)) in \(Readable.count(figures.messages, "message"))")
    if figures.waiting > 0 { words.append("\(figures.waiting) still waiting") }
    return words.joined(separator: ", ")
  }

  private mutating func add(_ time: String, _ words: ReplayWords) {
    endSilence()
    let cells = [time, words.what, words.place, words.detail]
    table.add(Array(cells.prefix((cells.lastIndex { !$0.isEmpty } ?? 0) + 1)))
  }

  private mutating func withheld(_ reason: Withheld, _ at: Span) {
    if silence?.word == reason.word {
      silence?.sentence = reason.sentence
      silence?.count += 1
      return
    }
    endSilence()
    silence = (reason.word, reason.sentence, time(at), 1)
  }

  private mutating func endSilence() {
    guard let silence else { return }
    self.silence = nil
    let times = silence.count > 1 ? "  (\(silence.count) times)" : ""
    table.add(silence.since, "-", "", silence.sentence + times)
  }

  /// Of day where the recording knows it, otherwise since its start.
  private func time(_ at: Span) -> String {
    guard let clock else { return "+\(Readable.number(at.seconds)) s" }
    return Readable.time((clock.wall + (at - clock.at)).seconds)
  }
}

/// A message in the words of a table.
struct ReplayWords {
  var what: String
  var place = ""
  var detail = ""

  init(_ what: String, _ detail: String = "") { (self.what, self.detail) = (what, detail) }

  init(_ report: Report) {
    switch report {
    case .location(let location):
      self.init("location", Self.occasion(location.trigger))
      place =
        Self.place(location.fix.coordinate) + " ± \(Readable.number(location.fix.accuracy, decimals: 0)) m"
      if let poi = location.poi { detail = poi }
    case .transition(let crossing):
      self.init(crossing.crossing == .enter ? "enter" : "leave", crossing.region.eventName)
      place = Self.place(crossing.coordinate)
    case .waypoint(let region):
      self.init("region", region.eventName)
      place = Self.place(region.coordinate)
    case .beacon(let beacon):
      self.init("beacon", "\(beacon.region ?? "") \(Readable.number(beacon.distance)) m away")
    case .trip(let report):
      let words = Readable.number(report.trip.distance / 1000) + " km"
      if case .start = report.event { self.init("trip begins") } else { self.init("trip ends", words) }
    case .alarm(let report):
      self.init("alarm", Self.alarm(report.kind))
      if let fix = report.fix { place = Self.place(fix.coordinate) }
    case .card(let card): self.init("card", card.name ?? "")
    case .status(let status): self.init("status", status.isOnline == false ? "goes offline" : "")
    case .discovery, .discoveryGone: self.init("for Home Assistant")
    case .friendForgotten(let topic): self.init("forget", topic)
    case .dump: self.init("dump")
    case .waypoints: self.init("regions")
    case .steps: self.init("steps")
    case .result: self.init("answer", "to a command")
    }
  }

  private static func place(_ coordinate: Coordinate) -> String {
    "\(Readable.degrees(coordinate.latitude)), \(Readable.degrees(coordinate.longitude))"
  }

  private static func occasion(_ trigger: Trigger) -> String {
    switch trigger {
    case .automatic: ""
    case .user: "asked for"
    case .remote: "asked for by a command"
    case .timer: "interval"
    case .ping: "ping"
    case .circular: "crossing"
    case .follow: "follow region left"
    case .beacon: "beacon"
    case .tow: "towed"
    case .overspeed: "too fast"
    case .ignition(let isOn): "ignition \(isOn ? "on" : "off")"
    case .power(let isOn): "power \(isOn ? "back" : "lost")"
    case .lowBattery: "battery low"
    case .sos: "SOS"
    case .batteryWell: "battery well"
    case .harsh(let kind): "hard \(kind.rawValue)"
    }
  }

  private static func alarm(_ kind: AlarmReport.Kind) -> String {
    switch kind {
    case .tow(_, let metres): "towed \(Readable.number(metres, decimals: 0)) m"
    case .anchor(_, let metres): "the anchor drags, \(Readable.number(metres, decimals: 0)) m away"
    case .speeding(let speeding): "faster than \(speeding.limit) km/h"
    case .spedNoMore(let speeding): "no longer faster than \(speeding.limit) km/h"
    case .harsh(let manoeuvre):
      "hard \(manoeuvre.kind.rawValue), \(Readable.number(manoeuvre.force, decimals: 2)) g"
    case .sos: "SOS"
    case .helped: "SOS is acknowledged"
    case .disturbed(let state, _): "\(state.kind.rawValue), \(state.level.rawValue)"
    case .undisturbed(let state, _): "no more \(state.kind.rawValue)"
    }
  }
}
