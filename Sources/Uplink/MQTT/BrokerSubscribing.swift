import Loop
import Timebase

/// Asking for what the broker is to deliver, and for less where that turned out to be too much.
extension Broker {
  /// Called while the library reads the greeting: what goes out now goes ahead of the messages that it sends
  /// again, so that an end of the connection has one reason only.
  func subscribe(after greeting: BrokerClient.Greeting) {
    guard greeting.code == 0, !isClearing, settings != nil else { return }
    subscriptions.connected(isSessionPresent: greeting.isSessionPresent)
    askForSubscriptions()
  }

  /// Those that are due: at the greeting, and later our commands again where they were left out.
  func askForSubscriptions() {
    guard let client, let settings, client.socket >= 0 else { return }
    let now = loop.now.instant
    for filter in subscriptions.due(at: now) {
      if let number = client.subscribe([filter], qos: settings.subscriptionQoS) {
        subscriptions.asked(filter, number: number)
      } else {
        subscriptions.impossible(filter, at: now)
      }
    }
    showSubscriptions()
    if case .connected = phase { updateInterest() }
  }

  /// What was left out is asked for again: a person has looked after it.
  public func askAnew() {
    subscriptions.forgive()
    if phase.isConnected { askForSubscriptions() } else { showSubscriptions() }
  }

  func subscribed(_ number: Int32, _ codes: [Int32]) {
    subscriptions.answered(number, codes, at: loop.now.instant)
    showSubscriptions()
    announceConnection()
  }

  func subscribeTimerFired() {
    announceConnection(isWaitOver: true)
    askForSubscriptions()
  }

  /// From here on messages come.
  func announceConnection(isWaitOver: Bool = false) {
    guard let greeting = unannounced else { return }
    if subscriptions.isCareful, subscriptions.isUnanswered, !isWaitOver {
      subscribeTimer?.set(at: loop.now.instant + Self.carefulWait)
      return
    }
    unannounced = nil
    showSubscriptions()
    post(.connected(isSessionPresent: greeting.isSessionPresent, receiveMaximum: greeting.receiveMaximum))
  }

  /// A broker that does not answer for so long holds up no message.
  private static let carefulWait = Span.seconds(2)

  func showSubscriptions() {
    let missing = phase.isConnected ? subscriptions.missing : subscriptions.leftOut
    status.notSubscribed = missing.map { missing in
      NotSubscribed(filter: missing.filter, word: missing.gap.rawValue, why: missing.gap.sentence)
    }
    guard unannounced == nil || !phase.isConnected else { return }
    subscribeTimer?.set(at: phase.isConnected ? subscriptions.dueAgain : nil)
  }

  // MARK: Too much

  /// After a packet that is not taken in. Whatever brought it comes again with the next subscription, or waits
  /// in the session: so first the strangers' filters go, then MQTT 5 is tried, which has a word for the size that
  /// we take, and at last nothing is subscribed for a while.
  func reachForLess() {
    let now = loop.now.instant
    mustClearSession = settings?.isSessionClean == false
    if subscriptions.reachesOthers {
      subscriptions.overran(evenOwn: false, at: now)
    } else if levelInstead == nil, let level = settings?.protocolLevel, level < 5 {
      levelInstead = 5
    } else {
      giveUpOtherLevel()
    }
    dropClient()
  }

  /// The broker does not speak MQTT 5, or speaks it and sends too much all the same.
  func giveUpOtherLevel() {
    levelInstead = nil
    // What the broker says to MQTT 5 is no verdict on what comes next.
    isHurried = true
    subscriptions.overran(evenOwn: true, at: loop.now.instant)
    dropClient()
  }
}

extension Broker.Phase {
  var isConnected: Bool {
    if case .connected = self { true } else { false }
  }
}

extension BrokerSubscriptions.Gap {
  /// For people.
  var sentence: String {
    switch self {
    case .unanswered: "the broker has not confirmed it yet"
    case .refused: "the broker refuses it: see its access rules"
    case .ended: "the broker ends the connection over it: see its access rules; asked for again later"
    case .oversized:
      "left out: a message over \(BrokerClient.payloadLimit / 1024) KiB waits there; asked for again later"
    }
  }
}
