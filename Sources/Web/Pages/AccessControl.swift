import Access
import Glibc
import OwnTracks
import Timebase

/// Access control of the page: it keeps the sessions and takes the one-time code.
final class AccessControl {
  private let sessionsPath: String
  private let codePath: String
  private var sessions = Sessions()
  private var mark: String?

  /// `state`: the folder that outlives us; `run`: the folder in which the command line leaves the code.
  init(state: String, run: String) {
    sessionsPath = state + "/" + Sessions.fileName
    codePath = run + "/" + OneTimeCode.fileName
  }

  /// Nil: no known session.
  func session(cookie: String?) -> Session? {
    guard let key = Cookie.key(in: cookie) else { return nil }
    readAnew()
    return sessions.session(ofKey: key, at: SystemClock.rawWall().wholeSeconds)
  }

  /// Whether it is still one of them.
  func knows(_ session: Session) -> Bool {
    readAnew()
    return sessions.all.contains { $0.hash == session.hash }
  }

  /// The key of a new session; nil: the code is wrong, or none is to be had any more.
  func admit(code typed: String, device: String, at now: Instant) -> String? {
    guard let bytes = DiskFile.read(codePath, limit: OneTimeCode.fileLimit),
      var code = OneTimeCode(file: bytes), code.isGood(at: now)
    else { return nil }
    // Counted before it is looked at: who has the power cut has had his try.
    code.failures += 1
    guard DiskFile.replace(codePath, with: code.file, mode: 0o660) else { return nil }
    guard code.isOpened(by: typed) else { return nil }
    unlink(codePath)
    readAnew()
    let key = Secret.key()
    sessions.add(
      Session(
        hash: Secret.hash(of: key), permission: code.permission,
        made: SystemClock.rawWall().wholeSeconds, device: device))
    guard DiskFile.replace(sessionsPath, with: sessions.file, mode: 0o600) else { return nil }
    mark = DiskFile.mark(of: sessionsPath)
    return key
  }

  /// The command line forgets sessions in the file.
  private func readAnew() {
    let found = DiskFile.mark(of: sessionsPath)
    guard found != mark else { return }
    mark = found
    sessions = Sessions(file: DiskFile.read(sessionsPath, limit: Sessions.fileLimit) ?? [])
  }
}
