import Access

/// The answer to a request; the server adds the headers that every answer has.
struct Response {
  enum Body {
    case bytes([UInt8])
    /// Bytes that live as long as the program.
    case kept(UnsafeRawBufferPointer)
    /// An open file, that is closed afterwards, and which bytes of it.
    case file(descriptor: Int32, Range<Int>)
    case stream(Outflow)
  }

  var status: UInt32
  var kind: String
  var body: Body
  /// The content security policy.
  var policy = Policy.nothing
  /// Beside the usual ones.
  var headers: [(String, String)] = []
  /// Whether the connection is over afterwards: who is not known shall not keep it.
  var isLast = false

  static func text(_ status: UInt32, _ sentence: String) -> Response {
    Response(status: status, kind: "text/plain; charset=utf-8", body: .bytes(Array((sentence + "\n").utf8)))
  }

  /// Lists of the tracker's. They are asked for with every visit, and a phone that has one already is told just that;
  /// it may keep those, and nothing else. To the others it is packed.
  static func list(_ bytes: [UInt8], _ exchange: Exchange) -> Response {
    var answer = json(200, bytes)
    let packed = Packing.packed(bytes, for: exchange.header("Accept-Encoding"))
    if let packed {
      answer.body = .bytes(packed)
      answer.headers.append(("Content-Encoding", "gzip"))
    }
    guard exchange.method == "GET", Questions.mayBeKept(exchange.path) else { return answer }
    let tag = "\"\(Secret.mark(of: bytes))\""
    if isKnown(tag, exchange.header("If-None-Match")) {
      answer = Response(status: 304, kind: "", body: .bytes([]))
    }
    answer.headers = answer.headers.filter { $0.0 != "Cache-Control" }
    answer.headers += [("Cache-Control", "private, no-cache"), ("ETag", tag)]
    return answer
  }

  /// `known`: the header If-None-Match.
  static func isKnown(_ tag: String, _ known: String?) -> Bool {
    (known ?? "").split(separator: ",").contains { entry in
      let entry = entry.drop { $0 == " " }
      return entry.hasPrefix("W/") ? entry.dropFirst(2) == tag : entry == tag
    }
  }

  static func json(_ status: UInt32, _ bytes: [UInt8]) -> Response {
    Response(
      status: status, kind: "application/json", body: .bytes(bytes), headers: [("Cache-Control", "no-store")])
  }
}
