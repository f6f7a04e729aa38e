import Testing

@testable import Web

/// In whose name the board answers, and whose pages may change something.
struct HostNameTests {
  @Test(arguments: [
    "10.42.0.1", "10.42.0.1:8080", "127.0.0.1:80", "localhost", "localhost:8099", "van.local", "VAN.local.",
    "[fe80::1]", "[::1]:80", "[::ffff:1.2.3.4]", "van", "Van:80", "map.example.org",
  ])
  func theseAreOurs(_ host: String) {
    #expect(HostName.isOurs(host, names: ["van", "map.example.org"]))
  }

  @Test(arguments: [
    "", "evil.example", "10.42.0.1.evil.example", "1.2.3", "1.2.3.256", "1.2.3.4.5", "0x7f.1", "2130706433",
    ".local", "local", "van.local.evil.example", "van.localhost", "evil.locals", "van:80:80", "van:", "van:x",
    "van:99999", "[::1", "[]", "[x]", "[::1]evil.example", "[::1]x:80", "van@evil.example", "van/evil",
    "van evil", "van\u{0}", "v\u{e4}n.local", "ocalhost", "localhost.evil", "xvan", "van.example",
  ])
  func theseAreNot(_ host: String) {
    #expect(!HostName.isOurs(host, names: ["van", "map.example.org"]))
  }

  @Test func anEndlessNameIsNone() {
    #expect(!HostName.isOurs(String(repeating: "a", count: 300) + ".local", names: []))
  }

  @Test(
    arguments: [
      ("http://van", true), ("https://van", true), (nil, false), ("null", false), ("http://van:80", false),
      ("http://van.evil", false), ("http://evil", false), ("van", false), ("HTTP://van", false), ("", false),
    ] as [(String?, Bool)])
  func onlyTheHostThatWasAskedIsTheOwnOrigin(_ origin: String?, _ isOwn: Bool) {
    #expect(HostName.isOwn(origin: origin, host: "van") == isOwn)
  }
}
