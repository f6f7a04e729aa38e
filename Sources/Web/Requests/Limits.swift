import Timebase

/// Limits for one client, and for all of them together. A client that wants more waits or is refused; the tracker
/// beside it is not affected.
enum Limits {
  /// At a time; the kernel keeps those that come meanwhile.
  static let connections: UInt32 = 32
  /// Of them, from one address (of one network of 64 bits in IPv6): two browsers and some more. The others are for
  /// others.
  static let connectionsOfOne = 12
  /// Open pages among them.
  static let streams = 16
  /// Bytes for the head of a request on each connection.
  static let connectionMemory = 16 << 10
  /// Bytes of a request's body: a picture as base64 fits.
  static let body = 64 << 10
  /// Without a byte either way a connection is over.
  static let silence: UInt32 = 30
  /// For a whole request from the connection, or from the answer before: a byte a second does not keep a place.
  static let request = Span.seconds(20)
  /// Bytes that the kernel keeps for a visitor who does not take them: by itself it keeps some megabytes, of our limit.
  static let sendBuffer: Int32 = 128 << 10
  /// Bytes that wait for a page that does not take them.
  static let streamBacklog = 64 << 10
  /// For a page to take what was sent to it.
  static let streamPatience = Span.seconds(20)
  /// Questions that the daemon has at a time; the others wait. It serves eight of one user.
  static let questions = 4
  /// For the daemon to answer.
  static let answer = Span.seconds(10)
  /// Bytes of an answer of the daemon: 10,000 regions are 2 MB.
  static let answerBytes = 4 << 20
  /// Between two questions for what is new, however many look.
  static let poll = Span.seconds(1)
  /// Without an answer to it the board counts as lost.
  static let pollAnswer = Span.seconds(3)
  /// A stream that was told nothing for so long gets a sign of life: the page counts on one (`SILENCE` in board.js).
  static let comment = Span.seconds(2)
  /// Between two looks for such streams: a stream is silent for at most the sum of the two.
  static let commentLook = Span.seconds(1)
}
