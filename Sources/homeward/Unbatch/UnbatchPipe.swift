import OwnTracks

/// Batches from a program that reads them, to one that publishes them.
enum UnbatchPipe {
  /// To the end of the input. A line that is none is named, and the rest goes on; the exit status tells of it.
  static func run() throws {
    var number = 0
    var isGood = true
    while let line = readLine(strippingNewline: true) {
      number += 1
      guard !line.isEmpty else { continue }
      do {
        let (topic, payloads) = try parts(of: line)
        for payload in payloads { Terminal.say("\(topic) \(String(decoding: payload, as: UTF8.self))") }
      } catch {
        isGood = false
        warn("line \(number): \(error)")
      }
    }
    if !isGood { throw Failure(.failed, "some lines were left out") }
  }

  /// The board's topic, and what it would have published there.
  static func parts(of line: String) throws(LineError) -> (topic: String, payloads: [[UInt8]]) {
    guard let blank = line.lastIndex(of: " "), let bytes = bytes(line[line.index(after: blank)...]) else {
      throw .form
    }
    guard let topic = Unbatcher.boardTopic(of: String(line[..<blank])) else {
      throw .topic(String(line[..<blank]))
    }
    do {
      return (topic, try Batch.unpacked(bytes).payloads)
    } catch {
      throw .batch(error)
    }
  }

  enum LineError: Error, CustomStringConvertible {
    case form
    case topic(String)
    case batch(BatchError)

    var description: String {
      switch self {
      case .form: "no topic and hexadecimal digits, expected what mosquitto_sub -F '%t %x' prints"
      case .topic(let topic): "topic \(topic), expected .../batch"
      case .batch(let error): "\(error)"
      }
    }
  }

  private static func bytes(_ text: Substring) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let byte = UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16) else {
        return nil
      }
      bytes.append(byte)
    }
    return bytes
  }
}
