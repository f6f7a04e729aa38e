import Access
import Testing

@testable import homeward

/// The picture for a phone's camera, compared with those that python3-qrcode makes: its rows, 0 and 1, hashed.
struct QRCodeTests {
  @Test(arguments: [
    ("A", 1, "43f688a881761c91722f6a5b0cd903151091c3ebca0ddc94d636e65072abae1a"),
    (
      "http://10.42.0.1/pair?c=ABCD-EFGH", 0,
      "182a40cb84432ff31ea82eb5b05b4b6d361eace266a26793679b731e3be505bd"
    ),
    (
      "http://192.168.178.123:8080/pair?c=ABCD-EFGH", 3,
      "c8326d63701a2c410fd93a2b9163ae40b477c803212677a43a16c1787c76f280"
    ),
    (
      String(repeating: "x", count: 14), 6, "400be42d20a6884a9565cd231f58904724ab12d3d56a1830bbff519ea37e1975"
    ),
    (
      String(repeating: "x", count: 15), 2, "9dd0b16a1d8f3f51a9c03aa9458dbf53a4ae00f57d01cd7b357c6c1992fdd6c6"
    ),
    (
      String(repeating: "y", count: 84), 7, "4ee202e716dbfc5e8874415f12f7a279b0a5ecfd4540647dc60af49dc320c650"
    ),
    (
      String(repeating: "z", count: 85), 4, "0101c5aaf4182e70820fc6208d42ccc26b00f7ab5473c535e675faf0ef45f20f"
    ),
    (
      String(repeating: "z", count: 106), 5,
      "c87e7256a7eb56fcc7333ac6964f62916007581f03bc18e0317954ca8d726275"
    ),
  ])
  func theModulesAreThoseOfAnother(_ text: String, _ mask: Int, _ hash: String) throws {
    let code = try #require(QRCode(Array(text.utf8), mask: mask))
    #expect(Secret.hash(of: Self.rows(code)) == hash)
  }

  private static func rows(_ code: QRCode) -> String {
    code.modules.map { $0.map { $0 ? "1" : "0" }.joined() }.joined(separator: "\n")
  }

  @Test func theMaskIsOneOfTheEight() throws {
    let text = Array("http://10.42.0.1/pair?c=ABCD-EFGH".utf8)
    let all = (0..<8).compactMap { QRCode(text, mask: $0) }
    #expect(Set(all).count == 8)
    #expect(all.contains(try #require(QRCode(text))))
  }

  @Test func moreThanItTakesIsNoCode() {
    #expect(QRCode([UInt8](repeating: 65, count: 106)) != nil)
    #expect(QRCode([UInt8](repeating: 65, count: 107)) == nil)
  }

  @Test func aLineHasTwoRows() throws {
    let lines = try #require(QRCode(Array("A".utf8))).lines
    #expect(lines.count == 13)
    #expect(lines.allSatisfy { $0.count == 25 })
    #expect(lines[0] == String(repeating: "█", count: 25))
  }
}

/// By which addresses a phone is sent to the board.
struct BoardAddressesTests {
  private func address(_ interface: String, _ text: String) -> BoardAddresses.Address {
    BoardAddresses.Address(interface: interface, text: text)
  }

  @Test func theOwnWiFiIsFirstAndAPublicAddressIsNotNamed() {
    let (wired, wireless) = (address("eth0", "192.168.1.5"), address("wlan0", "10.42.0.1"))
    let (mobile, tunnel) = (address("wwan0", "93.184.216.34"), address("wg0", "100.64.0.9"))
    #expect(BoardAddresses.sorted([mobile, wired, tunnel, wireless]) == [wireless, wired, tunnel])
  }

  @Test(arguments: ["172.15.0.1", "172.32.0.1", "100.63.0.1", "100.128.0.1", "11.0.0.1", "169.254.1.1", ""])
  func othersAreNotPrivate(_ text: String) {
    #expect(!address("eth0", text).isPrivate)
  }
}
