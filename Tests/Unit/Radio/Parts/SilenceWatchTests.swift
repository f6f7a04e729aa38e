import Testing
import Timebase

@testable import Radio

/// One look a minute, call by call.
@Suite struct SilenceWatchTests {
  var watch = SilenceWatch()
  let start = Instant.zero + .seconds(100)

  private mutating func listen() { watch.listen(isNew: true, at: start) }

  @Test mutating func minuteWithReceptionIsHealthy() {
    listen()
    watch.heard(isReadable: true, at: start + .seconds(59))
    #expect(watch.look(at: start + .seconds(59)) == .nothing)
    #expect(watch.look(at: start + .minutes(1)) == .sender)
    #expect(watch.deadline == start + .minutes(2))
  }

  @Test mutating func aShortSilenceIsLookedAtWhenItIsLongEnough() {
    listen()
    watch.heard(isReadable: true, at: start + .seconds(55))
    #expect(watch.look(at: start + .minutes(1)) == .sender)
    #expect(watch.deadline == start + .seconds(70))
    #expect(watch.look(at: start + .seconds(70)) == .silence)
    #expect(watch.isDoubtful)
  }

  @Test mutating func advertisementsThatCannotBeReadEndNoSilence() {
    listen()
    for second in 0..<60 { watch.heard(isReadable: false, at: start + .seconds(second)) }
    #expect(watch.look(at: start + .minutes(1)) == .silence)
    watch.heard(isReadable: false, at: start + .seconds(61))
    #expect(watch.hasOnlyEmptyReports)
  }

  @Test mutating func silenceAfterALivelyMomentIsSuspectedOnce() {
    listen()
    watch.heard(isReadable: true, at: start + .seconds(10))
    #expect(watch.look(at: start + .minutes(1)) == .silence)
    #expect(watch.restarted(at: start + .minutes(1)) == true)
    #expect(watch.isSuspected)
    #expect(watch.look(at: start + .seconds(75)) == .deafness)
    #expect(!watch.isSuspected)
    #expect(watch.isDoubtful)
    #expect(watch.restarted(at: start + .minutes(2)) == false)
  }

  @Test mutating func silenceThatBeganLongAgoIsAQuietPlace() {
    listen()
    #expect(watch.restarted(at: start + .minutes(1)) == false)
    #expect(!watch.isSuspected)
    #expect(!watch.isRestartDue(at: start + .minutes(2)))
    #expect(watch.isRestartDue(at: start + .minutes(11)))
  }

  @Test mutating func confirmedReceptionEndsSuspicion() {
    watch.heard(isReadable: true, at: start)
    _ = watch.restarted(at: start)
    watch.believe()
    #expect(!watch.isDoubtful)
    #expect(watch.deadline == nil)
    #expect(watch.isRestartDue(at: start))
  }

  @Test mutating func silenceAfterAPowerCycleIsKnown() {
    watch.heard(isReadable: true, at: start)
    watch.distrust()
    watch.cycled(at: start + .seconds(1))
    #expect(watch.isSilentAfterCycle)
    #expect(!watch.isCycleDue(at: start + .minutes(10)))
    #expect(watch.isCycleDue(at: start + .seconds(601)))
    watch.heard(isReadable: true, at: start + .seconds(2))
    #expect(!watch.isSilentAfterCycle)
  }
}
