import Testing

@testable import homeward

/// Whether anything serves the page.
struct ListeningPortsTests {
  private let table = """
      sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
       0: 00000000:0050 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 20211 1
       1: 0100007F:1F90 0100007F:9C40 01 00000000:00000000 00:00000000 00000000     0        0 20212 1
    """

  @Test func onlyListeningPortsCount() {
    #expect(ListeningPorts.has(80, in: table))
    #expect(!ListeningPorts.has(8080, in: table))
    #expect(!ListeningPorts.has(81, in: table))
    #expect(!ListeningPorts.has(80, in: ""))
  }
}
