import Testing
import Timebase

@testable import Access

/// The word that lets a phone in.
struct OneTimeCodeTests {
  private let now = Instant(nanoseconds: 5_000_000_000)

  @Test func itOpensHoweverItIsTyped() {
    let (words, code) = OneTimeCode.make(for: .change, at: now)
    let plain = words.filter { $0 != "-" }
    for typed in [words, plain, words.lowercased(), " " + words + " ", plain.map { "\($0) " }.joined()] {
      #expect(code.isOpened(by: typed), "\(typed)")
    }
  }

  @Test func nothingElseOpensIt() {
    let (words, code) = OneTimeCode.make(for: .change, at: now)
    let (other, _) = OneTimeCode.make(for: .change, at: now)
    for typed in [
      "", "-", String(words.dropLast()), words + "2", other, String(repeating: words, count: 9), code.hash,
    ] {
      #expect(!code.isOpened(by: typed), "\(typed)")
    }
  }

  @Test func wellFormedChosenCodeOpens() {
    #expect(OneTimeCode.make(of: "abcd-2345", for: .look, at: now)?.isOpened(by: "ABCD2345") == true)
    for words in ["", "ABCD-234", "ABCD-23456", "ABCD-0123", "ABCD-IOIO", "ABCD 2345", "ÄBCD-234"] {
      #expect(OneTimeCode.make(of: words, for: .look, at: now) == nil)
    }
  }

  @Test func itIsGoodForTenMinutes() {
    let (_, code) = OneTimeCode.make(for: .look, at: now)
    #expect(code.isGood(at: now))
    #expect(code.isGood(at: now + .seconds(599)))
    #expect(!code.isGood(at: now + .seconds(600)))
    // A restart sets the clock to nothing, and the code is of another life.
    #expect(!code.isGood(at: now - .seconds(5)))
    // Made in the middle of the wake-up that looks at it.
    #expect(code.isGood(at: now - .milliseconds(30)))
  }

  @Test func fiveWrongTriesEndIt() {
    var (_, code) = OneTimeCode.make(for: .look, at: now)
    code.failures = 4
    #expect(code.isGood(at: now))
    code.failures = 5
    #expect(!code.isGood(at: now))
  }

  @Test func theFileSaysAllButTheCode() {
    let (words, code) = OneTimeCode.make(for: .look, at: now)
    #expect(OneTimeCode(file: code.file) == code)
    #expect(!String(decoding: code.file, as: UTF8.self).contains(words.prefix(4)))
  }

  @Test(arguments: [
    "", "{}", "[]", "null", #"{"code":"a","made":1,"may":"rule","failures":0}"#,
    #"{"code":"a","made":1,"may":"look","failures":-9}"#, #"{"code":1,"made":1,"may":"look","failures":0}"#,
    #"{"code":"a","made":1e300,"may":"look","failures":0}"#,
  ])
  func aFileThatIsNoneOpensNothing(_ text: String) {
    #expect(OneTimeCode(file: Array(text.utf8)) == nil)
  }
}
