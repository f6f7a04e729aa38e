import Access

/// The doctor's findings about the page for phones; none where it is not installed or not wanted.
enum PageFindings {
  static func findings(_ socket: PageSocket?, isListening: (Int) -> Bool = ListeningPorts.has) -> [Finding] {
    guard let socket, socket.isEnabled else { return [] }
    do { try Secret.load() } catch {
      return [
        Finding(
          .fail, "page", "libsodium cannot be loaded (\(error.why))", remedy: "sudo apt install libsodium23")
      ]
    }
    guard isListening(socket.port) else {
      return [
        Finding(
          .fail, "page", "switched on, and nothing listens on port \(socket.port)",
          remedy: "systemctl status homeward-web.socket; sudo systemctl restart homeward-web.socket")
      ]
    }
    return [Finding(.ok, "page", "on port \(socket.port); a phone is let in by: sudo homeward web")]
  }
}
