import Core
import Glibc
import Host
import Loop
import Model
import OwnTracks
import Storage
import TestSupport
import Timebase

@testable import homewardd

/// What the daemon's parts are made of, with a directory of its own and a journal that can be read.
final class DaemonScene {
  let directory = Scratch()
  let loop: EventLoop
  let worker: Worker
  let settings: SettingsInForce
  let log: ServiceLog
  let host: TrackerHost
  private let journal = Ends()

  /// `change`: other settings than the defaults.
  init(_ change: (inout Configuration) -> Void = { _ in }) throws {
    loop = try EventLoop()
    worker = try Worker(loop: loop, name: "worker")
    var file = Configuration()
    file.identity.username = "u"
    file.board.stateDir = directory.path
    file.board.controlSocket = directory.path + "/control"
    change(&file)
    settings = SettingsInForce(file: file, hostName: "board")
    log = ServiceLog(loop: loop, log: Log(descriptor: journal.near, journalStream: nil))
    host = TrackerHost(loop: loop)
  }

  /// What the journal was told since the last time.
  func lines() -> [String] { journal.read().split(separator: "\n").map(String.init) }

  func tracker() -> Tracker {
    Tracker(configuration: settings.configuration, snapshot: Snapshot(), encoder: settings.encoder)
  }

  var friends: FriendBook {
    FriendBook(loop: loop, worker: worker, directory: directory.path, positions: 5) { _ in }
  }

  var extensions: OwnerExtensions {
    OwnerExtensions(loop: loop, worker: worker, additions: settings.additions, log: log)
  }

  /// A program of the owner that writes down what it was started for.
  func program(_ name: String) -> String {
    let path = directory.path + "/" + name
    writeFile(Array("#!/bin/sh\necho \"$1\" >> \(path).log\ncat > /dev/null\n".utf8), to: path)
    chmod(path, 0o700)
    return path
  }

  func text(_ name: String) -> String {
    String(decoding: readFile(directory.path + "/" + name), as: UTF8.self)
  }
}

extension TrackerHost {
  /// What was posted and waits, in a word or two.
  var waiting: [String] {
    inbox.map { event in
      switch event {
      case .commanded(let command): "commanded \(command.command)"
      case .commandBarred(let action, _, let refusal): "barred \(action ?? "?") \(refusal.rawValue)"
      case .commandMalformed(let action, _, let reason): "malformed \(action ?? "?"): \(reason)"
      case .stored(let batch, _): "stored \(batch)"
      case .storeFailed(let batch): "failed \(batch)"
      case .sendFailed(let sequence): "not sent \(sequence)"
      case .letterKept(let sequence): "kept \(sequence)"
      case .brokerLost: "lost"
      case .tick: "tick"
      case .configured: "configured"
      case .ignition(let isOn): "ignition \(isOn.map { $0 ? "on" : "off" } ?? "none")"
      case .vehicleVolts(let volts): "volts \(volts.map { "\($0)" } ?? "none")"
      case .pressureMeasured: "pressure"
      case _: "other"
      }
    }
  }
}
