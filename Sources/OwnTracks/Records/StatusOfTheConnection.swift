/// The part of `status` about the server, and about a probe without a daemon.
extension StatusRecord {
  /// The way to the server.
  public final class Connection: AnswerRecord {
    /// `green`, `amber`, `red` or `blue`.
    public var colour: String?
    /// The same, for people.
    public var state: String?
    /// The obstacle, in one line.
    public var cause: String?
    /// The cause, for programs.
    public var word: String?
    /// The remedy, for people.
    public var remedy: String?
    /// Since it was last there.
    public var attempts: Int?
    /// Seconds.
    public var since: Double?
    /// Seconds until it is tried again.
    public var nextAttempt: Double?
    /// Of the broker.
    public var host: String?
    /// Of the broker.
    public var port: Int?
    /// In place of both where messages are posted.
    public var endpoint: String?
    /// The way there is encrypted.
    public var tls: Bool?
    /// Whose certificate it is was not looked at.
    public var insecure: Bool?
    /// Payloads are.
    public var encrypted: Bool?
    /// Messages since the start.
    public var acknowledged: Int?
    /// Messages since the start.
    public var sent: Int?
    /// The version that is spoken.
    public var mqtt: String?
    /// Filters that the broker has agreed to deliver.
    public var subscription: [String]?
    /// Those that it has not.
    public var notSubscribed: [Missing]?
    /// Why the connection was last lost.
    public var lastError: LastError?
    /// The will, which reports this board gone.
    public var statusWill: Will?
    /// By a person; otherwise nil.
    public var switchedOff: Bool?
    /// Whether the broker passes on what it acknowledges; nil: no connection.
    public var delivery: Delivery?
    /// Whether commands arrive; nil: not asked for.
    public var commands: Commands?
    /// Topics where it takes nothing for now.
    public var untaken: [Untaken]?

    /// Nothing is known.
    public init() {}

    public func keys(_ keys: inout AnswerKeys) {
      keys("colour", &colour)
      keys("state", &state)
      keys("cause", &cause)
      keys("word", &word)
      keys("remedy", &remedy)
      keys("attempts", &attempts)
      keys("since", &since)
      keys("nextAttempt", &nextAttempt)
      keys("host", &host)
      keys("port", &port)
      keys("endpoint", &endpoint)
      keys("tls", &tls)
      keys("insecure", &insecure)
      keys("encrypted", &encrypted)
      keys("acknowledged", &acknowledged)
      keys("sent", &sent)
      keys("mqtt", &mqtt)
      keys("subscription", &subscription)
      keys("notSubscribed", &notSubscribed)
      keys("lastError", &lastError)
      keys("statusWill", &statusWill)
      keys("switchedOff", &switchedOff)
      keys("delivery", &delivery)
      keys("commands", &commands)
      keys("untaken", &untaken)
    }
  }
}

extension StatusRecord.Connection {
  /// A subscription that the broker has not agreed to.
  public struct Missing: AnswerRecord {
    /// The topics.
    public var filter: String?
    /// `refused`, `ended`, `oversized` or `unanswered`.
    public var word: String?
    /// For people.
    public var why: String?

    /// Nothing is known.
    public init() {}

    public mutating func keys(_ keys: inout AnswerKeys) {
      keys("filter", &filter)
      keys("word", &word)
      keys("why", &why)
    }
  }

  /// Why the connection was last lost.
  public struct LastError: AnswerRecord {
    /// For people.
    public var text: String?
    /// Seconds.
    public var age: Double?

    /// Nothing is known.
    public init() {}

    public mutating func keys(_ keys: inout AnswerKeys) {
      keys("text", &text)
      keys("age", &age)
    }
  }

  /// The broker's message about this board once it is gone.
  public struct Will: AnswerRecord {
    /// It is there.
    public var placed: Bool?
    /// Why not.
    public var cause: String?

    /// Nothing is known.
    public init() {}

    public mutating func keys(_ keys: inout AnswerKeys) {
      keys("placed", &placed)
      keys("cause", &cause)
    }
  }

  /// How it is known that the broker passes on what it acknowledges, and what is known.
  public struct Delivery: AnswerRecord {
    /// `reasonCodes`, `roundTrip` or `nothing`.
    public var by: String?
    /// Topics without a subscriber.
    public var unheard: [String]?
    /// Topics on which a message came back.
    public var proven: [String]?
    /// Seconds ago, of each of them.
    public var provenAges: [Double]?
    /// Topics on which nothing came back.
    public var missing: [String]?
    /// Topics that the broker lets no one read.
    public var unreadable: [String]?

    /// Nothing is known.
    public init() {}

    public mutating func keys(_ keys: inout AnswerKeys) {
      keys("by", &by)
      keys("unheard", &unheard)
      keys("proven", &proven)
      keys("provenAges", &provenAges)
      keys("missing", &missing)
      keys("unreadable", &unreadable)
    }
  }

  /// Whether commands arrive.
  public struct Commands: AnswerRecord {
    /// Where.
    public var topic: String?
    /// `untried`, `heard`, `missing`, `unclear` or `barred`.
    public var state: String?
    /// Seconds since one was heard.
    public var age: Double?
    /// Why it was barred.
    public var why: String?

    /// Nothing is known.
    public init() {}

    public mutating func keys(_ keys: inout AnswerKeys) {
      keys("topic", &topic)
      keys("state", &state)
      keys("age", &age)
      keys("why", &why)
    }
  }

  /// A topic where the broker takes nothing for now.
  public struct Untaken: AnswerRecord {
    /// In full.
    public var topic: String?
    /// For people.
    public var why: String?
    /// The remedy, for people.
    public var remedy: String?

    /// Nothing is known.
    public init() {}

    public mutating func keys(_ keys: inout AnswerKeys) {
      keys("topic", &topic)
      keys("why", &why)
      keys("remedy", &remedy)
    }
  }
}
