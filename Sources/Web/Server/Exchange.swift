import CMicroHTTPD

/// One request and what becomes of it.
///
///     head ──▶ body ──▶ asked ──▶ answered
final class Exchange {
  let connection: OpaquePointer
  let method: String
  /// Decoded, without the query.
  let path: String
  private(set) var body: [UInt8] = []
  private(set) var isTooLong = false
  /// Filled in while the connection is suspended, or at once.
  private(set) var answer: Response?
  /// The handler has had it, and will answer.
  var isAsked = false
  /// The connection has ended: nothing can be answered.
  var isOver = false
  private var isSuspended = false

  init(_ connection: OpaquePointer, method: String, path: String) {
    self.connection = connection
    self.method = method
    self.path = path
  }

  func append(_ bytes: UnsafeRawBufferPointer) {
    guard body.count + bytes.count <= Limits.body else {
      isTooLong = true
      return
    }
    body += bytes
  }

  func header(_ name: String) -> String? {
    homeward_http_header(connection, name).map { String(cString: $0) }
  }

  /// Of all headers of that name, in their order.
  func headers(_ name: String) -> [String] {
    var values: [String] = []
    withUnsafeMutablePointer(to: &values) { place in
      homeward_http_headers(
        connection, name,
        { context, value in
          guard let context, let value else { return }
          context.assumingMemoryBound(to: [String].self).pointee.append(String(cString: value))
        }, place)
    }
    return values
  }

  /// Of the query, decoded.
  func parameter(_ name: String) -> String? {
    homeward_http_parameter(connection, name).map { String(cString: $0) }
  }

  /// The answer comes later: nothing happens on the connection meanwhile.
  func wait() {
    guard answer == nil, !isSuspended else { return }
    isSuspended = true
    MHD_suspend_connection(connection)
  }

  func respond(_ answer: Response) {
    guard self.answer == nil, !isOver else { return }
    self.answer = answer
    guard isSuspended else { return }
    isSuspended = false
    MHD_resume_connection(connection)
  }
}
