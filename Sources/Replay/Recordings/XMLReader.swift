import CExpat

/// Reads an XML file from its first byte to its last, by expat. Names lose their prefix; entities are read as
/// what they stand for, and those that name another file are not looked for.
final class XMLReader {
  enum Piece {
    case open(name: String, attributes: [String: String])
    case close(name: String)
    case text(String)
  }

  /// An error, and its line: lines are counted from 1.
  struct Fault: Error {
    var line: Int
    var text: String
  }

  /// Elements within each other. A track needs five.
  static let deepest = 100
  /// Bytes that are handed to expat at once.
  private static let chunk = 1 << 20

  private let take: (_ piece: Piece, _ line: Int) -> String?
  private var parser: XML_Parser?
  private var depth = 0
  private var refusal: Fault?

  /// `take` gets one piece after the other, and says what is wrong with it or nil.
  private init(_ take: @escaping (_ piece: Piece, _ line: Int) -> String?) {
    self.take = take
  }

  static func read(
    _ bytes: [UInt8], _ take: @escaping (_ piece: Piece, _ line: Int) -> String?
  ) throws(Fault) {
    guard let parser = XML_ParserCreate(nil) else { throw Fault(line: 1, text: "no memory to read it with") }
    defer { XML_ParserFree(parser) }
    let reader = XMLReader(take)
    try withExtendedLifetime(reader) { () throws(Fault) in
      reader.listen(to: parser)
      try reader.parse(bytes, parser)
    }
  }

  private func parse(_ bytes: [UInt8], _ parser: XML_Parser) throws(Fault) {
    var rest = bytes[...]
    repeat {
      let piece = rest.prefix(Self.chunk)
      rest = rest.dropFirst(piece.count)
      let isLast: Int32 = rest.isEmpty ? 1 : 0
      let status = piece.withUnsafeBytes {
        XML_Parse(parser, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32($0.count), isLast)
      }
      if let refusal { throw refusal }
      guard status == XML_STATUS_OK else {
        let words = XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) }
        throw Fault(line: line, text: words ?? "not well-formed")
      }
    } while !rest.isEmpty
  }

  private func listen(to parser: XML_Parser) {
    self.parser = parser
    XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
    XML_SetElementHandler(
      parser,
      { user, name, attributes in XMLReader.of(user)?.opened(name, attributes) },
      { user, name in XMLReader.of(user)?.closed(name) })
    XML_SetCharacterDataHandler(parser) { user, text, count in
      let bytes = UnsafeBufferPointer(start: text, count: Int(count)).lazy.map { UInt8(bitPattern: $0) }
      XMLReader.of(user)?.hand(.text(String(decoding: bytes, as: UTF8.self)))
    }
    // expat knows four encodings. In all others of one byte a letter, numbers and times are ASCII too, and the
    // names of places are not looked at.
    XML_SetUnknownEncodingHandler(
      parser,
      { _, _, encoding in
        guard let encoding else { return 0 }
        withUnsafeMutableBytes(of: &encoding.pointee.map) { map in
          for (index, byte) in map.bindMemory(to: Int32.self).indices.enumerated() {
            map.storeBytes(of: Int32(index), toByteOffset: byte * MemoryLayout<Int32>.size, as: Int32.self)
          }
        }
        return 1
      }, nil)
  }

  private static func of(_ user: UnsafeMutableRawPointer?) -> XMLReader? {
    user.map { Unmanaged<XMLReader>.fromOpaque($0).takeUnretainedValue() }
  }

  // MARK: - What expat finds

  private var line: Int { Int(clamping: homeward_xml_line(parser)) }

  private func opened(
    _ name: UnsafePointer<CChar>?, _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?
  ) {
    depth += 1
    guard depth <= Self.deepest else { return refuse("more than \(Self.deepest) elements within each other") }
    // Name, value, name, value, and a null pointer.
    var found: [String: String] = [:]
    var next = attributes
    while let pair = next, let key = pair[0], let value = pair[1] {
      found[String(cString: key)] = String(cString: value)
      next = pair + 2
    }
    hand(.open(name: Self.localName(name), attributes: found))
  }

  private func closed(_ name: UnsafePointer<CChar>?) {
    depth -= 1
    hand(.close(name: Self.localName(name)))
  }

  private func hand(_ piece: Piece) {
    guard refusal == nil, let problem = take(piece, line) else { return }
    refuse(problem)
  }

  private func refuse(_ text: String) {
    guard refusal == nil else { return }
    refusal = Fault(line: line, text: text)
    XML_StopParser(parser, 0)
  }

  private static func localName(_ name: UnsafePointer<CChar>?) -> String {
    guard let name else { return "" }
    let whole = String(cString: name)
    return whole.utf8.lastIndex(of: UInt8(ascii: ":")).map { String(whole[whole.utf8.index(after: $0)...]) }
      ?? whole
  }
}
