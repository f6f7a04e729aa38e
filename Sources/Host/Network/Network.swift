import CLinux
import Glibc
import Loop
import Model
import Timebase

/// Follows which interface carries the default route. The kernel reports changes; there is no polling in between.
public final class NetworkWatch {
  /// Events, posted on the loop's thread.
  public enum Event: Hashable, Sendable {
    /// The network that the board uses has changed.
    case networkChanged(Network)
    /// Another link, gateway or address carries the traffic than before: a connection made before may
    /// be dead without knowing it. Not posted for the first route seen after the start.
    case routeChanged(isUsable: Bool)
  }

  // linux/rtnetlink.h
  private static let newLink: UInt16 = 16
  private static let delLink: UInt16 = 17
  private static let newRoute: UInt16 = 24
  private static let delRoute: UInt16 = 25
  private static let getRoute: UInt16 = 26
  /// RTMGRP_LINK, RTMGRP_IPV4_ROUTE, RTMGRP_IPV6_ROUTE
  private static let groups: UInt32 = 0x1 | 0x40 | 0x400

  /// Time for the kernel to answer; it needs some milliseconds at most.
  private static let answerTimeout = Span.seconds(1)

  /// As it was posted last.
  public private(set) var network = Network.unknown

  private let root: String
  private let post: (Event) -> Void
  private var wifi: WiFi?
  private let loop: EventLoop
  private var socket: NetlinkSocket?
  private var retry: Timer?

  /// The dump in progress: its number and the routes received so far.
  private var dump: (sequence: UInt32, routes: [DefaultRouteEntry])?
  /// Something changed during the dump: it has to be requested once more.
  private var isStale = false
  /// How often the routes were requested.
  private(set) var sequence: UInt32 = 0
  /// Nil until the first dump has ended; then the route, or none.
  private var route: DefaultRouteEntry??
  private var name = ""
  private var kind = LinkKind.wired

  /// `root`: the folder that describes the interfaces, /sys/class/net on every board.
  public init(
    loop: EventLoop, root: String = "/sys/class/net", post: @escaping (Event) -> Void
  ) throws(LoopError) {
    self.loop = loop
    self.root = root
    self.post = post
    socket = try NetlinkSocket(loop: loop, clinux_route, groups: Self.groups) { [unowned self] in
      received($0)
    }
    retry = loop.makeTimer { [unowned self] in askAgain() }
    wifi = WiFi(loop: loop) { [unowned self] in stationFound($0) }
    ask()
  }

  deinit { close() }

  /// Nothing is posted afterwards. Calling it twice is harmless.
  public func close() {
    retry?.cancel()
    socket?.close()
    wifi?.close()
  }

  private func ask() {
    guard dump == nil else {
      isStale = true
      return
    }
    sequence &+= 1
    isStale = false
    // struct rtmsg of zeros: every family, every table.
    let request = NetlinkMessage.bytes(
      type: Self.getRoute, flags: NetlinkMessage.dump, sequence: sequence,
      payload: [UInt8](repeating: 0, count: 12))
    if socket?.send(request) == true { dump = (sequence, []) }
    // Without this, no further request would follow one whose answer was lost.
    retry?.set(at: loop.now.instant + Self.answerTimeout)
  }

  /// The kernel refuses if it has no memory, or is still busy with a dump that was given up because messages of it were
  /// lost; in a flood even its refusal may be lost.
  private func askAgain() {
    dump = nil
    ask()
  }

  private func received(_ what: NetlinkSocket.Received) {
    switch what {
    case .datagram(let bytes):
      for message in NetlinkMessage.all(in: bytes) {
        if isOfDump(message) { dumpGoesOn(message) } else { somethingChanged(message) }
      }
    case .overrun:
      // The lost messages may have included the end of the dump.
      askAgain()
    }
  }

  private func isOfDump(_ message: NetlinkMessage) -> Bool {
    dump?.sequence == message.sequence && socket?.port == message.port
  }

  private func dumpGoesOn(_ message: NetlinkMessage) {
    if message.flags & NetlinkMessage.interrupted != 0 { isStale = true }
    switch message.type {
    case Self.newRoute:
      if let entry = DefaultRouteEntry(message.payload) { dump?.routes.append(entry) }
    case NetlinkMessage.done:
      let routes = dump?.routes ?? []
      dump = nil
      retry?.cancel()
      if isStale { ask() } else { decide(DefaultRouteEntry.best(of: routes)) }
    case NetlinkMessage.error:
      // `retry` asks again: at once it would be refused again.
      dump = nil
    default: break
    }
  }

  private func somethingChanged(_ message: NetlinkMessage) {
    switch message.type {
    case Self.newRoute, Self.delRoute:
      // Routes to somewhere in particular come and go; byte 1 is the length of the destination.
      if message.payload.dropFirst().first == 0 { ask() }
    case Self.newLink, Self.delLink:
      // Byte 4 of struct ifinfomsg: the interface. A cable or a station that is gone makes no route
      // message of its own.
      guard case .some(.some(let entry)) = route, message.payload.word32(at: 4) == entry.interface else {
        return
      }
      ask()
      if kind == .wifi { wifi?.look(at: entry.interface) }
    default: break
    }
  }

  private func decide(_ best: DefaultRouteEntry?) {
    let before = route
    guard before != .some(best) else { return }
    route = .some(best)
    name = best.flatMap { Self.name(of: $0.interface) } ?? ""
    kind = LinkKind(interface: name, root: root)
    wifi?.forget()
    switch (best, kind) {
    case (nil, _): set(.none)
    case (_, .mobile): set(.mobile)
    case (_, .wired): set(.wired)
    case (.some(let entry), .wifi):
      set(.wifi(ssid: nil, bssid: nil))
      wifi?.look(at: entry.interface)
    }
    if before != nil { post(.routeChanged(isUsable: best != nil)) }
  }

  private func stationFound(_ station: WiFi.Station) {
    guard case .some(.some(let entry)) = route, kind == .wifi, entry.interface == station.interface else {
      return
    }
    set(.wifi(ssid: station.ssid, bssid: station.bssid, megahertz: station.megahertz))
  }

  private func set(_ network: Network) {
    guard network != self.network else { return }
    self.network = network
    post(.networkChanged(network))
  }

  private static func name(of interface: UInt32) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(IF_NAMESIZE)) { buffer in
      guard let start = buffer.baseAddress else { return nil }
      return if_indextoname(interface, start).map { String(cString: $0) }
    }
  }
}
