/// How long a request says that its body is. Where it says so twice, two readers may cut it at two places, and what one
/// of them takes for the rest of a body is another request to the other (RFC 9112, 6.3): behind a proxy that would be
/// somebody else's. The library underneath leaves that to us.
enum BodyLength: Equatable {
  case fine
  case tooLong
  case contradiction

  /// `lengths`: of all headers Content-Length; `encodings`: of all headers Transfer-Encoding.
  init(lengths: [String], encodings: [String], limit: Int) {
    guard lengths.count + encodings.count <= 1 else {
      self = .contradiction
      return
    }
    if let encoding = encodings.first {
      self = encoding.lowercased() == "chunked" ? .fine : .contradiction
    } else if let length = lengths.first {
      guard !length.isEmpty, length.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) else {
        self = .contradiction
        return
      }
      self = Int(length).map { $0 <= limit } ?? false ? .fine : .tooLong
    } else {
      self = .fine
    }
  }
}
