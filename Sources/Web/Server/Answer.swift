/// What a request is answered with; the headers that every answer has are the server's affair.
struct Answer {
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

  static func text(_ status: UInt32, _ sentence: String) -> Answer {
    Answer(status: status, kind: "text/plain; charset=utf-8", body: .bytes(Array((sentence + "\n").utf8)))
  }

  static func json(_ status: UInt32, _ bytes: [UInt8]) -> Answer {
    Answer(
      status: status, kind: "application/json", body: .bytes(bytes), headers: [("Cache-Control", "no-store")])
  }
}
