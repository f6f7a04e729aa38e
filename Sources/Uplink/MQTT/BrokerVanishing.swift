extension Broker {
  /// Ends whatever is under way without a word: the broker then publishes the will. Until `connect` is called.
  public func vanish() {
    isWanted = false
    if case .connected = phase {
      closeLink()
      client?.cut()
      digest()
      // Not to be found standing by what leaves politely.
      phase = .idle
      forget()
    }
    leave()
    dropClient()
    show(.switchedOff)
  }
}
