import Model
import OwnTracks

/// A line of the control socket, as a JSON array of words; or, where it is none, words between blanks, so
/// that the fuzzer does not spend its time on brackets.
enum ControlTarget {
  @Sendable static func feed(_ input: UnsafeRawBufferPointer) {
    let line = Array(input)
    do {
      parse(try Request.words(line))
    } catch {
      Claim.isPlain(error.description, "control")
    }
    parse(
      String(decoding: line, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false).map(
        String.init))
  }

  private static func parse(_ words: [String]) {
    var configuration = Configuration()
    for base in [BeaconNumberBase.auto, .hex, .dec] {
      configuration.beacons.numberBase = base
      do {
        switch try Request(words: words, over: configuration) {
        case .tracker(let request): isSound(request)
        case .store(.history(let query)):
          Claim.isFinite([query.from, query.to], "history")
          claim((1...HistoryQuery.page).contains(query.limit) && query.after >= 0, "a page of \(query)")
        case .friends(.forget(let topic, _)):
          claim(!topic.isEmpty && !topic.contains { "+#".contains($0) }, "a friend called \(topic)")
        case .daemon(.why(let why)): claim((1...WhyRequest.limit).contains(why.last), "\(why.last) reasons")
        case .store, .friends, .daemon: break
        }
      } catch {
        Claim.isPlain(error.description, "control")
      }
    }
  }

  private static func isSound(_ request: ControlRequest) {
    switch request {
    case .publish(let poi, let image):
      claim(poi?.isEmpty != true, "an empty remark")
      claim(image == nil || poi != nil, "a picture without a remark")
    case .tag(let tag): claim(tag?.isEmpty != true, "an empty tag")
    case .regionAdd(let entry, let isHere):
      claim(isHere == (entry.coordinate == nil), "here and somewhere else")
      isRegion(entry)
    case .regionSet(let region, let edit):
      claim(edit != ControlRequest.RegionEdit(), "an edit of nothing")
      claim(!(edit.isHere && edit.coordinate != nil), "here and somewhere else")
      claim(edit.name?.isEmpty != true, "no name for \(region)")
      claim(edit.radius.map { $0.magnitude <= 20_037_508 } ?? true, "a radius of \(edit.radius ?? 0)")
    case .regionImport(let entries): entries.forEach(isRegionOrDeletion)
    case .historyDelete(let part):
      claim(part.numbers.lowerBound >= 0 && !part.times.isEmpty, "a part that is \(part)")
    case .card(let card, let keepsFace):
      claim(card.name?.isEmpty == false, "a card without a name")
      claim(keepsFace || card.face == nil, "a face that is taken away")
    case .settingsSet(let change):
      claim(
        change.settings.allSatisfy { RemoteSettings.isAllowed($0.name, $0.value) || $0.name == "locked" },
        "a key of the file's")
    case .mode, .status, .queue, .queueClear, .why, .regionList, .regionRemove, .historyClear, .settingsClear,
      .withdraw, .park, .friendForget, .sos:
      break
    }
  }

  private static func isRegion(_ entry: WaypointEntry) {
    claim(entry.radius.magnitude <= 20_037_508, "a radius of \(entry.radius)")
    // The tracker gives what the line left out.
    var entry = entry
    entry.created = entry.created ?? 1
    if entry.name.isEmpty { entry.name = "made" }
    entry.coordinate = entry.coordinate ?? Coordinate(latitude: 1, longitude: 1)
    isRegionOrDeletion(entry)
  }

  private static func isRegionOrDeletion(_ entry: WaypointEntry) {
    WaypointTarget.isSound(entry)
    if let coordinate = entry.coordinate { WaypointTarget.readsBack(entry, at: coordinate) }
  }
}
