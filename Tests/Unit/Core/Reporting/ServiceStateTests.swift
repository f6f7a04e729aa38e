import Core
import Testing
import Timebase

@Suite struct ServiceStateTests {
  private let good = ServiceState.Inputs(
    isConfigured: true, fixAge: .seconds(1), fixAgeLimit: .seconds(30), isRadioDead: false, isConnected: true,
    waiting: 60, window: 60)

  private func standing(_ change: (inout ServiceState.Inputs) -> Void) -> ServiceState {
    var inputs = good
    change(&inputs)
    return ServiceState(inputs)
  }

  @Test func allWellIsOk() {
    #expect(ServiceState(good) == .ok)
  }

  @Test func aBoardThatCannotPublishIsBadlyConfigured() {
    #expect(standing { $0.isConfigured = false } == .badConfiguration)
  }

  @Test func aBoardThatNeverHadAFixHasNoGPS() {
    #expect(standing { $0.fixAge = nil } == .noGPS)
  }

  @Test func aFixThatIsTooOldIsNone() {
    #expect(standing { $0.fixAge = .seconds(31) } == .noGPS)
    #expect(standing { $0.fixAge = .seconds(30) } == .ok)
  }

  @Test func aReceiverThatIsOffOwesNoFix() {
    #expect(standing { ($0.fixAge, $0.fixAgeLimit) = (nil, nil) } == .ok)
    #expect(standing { ($0.fixAge, $0.fixAgeLimit) = (.seconds(1e6), nil) } == .ok)
  }

  @Test func anAdapterThatDoesNotListenIsADeadRadio() {
    #expect(standing { $0.isRadioDead = true } == .radioDead)
  }

  @Test func withoutAConnectionThereIsNoBroker() {
    #expect(standing { $0.isConnected = false } == .noBroker)
  }

  @Test func moreThanCanBeUnderWayIsABacklog() {
    #expect(standing { $0.waiting = 61 } == .backlog)
  }

  @Test func theWorstComesFirst() {
    let all = standing {
      $0.fixAge = nil
      $0.isRadioDead = true
      $0.isConnected = false
      $0.waiting = 1000
    }
    #expect(all == .noGPS)
  }
}
