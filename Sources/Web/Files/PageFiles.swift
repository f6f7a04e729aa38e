import Access

/// The files of the page, packed with gzip when the package was made. All of them are read at the start: they are 50 kB.
struct PageFiles {
  struct File {
    /// Packed; they live as long as the program.
    let bytes: UnsafeRawBufferPointer
    let kind: String
    /// Of the content.
    let digest: String
    /// Another content comes under another name.
    let isImmutable: Bool
  }

  /// Bytes of one file.
  private static let limit = 1 << 20
  /// Files.
  private static let most = 40
  private static let kinds = [
    "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8", "svg": "image/svg+xml",
  ]

  private var files: [String: File] = [:]

  /// The files NAME.gz of a folder; another one of them is no part of a page.
  init(folder: String) {
    for name in DiskFile.names(in: folder).filter({ $0.hasSuffix(".gz") }).prefix(Self.most) {
      let plain = String(name.dropLast(3))
      guard let ending = plain.split(separator: ".").last, let kind = Self.kinds[String(ending)],
        let bytes = DiskFile.read(folder + "/" + name, limit: Self.limit)
      else { continue }
      let kept = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
      kept.copyBytes(from: bytes)
      files[plain] = File(
        bytes: UnsafeRawBufferPointer(kept), kind: kind, digest: Secret.mark(of: bytes),
        isImmutable: plain.hasPrefix("leaflet."))
    }
  }

  var isEmpty: Bool { files["index.html"] == nil }

  /// `/`, or the name of a file; Leaflet's are asked for with the version in their name: `/leaflet-1.7.1.js`.
  func file(at path: String) -> File? {
    let name = path == "/" ? "index.html" : String(path.dropFirst())
    if name.hasPrefix("leaflet-"), let ending = name.split(separator: ".").last {
      return files["leaflet." + ending]
    }
    return files[name].flatMap { $0.isImmutable ? nil : $0 }
  }
}

extension Secret {
  /// Sixteen digits that another content does not have.
  static func mark(of bytes: [UInt8]) -> String { hexadecimal(Array(digest(bytes).prefix(8))) }
}

extension PageFiles.File {
  /// `known`: the header If-None-Match. `policy`: what is kept with it and may change by itself.
  func answer(known: String?, with policy: String = "") -> Response {
    let mark = policy.isEmpty ? "" : "-" + Secret.mark(of: Array(policy.utf8))
    let tag = "\"\(digest)\(mark)\""
    let age = isImmutable ? "private, max-age=31536000, immutable" : "private, no-cache"
    let headers = [("Cache-Control", age), ("ETag", tag)]
    if Response.isKnown(tag, known) {
      return Response(status: 304, kind: "", body: .bytes([]), headers: headers)
    }
    return Response(
      status: 200, kind: kind, body: .kept(bytes), headers: headers + [("Content-Encoding", "gzip")])
  }
}
