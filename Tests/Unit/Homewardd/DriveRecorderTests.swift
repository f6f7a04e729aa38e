import Core
import Loop
import Model
import Storage
import Testing
import Timebase

@testable import homewardd

// behaviour: Recordings
/// What happens to the tracker is written down where the owner wants it.
struct DriveRecorderTests {
  private let scene: DaemonScene
  private let recorder: DriveRecorder

  init() throws {
    scene = try DaemonScene()
    recorder = DriveRecorder(loop: scene.loop, disk: scene.worker, log: scene.log)
  }

  private func at(_ seconds: Double) -> Moment {
    Moment(instant: scene.loop.now.instant + .seconds(seconds), wall: nil)
  }

  private func drive(from first: Int = 1, seconds: Int) {
    for second in first..<(first + seconds) {
      var reading = Reading()
      (reading.mode, reading.latitude, reading.longitude) = (3, 48, 11)
      if recorder.isBeginning {
        recorder.begin(mode: ModeState(mode: .move), regions: [], at: at(Double(second)))
      }
      recorder.note(.reading(reading), at: at(Double(second)))
    }
  }

  private var folder: RecordingFolder { RecordingFolder(path: scene.directory.path, limit: 1 << 20) }

  @Test func withoutTheKeyNothingIsWritten() {
    drive(seconds: 200)
    recorder.close()
    scene.worker.finish()
    #expect(scene.text("drive.000001.jsonl").isEmpty)
  }

  @Test func minuteIsWrittenAtOnceAndRestOnFlush() {
    recorder.configure(folder)
    drive(seconds: 59)
    #expect(scene.worker.pending == 0)
    drive(from: 60, seconds: 6)
    #expect(scene.worker.pending == 1)
    var isAnswered = false
    recorder.flush { isAnswered = true }
    scene.worker.finish()
    let lines = scene.text("drive.000001.jsonl").split(separator: "\n")
    #expect(isAnswered && lines.count { $0.contains("\"tpv\"") } == 65)
    #expect(lines.first == #"{"recording":{"begins":true,"goesOn":false,"head":4}}"#)
  }

  @Test func aDiskThatTakesNothingCostsAMegabyteAndOneLineOfTheJournal() {
    recorder.configure(RecordingFolder(path: "/nonexistent", limit: 64 << 20))
    drive(seconds: 100_000)
    #expect(recorder.isBeginning)
    while scene.worker.pending > 0 { scene.loop.runOnce(within: .milliseconds(20)) }
    drive(from: 100_001, seconds: 100)
    scene.worker.finish()
    #expect(scene.lines().count { $0.contains("record: /nonexistent/drive.000001.jsonl") } == 1)
  }

  @Test func anEndRightAfterAFileIsFullLosesNothing() {
    recorder.configure(folder)
    var seconds = 0
    // The last lot is written only once somebody asks for it.
    while !recorder.isBeginning || seconds == 0 {
      seconds += 1
      drive(from: seconds, seconds: 1)
    }
    recorder.close()
    scene.worker.finish()
    let lines = scene.text("drive.000001.jsonl").split(separator: "\n")
    #expect(seconds > 1000 && lines.count { $0.contains("\"tpv\"") } == seconds)
  }

  @Test func picturesAndQuestionsAreLeftOut() {
    recorder.configure(folder)
    drive(seconds: 1)
    recorder.note(["publish", "--image", String(repeating: "A", count: 5000)])
    recorder.note(["status"])
    recorder.note(["mode", "quiet"])
    recorder.close()
    scene.worker.finish()
    let lines = scene.text("drive.000001.jsonl").split(separator: "\n")
    #expect(lines.filter { $0.contains("control") }.count == 1)
    #expect(lines.last == #"{"stopped":true}"#)
  }
}
