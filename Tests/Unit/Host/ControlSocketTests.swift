import Glibc
import Loop
import TestSupport
import Testing
import Timebase

@testable import Host

@Suite struct ControlSocketTests {
  let scratch = Scratch()
  let loop: EventLoop
  let inbox = Inbox()
  var path: String { "\(scratch.path)/control" }

  init() throws { loop = try EventLoop() }

  /// What the daemon would be told.
  final class Inbox {
    var requests: [(id: UInt64, line: String)] = []
    var roots: [Bool] = []
  }

  func open(timeout: Span = .seconds(generous)) throws -> ControlSocket {
    try ControlSocket(loop: loop, path: path, timeout: timeout) { [inbox] event in
      switch event {
      case .request(let id, let line, let isRoot):
        inbox.requests.append((id, String(decoding: line, as: UTF8.self)))
        inbox.roots.append(isRoot)
      }
    }
  }

  func refusal(at path: String) -> String? {
    do {
      _ = try ControlSocket(loop: loop, path: path) { _ in }
      return nil
    } catch { return error.description }
  }

  // behaviour: The control socket
  @Test func aLineIsHandedUpAndItsAnswerSentBack() throws {
    let control = try open()
    let client = Client(path)
    client.send("[\"status\"]\n")
    loop.turn(until: { !inbox.requests.isEmpty })
    #expect(inbox.requests.map(\.line) == ["[\"status\"]"])
    control.answer(inbox.requests[0].id, Array("{}".utf8))
    loop.turn(until: { client.hasEnded })
    #expect(client.received == "{}\n")
    #expect(control.clientCount == 0)
  }

  @Test func aLineInPiecesIsOneLine() throws {
    let control = try open()
    let client = Client(path)
    client.send("[\"sta")
    loop.turn(for: .milliseconds(20))
    client.send("tus\"]\n")
    loop.turn(until: { !inbox.requests.isEmpty })
    #expect(inbox.requests.map(\.line) == ["[\"status\"]"])
    control.close()
  }

  @Test func halfALineIsNotObeyed() throws {
    let control = try open()
    let client = Client(path)
    client.send("[\"region\",\"rm\",\"Ho")
    loop.turn(until: { control.clientCount == 1 })
    client.end()
    loop.turn(until: { control.clientCount == 0 })
    #expect(inbox.requests.isEmpty)
  }

  @Test func aClientThatNeverFinishesItsLineIsShutOut() throws {
    let control = try open(timeout: .milliseconds(30))
    let client = Client(path)
    client.send("[\"sta")
    loop.turn(until: { client.hasEnded })
    #expect(control.clientCount == 0)
  }

  @Test func aClientThatNeverTakesItsAnswerIsShutOut() throws {
    let control = try open(timeout: .milliseconds(30))
    let client = Client(path)
    client.send("[]\n")
    loop.turn(until: { !inbox.requests.isEmpty })
    control.answer(inbox.requests[0].id, [UInt8](repeating: 65, count: 3_000_000))
    loop.turn(until: { control.clientCount == 0 })
    #expect(control.clientCount == 0)
  }

  @Test func aRequestMayTakeLongerThanALine() throws {
    let control = try open(timeout: .milliseconds(30))
    let client = Client(path)
    client.send("[]\n")
    loop.turn(until: { !inbox.requests.isEmpty })
    loop.turn(for: .milliseconds(80))
    #expect(control.clientCount == 1)
    control.close()
  }

  @Test func onlyTheFirstLineCounts() throws {
    let control = try open()
    let client = Client(path)
    client.send("[\"a\"]\n[\"b\"]\n")
    loop.turn(until: { !inbox.requests.isEmpty })
    loop.turn(for: .milliseconds(30))
    #expect(inbox.requests.map(\.line) == ["[\"a\"]"])
    control.close()
  }

  @Test func aLineOfAMebibyteIsTaken() throws {
    let control = try open()
    let client = Client(path)
    let line = String(repeating: "x", count: ControlSocket.lineLimit)
    client.sendAll(line + "\n", turning: loop)
    loop.turn(until: { !inbox.requests.isEmpty })
    #expect(inbox.requests.first?.line.utf8.count == ControlSocket.lineLimit)
    control.close()
  }

  @Test func aLongerLineIsRefusedInWords() throws {
    let control = try open()
    let client = Client(path)
    client.sendAll(String(repeating: "x", count: ControlSocket.lineLimit + 1) + "\n", turning: loop)
    loop.turn(until: { client.hasEnded })
    #expect(client.received.contains("longer than 1 MiB"))
    #expect(inbox.requests.isEmpty)
    control.close()
  }

  @Test func aLongAnswerToASlowClientArrivesWhole() throws {
    let control = try open()
    let client = Client(path)
    client.send("[]\n")
    loop.turn(until: { !inbox.requests.isEmpty })
    control.answer(inbox.requests[0].id, [UInt8](repeating: 65, count: 3_000_000))
    loop.turn(for: .milliseconds(20))
    loop.turn(until: { client.hasEnded })
    #expect(client.received.utf8.count == 3_000_001)
  }

  @Test func aClientThatHangsUpIsForgotten() throws {
    let control = try open()
    let client = Client(path)
    client.send("[]\n")
    loop.turn(until: { !inbox.requests.isEmpty })
    client.end()
    control.answer(inbox.requests[0].id, Array("{}".utf8))
    control.answer(inbox.requests[0].id, Array("{}".utf8))
    loop.turn(until: { control.clientCount == 0 })
    #expect(control.clientCount == 0 && inbox.requests.count == 1)
  }

