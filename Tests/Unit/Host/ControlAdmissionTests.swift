import Testing

@testable import Host

// behaviour: The control socket
/// Who gets a seat at the control socket.
struct ControlAdmissionTests {
  private let mallory: Int64 = 1001

  @Test func oneUserTakesHalfOfTheSeats() {
    var seats = ControlAdmission()
    let answers = (0..<ControlAdmission.each + 1).map { _ in seats.admit(mallory) }
    #expect(answers.filter { $0 == .seat }.count == ControlAdmission.each)
    #expect(answers.last == .wait)
    let other = seats.admit(1002)
    #expect(other == .seat)
  }

  @Test func rootIsSeatedWhenOtherUsersAreRefused() {
    var seats = ControlAdmission()
    for user in 1001..<1100 { for _ in 0..<60 { _ = seats.admit(Int64(user)) } }
    let late = seats.admit(1100)
    #expect(late == .no)
    let answers = (0..<ControlAdmission.root).map { _ in seats.admit(0) }
    #expect(answers.allSatisfy { $0 == .seat })
  }

  @Test func waitingClientIsSeatedWhenItsUserFreesASeat() {
    var seats = ControlAdmission()
    for _ in 0..<ControlAdmission.each + 1 { _ = seats.admit(mallory) }
    let early = seats.seat(mallory)
    seats.left(mallory)
    let late = seats.seat(mallory)
    #expect(!early && late)
    let next = seats.admit(mallory)
    #expect(next == .wait)
  }

  @Test func newClientQueuesBehindWaitingOneOfSameUser() {
    var seats = ControlAdmission()
    for _ in 0..<ControlAdmission.each + 1 { _ = seats.admit(mallory) }
    seats.left(mallory)
    let next = seats.admit(mallory)
    #expect(next == .wait)
  }

  @Test func theLinesAreBounded() {
    var seats = ControlAdmission()
    let own = (0..<100).map { _ in seats.admit(mallory) }
    #expect(own.filter { $0 == .wait }.count == ControlAdmission.waitingEach)
    let all = (2000..<2100).map { _ in seats.admit(2000) } + (0..<100).map { seats.admit(Int64(3000 + $0)) }
    #expect(all.filter { $0 == .wait }.count <= ControlAdmission.waitingCommon - ControlAdmission.waitingEach)
  }
}
