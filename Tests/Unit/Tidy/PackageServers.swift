/// Servers of packages: which of them a machine reaches is a matter of its own configuration, and apt, pip and npm know.
enum PackageServers {
  /// Put together here so that this file does not contain them.
  static let hosts = [
    ["deb", "debian.org"], ["ftp", "debian.org"], ["security", "debian.org"], ["snapshot", "debian.org"],
    ["httpredir", "debian.org"], ["archive", "debian.org"], ["archive", "raspberrypi.org"],
    ["archive", "raspberrypi.com"], ["archive", "raspbian.org"], ["archive", "ubuntu.com"], ["pypi", "org"],
    ["files", "pythonhosted.org"], ["registry", "npmjs.org"], ["proxy", "golang.org"],
  ].map { $0.joined(separator: ".") }

  static func named(_ file: SourceFile) -> [String] {
    file.lines.enumerated().flatMap { number, line in
      hosts.filter { line.contains($0) }.map {
        "\(file.path):\(number + 1): \($0): ask the machine's own configuration"
      }
    }
  }
}
