import Glibc
import Testing

@testable import homeward

/// What the command line knows of the page's socket.
struct PageSocketTests {
  @Test(arguments: [
    (["[Socket]\nListenStream=80\n"], [80]),
    (["ListenStream = 192.168.4.1:8080\n"], [8080]),
    (["ListenStream=[::1]:81\n"], [81]),
    (["#ListenStream=80\nListenDatagram=9\n"], []),
    (["ListenStream=80\n", "[Socket]\nListenStream=\nListenStream=8080\n"], [8080]),
    (["ListenStream=80\n", "ListenStream=8080\n"], [80, 8080]),
    (["ListenStream=/run/page\nListenStream=8080\n"], [8080]),
  ])
  func portsAreReadAsSystemdReadsThem(_ texts: [String], _ ports: [Int]) {
    #expect(PageSocket.ports(in: texts) == ports)
  }

  @Test func aPageThatIsNotInstalledIsNotThere() throws {
    let root = try Root()
    #expect(PageSocket(root: root.path) == nil)
  }

  @Test func dropInOverridesSocketPort() throws {
    let root = try Root()
    try root.write("ListenStream=80\n", to: "usr/lib/systemd/system/homeward-web.socket")
    try root.write(
      "ListenStream=\nListenStream=8080\n", to: "etc/systemd/system/homeward-web.socket.d/override.conf")
    let socket = try #require(PageSocket(root: root.path))
    #expect(!socket.isEnabled && socket.port == 8080)
  }

  @Test func theLinkThatEnablesItMayPointElsewhere() throws {
    let root = try Root()
    try root.write("ListenStream=81\n", to: "etc/systemd/system/homeward-web.socket")
    try root.write("", to: "etc/systemd/system/sockets.target.wants/other.socket")
    let link = root.path + "/etc/systemd/system/sockets.target.wants/homeward-web.socket"
    #expect(symlink("/nowhere", link) == 0)
    let socket = try #require(PageSocket(root: root.path))
    #expect(socket.isEnabled && socket.port == 81)
  }

  // behaviour: status and doctor
  @Test(arguments: [(true, Finding.Verdict.ok, "on port 81"), (false, .fail, "nothing listens on port 81")])
  func theDoctorLooksWhetherAnythingListens(_ isListening: Bool, _ verdict: Finding.Verdict, _ words: String)
    throws
  {
    let root = try Root()
    try root.write("ListenStream=81\n", to: "etc/systemd/system/homeward-web.socket")
    #expect(PageFindings.findings(PageSocket(root: root.path)) { _ in isListening }.isEmpty)
    try root.write("", to: "etc/systemd/system/sockets.target.wants/homeward-web.socket")
    let findings = PageFindings.findings(PageSocket(root: root.path)) { $0 == 81 && isListening }
    #expect(findings.map(\.verdict) == [verdict])
    #expect(findings[0].text.contains(words))
  }

  @Test func withoutAPageTheDoctorSaysNothing() { #expect(PageFindings.findings(nil).isEmpty) }
}

/// A board's folders, thrown away at the end.
private final class Root {
  let path: String

  init() throws {
    var template = Array("/tmp/homeward-root-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Failure(.failed, lastError()) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { remove(path) }

  func write(_ text: String, to file: String) throws {
    var folder = path
    for part in file.split(separator: "/").dropLast() {
      folder += "/" + part
      mkdir(folder, 0o755)
    }
    try AtomicFile.write(Array(text.utf8), to: path + "/" + file)
  }

  private func remove(_ path: String) {
    for name in Folder.names(in: path) { remove(path + "/" + name) }
    Glibc.remove(path)
  }
}
