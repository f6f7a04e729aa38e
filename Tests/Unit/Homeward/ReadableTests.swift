import OwnTracks
import Testing

@testable import homeward

/// Numbers as people read them.
struct ReadableTests {
  @Test func spansChangeTheirUnit() {
    #expect(Readable.span(-3) == "0 s")
    #expect(Readable.span(119.4) == "119 s")
    #expect(Readable.span(120) == "2 min")
    #expect(Readable.span(7199) == "119 min")
    #expect(Readable.span(12_000) == "3 h 20 min")
    #expect(Readable.span(172_800 + 7200) == "2 d 2 h")
    #expect(Readable.span(.infinity) == "?")
  }

  @Test func bytesChangeTheirUnit() {
    #expect(Readable.bytes(9999) == "9999 bytes")
    #expect(Readable.bytes(10_000) == "10 kB")
    #expect(Readable.bytes(12_345_678) == "12 MB")
  }

  @Test func numbersHaveNoNeedlessDecimals() {
    #expect(Readable.number(5.04) == "5")
    #expect(Readable.number(5.06) == "5.1")
    #expect(Readable.number(48.137_154_9, decimals: 6) == "48.137155")
    #expect(Readable.number(0.000_01, decimals: 6) == "0.00001")
    #expect(Readable.number(.nan) == "?")
    #expect(Readable.number(1e300) == "1e+300")
  }

  @Test func valuesAreShownWithoutQuotes() {
    #expect(Readable.value(nil) == "-" && Readable.value(.null) == "-")
    #expect(Readable.value(true) == "yes" && Readable.value("a") == "a")
    #expect(Readable.value(["Home", 1, 0.5]) == "Home, 1, 0.5")
  }

  @Test func implausibleTimeIsShownAsUnknown() {
    #expect(Readable.time(1e12) == "?")
    #expect(Readable.time(1_700_000_000).hasPrefix("2023-11-1"))
    #expect(Readable.time(1_700_000_000).hasSuffix(":00"))
  }
}
