import Timebase

/// The states of the connection, from switched off to closing.
extension ConnectionMachine {
  enum State: Equatable {
    /// The person's switch is off.
    case off
    /// There is nothing to connect to.
    case idle
    case waiting(Wait)
    case trying(Attempt)
    /// The attempt has failed, and the events that the client has noted are being read.
    case failing(Attempt, BrokerCause)
    case online(StandingConnection)
    /// The connection ends, and the packets received until now are being read.
    case closing(StandingConnection, End)
  }

  /// For the next attempt.
  struct Wait: Equatable {
    /// Between two looks at the wall clock.
    static let look = Span.seconds(5)
    /// A clock that was set has jumped by more than this, seconds.
    static let jump = 30.0

    let until: Instant
    /// How far the wall clock was from the loop's when a certificate was not yet valid, seconds.
    let clockOffset: Double?

    func isOver(at now: Instant, _ offset: (Instant) -> Double) -> Bool {
      if until <= now { return true }
      return clockOffset.map { abs($0 - offset(now)) > Self.jump } ?? false
    }

    func alarm(from now: Instant) -> Instant {
      clockOffset == nil ? until : min(until, now + Self.look)
    }
  }

  struct Attempt: Equatable {
    enum Stage: Equatable {
      case resolving(since: Instant)
      case opening
      /// TLS and CONNECT. `refusal`: the broker's answer, if it has refused the connection.
      case greeting(refusal: Int?)
    }

    var stage: Stage
    /// The network has changed meanwhile: the next one follows at once.
    var isHurried = false

    var isGreeting: Bool { if case .greeting = stage { true } else { false } }
    var isResolving: Bool { if case .resolving = stage { true } else { false } }
  }

  enum End: Equatable {
    case lost(BrokerCause)
    case departure(Departure)
  }

  /// By our own will.
  package enum Departure: Equatable {
    /// For other settings, or because a person wants another one.
    case replaced(isSessionOther: Bool, for: BrokerCause = .settingsChanged)
    /// By the person's switch.
    case switchedOff
    /// For good, while the program goes on.
    case retired
    /// Without DISCONNECT.
    case vanished
    /// With the program.
    case stopped
  }

  /// The state of the connection, for callers.
  package enum Phase: Equatable, Sendable {
    /// Nothing is tried.
    case idle
    /// For the next attempt.
    case waiting
    /// The host is looked up.
    case resolving
    /// TCP.
    case opening
    /// TLS and CONNECT.
    case greeting
    /// It may be ending: packets from the broker still count.
    case connected
  }

  /// The present phase.
  package var phase: Phase {
    switch state {
    case .off, .idle, .failing: .idle
    case .waiting: .waiting
    case .trying(let attempt):
      switch attempt.stage {
      case .resolving: .resolving
      case .opening: .opening
      case .greeting: .greeting
      }
    case .online, .closing: .connected
    }
  }

  /// The connection that stands, or is just being left.
  package var connection: StandingConnection? {
    switch state {
    case .online(let connection), .closing(let connection, _): connection
    case .off, .idle, .waiting, .trying, .failing: nil
    }
  }

  /// The broker's answer to CONNECT, if it has refused the connection; 0: it has not.
  var refusal: Int {
    if case .trying(let attempt) = state, case .greeting(let refusal?) = attempt.stage { refusal } else { 0 }
  }

  /// Whether a connection is just being left.
  package var isClosing: Bool { if case .closing = state { true } else { false } }
}
