// swift-tools-version:6.0
import PackageDescription

// What the tests measure and break the product with. A package of its own: the product's manifest names none
// of it, and an ordinary build compiles none of it.

// As the product is compiled.
let strict: [SwiftSetting] = [
  .unsafeFlags(["-warnings-as-errors"]),
  .unsafeFlags(
    ["-Osize", "-enforce-exclusivity=unchecked", "-Xfrontend", "-function-sections"],
    .when(configuration: .release)),
]

// And as it is linked: libgps from its archive, without D-Bus and systemd.
let lean: [LinkerSetting] = [
  .unsafeFlags([
    "-use-ld=lld", "-L\(Context.packageDirectory)/../../board/link", "-Xlinker", "-l:libgps.a",
    "-Xlinker", "-l:libbluetooth.a", "-Xlinker", "--allow-multiple-definition",
  ]),
  .unsafeFlags(["-Xlinker", "--gc-sections", "-Xlinker", "--icf=all"], .when(configuration: .release)),
]

func parts(_ names: String...) -> [Target.Dependency] {
  names.map { .product(name: $0, package: "homeward") }
}

let package = Package(
  name: "instruments",
  // Named: it would otherwise be called like the folder that the checkout lies in.
  dependencies: [.package(name: "homeward", path: "../..")],
  targets: [
    .executableTarget(
      name: "beacon-ear", dependencies: parts("Radio", "Host", "Loop", "Model", "Timebase"), path: "Ear",
      swiftSettings: strict, linkerSettings: lean),
    .executableTarget(
      name: "beacon-cost", dependencies: parts("Radio", "Model", "Timebase"), path: "Bench/BeaconCost",
      swiftSettings: strict, linkerSettings: lean),
    .executableTarget(
      name: "power-cuts", dependencies: parts("Storage", "Loop", "Model", "Timebase"),
      path: "PowerCuts/Instrument", swiftSettings: strict),
  ]
)
