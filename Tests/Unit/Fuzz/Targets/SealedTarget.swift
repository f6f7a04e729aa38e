import OwnTracks

@testable import homewardd

/// What may be encrypted: a payload from a topic. What opens is ours, what does not is counted and named in
/// one line, once; everything else passes as it is.
enum SealedTarget {
  @Sendable static func feed(_ input: UnsafeRawBufferPointer) {
    let payload = Array(input)
    var payloadEncryption = PayloadEncryption()
    payloadEncryption.configure("s1kr3t")
    // Nothing to say of it where the library is missing: the unit tests do.
    guard payloadEncryption.blockedReason == nil else { return }
    let isEnvelope = (try? JSON.parse(payload))?["_type"]?.text == Encryption.type
    switch payloadEncryption.open(payload, from: "owntracks/a/b") {
    case .plain(let same):
      claim(same == payload && !isEnvelope, "passed as it is: \(payload)")
      claim(payloadEncryption.unopened == 0, "counted")
    case .opened(let plain):
      claim(isEnvelope && payloadEncryption.unopened == 0, "opened what is no envelope")
      claim(plain.count + 40 <= payload.count, "more came out than was in it")
      var again = PayloadEncryption()
      again.configure("another")
      if case .opened = again.open(payload, from: "t") { claim(false, "any key opens it") }
    case .refused(let warning):
      claim(isEnvelope && payloadEncryption.unopened == 1, "refused what is no envelope")
      Claim.isPlain(warning ?? "", "encrypted message")
      claim(payloadEncryption.open(payload, from: "owntracks/a/b") == .refused(nil), "told twice")
      claim(payloadEncryption.unopened == 2, "not counted")
    }
  }
}
