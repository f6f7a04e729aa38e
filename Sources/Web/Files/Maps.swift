import Glibc
import OwnTracks

/// The maps of `--map`: files on the board, and servers elsewhere; the page shows one at a time.
struct Maps {
  private struct Choice {
    var source: ServerOptions.Map
    /// Nil: it is a server's.
    var file: MapFile?
  }

  /// Without files that are not there or are no maps, and addresses without the numbers of a tile.
  private let choices: [Choice]
  /// Those that were left out, a line each.
  let faults: [String]

  init(_ sources: [ServerOptions.Map]) {
    var (choices, faults): ([Choice], [String]) = ([], [])
    for source in sources {
      let file = source.isTemplate ? nil : MapFile(path: source.place)
      if let fault = Self.fault(of: source, file) {
        faults.append("--map \(source.place): \(fault); the page does without it".plainLine)
      } else {
        choices.append(Choice(source: source, file: file))
      }
    }
    (self.choices, self.faults) = (choices, faults)
  }

  /// Why it is no map, and what was expected; nil: it is one.
  private static func fault(of source: ServerOptions.Map, _ file: MapFile?) -> String? {
    guard source.isTemplate else {
      guard file == nil else { return nil }
      let isThere = access(source.place, R_OK) == 0
      let reason = isThere ? "no map that can be shown" : String(cString: strerror(errno))
      return reason + ", expected a file *.mbtiles with pictures or *.pmtiles"
    }
    let found = source.place.split(separator: "{").dropFirst().map { $0.prefix { $0 != "}" } }
    let missing = ["z", "x", "y"].filter { !found.contains(Substring($0)) }.map { "{\($0)}" }
    guard !missing.isEmpty || TemplateHost.source(of: source.place) == nil else { return nil }
    let reason = missing.isEmpty ? "no host in it" : "no \(missing.joined(separator: ", ")) in it"
    return reason + ", expected an address such as https://host/{z}/{x}/{y}.png"
  }

  /// The hosts that the page may load pictures from, as sources of a policy.
  var hosts: [String] {
    choices.filter { $0.file == nil }.compactMap { TemplateHost.source(of: $0.source.place) }
  }

  /// `number`: as the page was told, the first one's if nil; nil: there is none.
  func file(_ number: String?) -> MapFile? {
    guard let number else { return choices.lazy.compactMap(\.file).first }
    guard Questions.isNumber(number), let index = Int(number), choices.indices.contains(index) else {
      return nil
    }
    return choices[index].file
  }

  /// For the page, in the order of the options.
  var described: JSON {
    .array(
      choices.enumerated().map { index, choice in
        var map: JSON = ["number": .integer(Int64(index)), "name": .string(choice.source.name)]
        guard let file = choice.file else {
          map.set("template", .string(choice.source.place))
          map.set("copyright", .string(choice.source.copyright))
          return map
        }
        map.set("file", .string(file.form.rawValue))
        map.set("minZoom", .integer(Int64(file.zooms.lowerBound)))
        map.set("maxZoom", .integer(Int64(file.zooms.upperBound)))
        return map
      })
  }
}
