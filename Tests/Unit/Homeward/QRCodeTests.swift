import Testing

@testable import homeward

/// The picture for a phone's camera. That a reader finds the link in it shows `Programs/page/test-page-server.py`.
struct QRCodeTests {
  private func code(_ count: Int) throws -> QRCode? { try QRCode([UInt8](repeating: 65, count: count)) }

  /// The side grows with the bytes as level M has it: 14 in the smallest, 2331 in the largest.
  @Test(arguments: [(1, 21), (14, 21), (15, 25), (84, 37), (85, 41), (106, 41), (2331, 177)])
  func theSideIsTheSmallestWithRoom(_ count: Int, _ side: Int) throws {
    let modules = try #require(try code(count)).modules
    #expect(modules.count == side)
    #expect(modules.allSatisfy { $0.count == side })
  }

  @Test func moreThanItTakesIsNoCode() throws {
    #expect(try code(2332) == nil)
  }

  @Test func aCornerIsASquareInASquare() throws {
    let modules = try #require(try code(1)).modules
    let corner = modules.prefix(8).map { row in row.prefix(8).map { $0 ? "#" : "." }.joined() }
    #expect(
      corner == [
        "#######.", "#.....#.", "#.###.#.", "#.###.#.", "#.###.#.", "#.....#.", "#######.", "........",
      ])
  }

  @Test func aLineHasTwoRows() throws {
    let lines = try #require(try code(1)).lines
    #expect(lines.count == 13)
    #expect(lines.allSatisfy { $0.count == 25 })
    #expect(lines[0] == String(repeating: "█", count: 25))
    #expect(lines[1].hasPrefix("██ ▄▄▄▄▄ █"))
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
