import Glibc
import Model
import OwnTracks

/// A recording of what a receiver said, NMEA or its own binary form, as the reports that gpsd makes of it, and between
/// them what the receiver said: gpsd repeats it before what it makes of it.
///
/// The connection that gpsd reads has no end that it would tell, so a sentence that no receiver says follows the
/// recording: gpsd, asked to echo, repeats it when it has done all before it.
struct ReceiverRecording {
  private static let last = Array("$PHWEND*00\r\n".utf8)
  /// In the middle of a binary packet one sentence may be taken for a part of it.
  private static let lasts = 40
  /// Seconds until gpsd has to be there.
  private static let starting = 10
  /// Milliseconds: until it has to read on, after which it has no more to say of a piece, and of all of it.
  private static let (stalling, quiet, settling) = (20_000, 5, 1000)
  /// gpsd's output for so many bytes fits into the kernel's socket buffer.
  private static let piece = 32_768

  private var output: Int32 = -1
  private var input: Int32 = -1
  private var lines = Lines()

  /// gpsd's reports, one a line, of a file that is named in errors.
  static func reports(of bytes: [UInt8], file: String) throws -> [UInt8] {
    do {
      return try decode(receiversOwn(bytes))
    } catch let failure as Failure {
      throw Failure(failure.status, "\(file): \(failure.text)")
    }
  }

  /// Without the remarks that a person wrote on top.
  private static func receiversOwn(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
    var rest = bytes[...]
    while rest.first == UInt8(ascii: "#") {
      guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return [] }
      rest = rest[(end + 1)...]
    }
    return rest
  }

  private static func decode(_ bytes: ArraySlice<UInt8>) throws -> [UInt8] {
    let receiver = try Listening()
    let gpsd = try PrivateGPSD(receiver: receiver.port)
    defer { gpsd.end() }
    var recording = ReceiverRecording()
    defer {
      for descriptor in [recording.output, recording.input] where descriptor >= 0 { close(descriptor) }
    }
    try recording.meet(gpsd, receiver)
    try recording.play(bytes + repeatElement(last, count: lasts).joined())
    return recording.lines.reports
  }

  /// We listen before gpsd opens its receiver: it says nothing that we miss.
  private mutating func meet(_ gpsd: PrivateGPSD, _ receiver: Listening) throws {
    let question = Array("?WATCH={\"enable\":true,\"json\":true,\"raw\":1};\n".utf8)
    for _ in 0..<Self.starting * 50 where output < 0 {
      output = Listening.connect(to: gpsd.port)
      if output < 0 { usleep(20_000) }
      guard gpsd.isAlive else { throw Failure(.failed, "gpsd ended at its start") }
    }
    guard output >= 0, Descriptor.writeAll(question, to: output),
      Self.waits(for: receiver.descriptor, Int16(POLLIN), milliseconds: Self.starting * 1000)
    else { throw Failure(.failed, "gpsd does not read it within \(Self.starting) s") }
    input = accept(receiver.descriptor, nil, nil)
    for descriptor in [output, input] { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
  }

  /// Piece by piece, each when gpsd has no more to say of those before: it lets those go who do not keep up with it.
  private mutating func play(_ bytes: ArraySlice<UInt8>) throws {
    var rest = bytes
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while !lines.hasEnded {
      if Self.waits(for: output, Int16(POLLIN), milliseconds: rest.isEmpty ? Self.settling : Self.quiet) {
        let count = read(output, &buffer, buffer.count)
        guard count > 0 else { throw Failure(.failed, "gpsd ended before it had read all of it") }
        lines.take(buffer[..<count])
      } else if rest.isEmpty {
        return
      } else {
        try write(&rest)
      }
    }
  }

  private func write(_ rest: inout ArraySlice<UInt8>) throws {
    guard Self.waits(for: input, Int16(POLLOUT), milliseconds: Self.stalling) else {
      throw Failure(.failed, "gpsd reads no further than byte \(rest.startIndex)")
    }
    let count = rest.prefix(Self.piece).withUnsafeBytes {
      send(input, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
    guard count > 0 || errno == EAGAIN || errno == EINTR else {
      throw Failure(.failed, "gpsd stopped reading before byte \(rest.startIndex)")
    }
    rest = rest.dropFirst(max(0, count))
  }

  private static func waits(for descriptor: Int32, _ events: Int16, milliseconds: Int) -> Bool {
    var watched = pollfd(fd: descriptor, events: events, revents: 0)
    var ready: Int32
    repeat { ready = poll(&watched, 1, Int32(milliseconds)) } while ready < 0 && errno == EINTR
    return ready > 0
  }

  /// gpsd's reports, and those lines of the recording's echo that may show whether there is a fix.
  private struct Lines {
    private(set) var reports: [UInt8] = []
    private(set) var hasEnded = false
    private var open: [UInt8] = []

    mutating func take(_ bytes: ArraySlice<UInt8>) {
      open += bytes
      var rest = open[...]
      while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        let line = rest[...end]
        if line.first == UInt8(ascii: "{") || ReceiverWords.canBe(line) { reports += line }
        if line.starts(with: ReceiverRecording.last.dropLast(2)) { hasEnded = true }
        rest = rest[(end + 1)...]
      }
      open = Array(rest)
    }
  }
}
