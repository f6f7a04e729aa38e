// swift-tools-version:6.0
import PackageDescription

// What the tests measure, fuzz and break the product with; README.md says what each program answers. A
// package of its own: the product's manifest names none of it, and an ordinary build compiles none of it.
//
// What the product calls `package` or internal is imported here by @testable, as in the unit tests, and a
// release build of that takes -Xswiftc -enable-testing. This depends on neither the compiler nor the
// checkout; -package-name would have to be the name of the folder that the checkout lies in.

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

// The connection to the broker is looked after by functions that take the place of libc's and OpenSSL's, as in the product.
let gated: [LinkerSetting] =
  lean
  + ["read", "write", "SSL_read", "getaddrinfo"].map {
    .unsafeFlags(["-Xlinker", "--export-dynamic-symbol=\($0)"])
  }

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
    // Many boards in one process.
    .executableTarget(
      name: "herd-sessions", dependencies: parts("Core", "Loop", "Model", "OwnTracks", "Timebase", "Uplink"),
      path: "Herd/Sessions", swiftSettings: strict, linkerSettings: gated),
    .executableTarget(
      name: "power-cuts", dependencies: parts("Storage", "Loop", "Model", "Timebase"),
      path: "PowerCuts/Instrument", swiftSettings: strict),

    // One program cannot be linked into another, so the fuzzers compile the daemon's files that read what
    // comes from outside as a library, through a symbolic link. `homewardd` is taken already as the name of a
    // module: their targets see this one by that name.
    .target(
      name: "Daemon", dependencies: parts("Core", "Model", "OwnTracks", "Timebase"), path: "Fuzz/Daemon",
      sources: ["PayloadEncryption.swift", "Traffic.swift"], swiftSettings: strict),
    // The files of the unit tests, which put the corpus through them, through a symbolic link as well.
    .target(
      name: "FuzzTargets",
      dependencies: ["Daemon"]
        + parts(
          "Access", "Core", "Host", "Loop", "Model", "OwnTracks", "Radio", "Receiver", "Replay", "Storage",
          "Timebase", "Uplink", "Web"), path: "Fuzz/FuzzTargets",
      exclude: ["CorpusTests.swift", "MutationTests.swift"],
      swiftSettings: strict + [.unsafeFlags(["-module-alias", "homewardd=Daemon"])]),
    .executableTarget(
      name: "many", dependencies: ["FuzzTargets"], path: "Fuzz/Numbered", swiftSettings: strict,
      linkerSettings: lean),
    .target(name: "CFuzzer", path: "Fuzz/CFuzzer"),
    // Needs a toolchain with libFuzzer.
    .executableTarget(
      name: "fuzz", dependencies: ["CFuzzer", "FuzzTargets"], path: "Fuzz/LibFuzzer", swiftSettings: strict,
      linkerSettings: lean),
  ]
)
