/// Content security policies of our answers.
enum Policy {
  /// For everything but pages: shown by itself it can do nothing.
  static let nothing = "default-src 'none'; frame-ancestors 'none'"

  /// `sources`: of `TemplateHost`; nothing else in the world is asked for anything.
  static func page(mapSources sources: [String]) -> String {
    let pictures = ["'self'", "blob:", "data:"] + sources
    return
      "default-src 'self'; img-src \(pictures.joined(separator: " ")); object-src 'none'; base-uri 'none'; "
      + "form-action 'self'; frame-ancestors 'none'"
  }

  /// With every answer. A map's server wants to know who asks, and learns the board's name, no more.
  static let headers = [
    ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
  ]
}
