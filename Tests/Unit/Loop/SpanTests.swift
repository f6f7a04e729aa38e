import Testing
import Timebase

/// Lengths of time that no number holds.
struct SpanTests {
  private static let longest: Int64 = 9_000_000_000_000_000_000

  @Test func overlongSpanIsClamped() {
    for span in [Span.seconds(Int.max), .minutes(.max), .milliseconds(.max), .seconds(1e300)] {
      #expect(span.nanoseconds == Self.longest)
    }
    for span in [Span.seconds(Int.min), .minutes(.min), .milliseconds(.min), .seconds(-1e300)] {
      #expect(span.nanoseconds == -Self.longest)
    }
    // Beyond the limit, though a number would hold it.
    #expect(Span.seconds(9_100_000_000).nanoseconds == Self.longest)
  }

  @Test func wholeNumbersSayTheSameAsFractions() {
    #expect(Span.seconds(-3) == .seconds(-3.0))
    #expect(Span.milliseconds(1500) == .seconds(1.5))
    #expect(Span.minutes(2) == .seconds(120.0))
  }
}