  @Test func answerToUnknownRequestIsIgnored() throws {
    let control = try open()
    control.answer(99, [])
    #expect(control.clientCount == 0)
    let client = Client(path)
    client.send("[\"status\"]\n")
    loop.turn(until: { !inbox.requests.isEmpty })
    control.answer(inbox.requests[0].id + 1, Array("[]".utf8))
    #expect(control.clientCount == 1)
    control.answer(inbox.requests[0].id, Array("{}".utf8))
    loop.turn(until: { client.hasEnded })
    #expect(client.received == "{}\n")
  }

  /// Seats of the user who runs the tests.
  private let seats = getuid() == 0 ? ControlAdmission.root : ControlAdmission.each

  @Test func clientBeyondSeatLimitWaitsForASeat() throws {
    let control = try open()
    let idle = (0..<seats).map { _ in Client(path) }
    let late = Client(path)
    late.send("[\"late\"]\n")
    loop.turn(until: { control.clientCount == seats })
    loop.turn(for: .milliseconds(30))
    #expect(control.clientCount == seats)
    #expect(inbox.requests.isEmpty)
    idle[0].end()
    loop.turn(until: { !inbox.requests.isEmpty })
    #expect(inbox.requests.map(\.line) == ["[\"late\"]"])
    control.close()
  }

  @Test func clientBeyondWaitingLimitIsRefused() throws {
    let control = try open()
    let clients = (0..<seats + ControlAdmission.waitingEach).map { _ in Client(path) }
    loop.turn(until: { control.clientCount == seats })
    let last = Client(path)
    loop.turn(until: { last.hasEnded })
    #expect(last.received.contains("too many connections of this user at once"))
    withExtendedLifetime(clients) { control.close() }
  }

  @Test func aFullHouseDoesNotSpin() throws {
    let control = try open()
    let clients = (0...seats).map { _ in Client(path) }
    loop.turn(until: { control.clientCount == seats })
    loop.turn(for: .milliseconds(20))
    #expect(loop.comesToRest(for: .milliseconds(50), wakeUps: 2))
    withExtendedLifetime(clients) { control.close() }
  }

  @Test func requestIsMarkedIfClientIsRoot() throws {
    let control = try open()
    let client = Client(path)
    client.send("[]\n")
    loop.turn(until: { !inbox.requests.isEmpty })
    #expect(inbox.roots == [getuid() == 0])
    control.close()
  }

  @Test func theFileIsForOwnerAndGroupOnly() throws {
    let control = try open()
    var status = stat()
    lstat(path, &status)
    #expect(status.st_mode & 0o777 == 0o660)
    control.close()
  }

  @Test func theFileGoesWithTheSocket() throws {
    let control = try open()
    control.close()
    #expect(access(path, F_OK) != 0)
  }

  @Test func aSocketOfADeadDaemonIsReplaced() throws {
    // Bound, then closed without unlinking: what a kill -9 leaves behind.
    let control = try open()
    rename(path, path + ".kept")
    control.close()
    rename(path + ".kept", path)
    #expect(access(path, F_OK) == 0)
    let next = try open()
    let client = Client(path)
    client.send("[]\n")
    loop.turn(until: { !inbox.requests.isEmpty })
    next.close()
  }

  @Test func aLivingDaemonsSocketIsRefused() throws {
    let control = try open()
    #expect(refusal(at: path) == "\(path): another homewardd is running and answers there")
    #expect(access(path, F_OK) == 0)
    control.close()
  }

  @Test func anotherDaemonsFileIsLeftAlone() throws {
    let old = try open()
    unlink(path)
    let new = try open()
    old.close()
    #expect(access(path, F_OK) == 0)
    new.close()
  }

  @Test func aPlainFileIsLeftAlone() {
    scratch.put("precious", at: "control")
    #expect(refusal(at: path)?.contains("is a file, not a socket") == true)
    #expect(access(path, F_OK) == 0)
  }

  @Test func aMissingDirectoryIsNamed() {
    let path = "\(scratch.path)/none/control"
    #expect(refusal(at: path) == "\(path): the directory \(scratch.path)/none does not exist")
  }

  @Test func aPathTooLongForTheKernelIsRefused() {
    let path = "/tmp/" + String(repeating: "x", count: 110)
    #expect(refusal(at: path)?.contains("107 bytes") == true)
  }
}

/// Somebody at the other end, never blocking.
private final class Client {
  private var descriptor: Int32
  private var bytes: [UInt8] = []

  init(_ path: String) {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let result = withUnsafePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    #expect(result == 0)
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
  }

  deinit { end() }

  func end() {
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
  }

  func send(_ text: String) {
    let all = Array(text.utf8)
    #expect(Glibc.send(descriptor, all, all.count, 0) == all.count)
  }

  /// Turns the loop whenever the socket is full; gives up when the other side has closed.
  func sendAll(_ text: String, turning loop: EventLoop) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count > 0 { rest = rest.dropFirst(count) }
      if count < 0 && errno != EAGAIN { return }
      loop.runOnce(within: .zero)
    }
  }

  var received: String { String(decoding: bytes, as: UTF8.self) }

  /// Takes a little of what is there; true at the end of the connection.
  var hasEnded: Bool {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    bytes += buffer.prefix(max(0, count))
    return count == 0 || (count < 0 && errno != EAGAIN)
  }
}
