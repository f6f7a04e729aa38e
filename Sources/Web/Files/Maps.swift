import OwnTracks

/// The maps of `--map`: files on the board, and servers elsewhere; the page shows one at a time.
struct Maps {
  private struct Choice {
    var source: ServerOptions.Map
    /// Nil: it is a server's.
    var file: MapFile?
  }

  /// Without files that are not there or are no maps.
  private let choices: [Choice]

  init(_ sources: [ServerOptions.Map]) {
    choices = sources.compactMap { source in
      if source.isTemplate { return Choice(source: source, file: nil) }
      return MapFile(path: source.place).map { Choice(source: source, file: $0) }
    }
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
