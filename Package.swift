// swift-tools-version:6.0
import PackageDescription

// Everything of ours compiles with warnings as errors; optimised for size, because the daemon
// shares a small board's memory with whatever else runs there. Exclusive access is checked where the tests
// run, in debug builds; checking it again on every fix costs a twentieth of one.
let strict: [SwiftSetting] = [
  .unsafeFlags(["-warnings-as-errors"]),
  .unsafeFlags(
    ["-Osize", "-enforce-exclusivity=unchecked", "-Xfrontend", "-function-sections"],
    .when(configuration: .release)),
]

// What the daemon is made of does without regular expressions: one search of a text in a text would link all of their
// library, whose tables cost 48 kB of private memory.
let frugal: [SwiftSetting] =
  strict + [.unsafeFlags(["-Xfrontend", "-disable-implicit-string-processing-module-import"])]

// What decides runs for simulated years in its tests: optimised it takes them a third of the time. All that debug builds
// look after is looked after all the same.
let pure: [SwiftSetting] =
  frugal + [
    .unsafeFlags(
      ["-O", "-assert-config", "Debug", "-enforce-exclusivity=checked"], .when(configuration: .debug))
  ]

// The functions that a fix runs lie side by side, in the order of a list that Tests/Instruments/Bench/order makes;
// HOMEWARD_ORDER names another one. A name that is gone does no harm.
let order = Context.environment["HOMEWARD_ORDER"] ?? "\(Context.packageDirectory)/board/link/order"

// HOMEWARD_STATIC: with the Swift runtime from its archives, as --static-swift-stdlib has it, which compiles everything
// otherwise, too. Tests/run makes programs and unit tests of the same objects.
let runtime: [LinkerSetting] =
  Context.environment["HOMEWARD_STATIC"] == nil ? [] : [.unsafeFlags(["-static-stdlib"])]

// What the static runtime does not ask for by itself, of the libraries that the argument parser uses.
let runtimeOfTools: [LinkerSetting] =
  runtime.isEmpty
  ? []
  : runtime + [
    .unsafeFlags([
      "-lswift_StringProcessing", "-lswift_RegexParser", "-lswiftSynchronization", "-l_FoundationCollections",
      "-l_FoundationCShims",
    ])
  ]

// What the release link saves is measured in Tests/Instruments/Bench: identical functions folded, unused
// sections dropped, and libgps taken from its archive so that D-Bus, systemd and gcrypt stay out.
// (libgps brings its own strlcpy, and so does the static Swift runtime: either will do.) board/link
// holds a linker script that takes the C++ library that the Swift runtime wants from its archive, too.
// Segments begin with a page: how many pages the start writes to is left less to chance. Addresses that the loader fills
// in are listed in short. No name of the program is there for libraries to find, but for those that CPacketGate takes in
// their place.
let lean: [LinkerSetting] =
  runtime + [
    .unsafeFlags([
      "-use-ld=lld", "-L\(Context.packageDirectory)/board/link", "-Xlinker", "-l:libgps.a",
      "-Xlinker", "-l:libbluetooth.a", "-Xlinker", "--allow-multiple-definition",
    ]),
    .unsafeFlags(
      [
        "-Xlinker", "--gc-sections", "-Xlinker", "--icf=all", "-Xlinker", "-z", "-Xlinker",
        "separate-loadable-segments", "-Xlinker", "--symbol-ordering-file=\(order)", "-Xlinker",
        "--no-warn-symbol-ordering", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs", "-Xlinker",
        "--no-export-dynamic",
      ], .when(configuration: .release)),
  ]
  + ["read", "write", "SSL_read", "getaddrinfo"].map {
    .unsafeFlags(["-Xlinker", "--export-dynamic-symbol=\($0)"])
  }

// The page's server has neither a receiver nor a radio.
let web: [LinkerSetting] =
  runtime + [
    .unsafeFlags(["-use-ld=lld", "-L\(Context.packageDirectory)/board/link"]),
    .unsafeFlags(
      ["-Xlinker", "--gc-sections", "-Xlinker", "--icf=all"], .when(configuration: .release)),
  ]

// Tests are compiled as they stand: optimised they would take twice the time to build. What they test is optimised as
// the product is.
let plain: [SwiftSetting] = [
  .unsafeFlags(
    ["-Onone", "-no-whole-module-optimization", "-enable-batch-mode"], .when(configuration: .release))
]

// A test program that has the decoder of gpsd's reports or the radio in it.
let archives: [LinkerSetting] = [
  .unsafeFlags(["-Xlinker", "-l:libgps.a", "-Xlinker", "-l:libbluetooth.a"])
]

// Libraries for Tests/Instruments, which is a package of its own; nobody else uses them.
let parts = [
  "Access", "Core", "Host", "Loop", "Model", "OwnTracks", "Radio", "Receiver", "Replay", "Storage",
  "Timebase", "Uplink", "Web",
]

let package = Package(
  name: "homeward",
  products: [
    .executable(name: "homewardd", targets: ["homewardd"]),
    .executable(name: "homeward", targets: ["homeward"]),
    .executable(name: "homeward-web", targets: ["homeward-web"]),
  ] + parts.map { Product.library(name: $0, targets: [$0]) },
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0")
  ],
  targets: [
    // System libraries: one module map each.
    .systemLibrary(
      name: "CMosquitto", pkgConfig: "libmosquitto",
      providers: [.apt(["libmosquitto-dev", "libssl-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CJansson", pkgConfig: "jansson", providers: [.apt(["libjansson-dev"])]),
    .systemLibrary(
      name: "CMicroHTTPD", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
    .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
    .target(name: "CGPS"),
    .target(name: "CBlueZ"),
    .target(name: "CLinux"),
    .target(name: "CPacketGate"),
    // Loaded only where it is wanted; libcurl's numbers come from its header.
    .target(name: "CCurl"),
    .target(name: "CSodium"),
    // Loaded only for homeward unbatch and fleet check --broker; the prototypes come from libmosquitto's header.
    .target(name: "CClient"),
    .target(name: "CZlib"),
    .target(name: "CQRCode"),

    // Pure: decisions.
    .target(name: "Timebase", dependencies: ["CLinux"], swiftSettings: pure),
    .target(name: "Model", dependencies: ["Timebase"], swiftSettings: pure),
    .target(name: "Core", dependencies: ["Model", "Timebase"], swiftSettings: pure),

    // Messages and files to values and back.
    .target(
      name: "OwnTracks", dependencies: ["Model", "Timebase", "CJansson", "CSodium"], swiftSettings: frugal),

    // The outside.
    .target(name: "Loop", dependencies: ["CLinux", "Timebase"], swiftSettings: frugal),
    .target(
      name: "Host", dependencies: ["OwnTracks", "Model", "Timebase", "Loop", "CLinux"],
      swiftSettings: frugal),
    .target(
      name: "Uplink",
      dependencies: [
        "OwnTracks", "Model", "Timebase", "Loop", "CMosquitto", "CPacketGate", "CCurl",
      ],
      swiftSettings: frugal),
    .target(
      name: "Storage",
      dependencies: ["OwnTracks", "Model", "Timebase", "Loop", "CSQLite", "CLinux"],
      swiftSettings: frugal),
    .target(
      name: "Radio", dependencies: ["Host", "Model", "Timebase", "Loop", "CBlueZ"], swiftSettings: frugal),
    .target(name: "Receiver", dependencies: ["Model", "Timebase", "Loop", "CGPS"], swiftSettings: frugal),
    .executableTarget(
      name: "homewardd",
      dependencies: [
        "Answers", "Core", "OwnTracks", "Model", "Timebase", "Loop", "Uplink", "Storage", "Radio",
        "Receiver", "Host",
      ],
      swiftSettings: frugal, linkerSettings: lean),
    // What people and programs are told, by the daemon and in a replay.
    .target(
      name: "Answers", dependencies: ["Core", "OwnTracks", "Model", "Timebase"], swiftSettings: frugal),
    // A recorded day through the same decisions.
    .target(
      name: "Replay", dependencies: ["Answers", "Core", "OwnTracks", "Model", "Timebase", "CExpat"],
      swiftSettings: strict),
    // Who may open the page.
    .target(name: "Access", dependencies: ["OwnTracks", "Timebase", "CSodium"], swiftSettings: frugal),
    // The page's server.
    .target(
      name: "Web",
      dependencies: [
        "Access", "OwnTracks", "Timebase", "Loop", "CMicroHTTPD", "CSQLite", "CZlib", "CLinux",
      ],
      swiftSettings: frugal),
    .executableTarget(
      name: "homeward-web", dependencies: ["Web"], exclude: ["page"], swiftSettings: frugal,
      linkerSettings: web),
    .executableTarget(
      name: "homeward",
      dependencies: [
        "Replay", "Access", "OwnTracks", "Model", "Timebase", "CQRCode", "CClient",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      // The other linkers leave tables writable that only the loader writes.
      swiftSettings: strict,
      linkerSettings: runtimeOfTools + [.unsafeFlags(["-use-ld=lld"])]),

    // What the tests of several targets share.
    .target(
      name: "TestSupport", dependencies: ["Loop", "Timebase"], path: "Tests/Unit/Support",
      swiftSettings: plain),
    .testTarget(
      name: "CoreTests", dependencies: ["Core", "Model", "Timebase"], path: "Tests/Unit/Core",
      swiftSettings: plain),
    .testTarget(
      name: "OwnTracksTests", dependencies: ["OwnTracks", "Model", "Timebase", "TestSupport"],
      path: "Tests/Unit/OwnTracks", swiftSettings: plain),
    .testTarget(
      name: "LoopTests", dependencies: ["Loop", "Timebase"], path: "Tests/Unit/Loop", swiftSettings: plain),
    .testTarget(
      name: "HostTests", dependencies: ["Host", "OwnTracks", "Loop", "Model", "Timebase", "TestSupport"],
      path: "Tests/Unit/Host", swiftSettings: plain),
    .testTarget(
      name: "UplinkTests",
      dependencies: ["Uplink", "OwnTracks", "Loop", "Model", "Timebase", "CPacketGate", "TestSupport"],
      path: "Tests/Unit/Uplink", swiftSettings: plain),
    .testTarget(
      name: "StorageTests",
      dependencies: ["Storage", "Host", "Loop", "Model", "Timebase", "CSQLite", "TestSupport"],
      path: "Tests/Unit/Storage", exclude: ["Stores"], swiftSettings: plain),
    .testTarget(
      name: "RadioTests",
      dependencies: ["Radio", "Host", "Loop", "Model", "Timebase", "CBlueZ", "TestSupport"],
      path: "Tests/Unit/Radio",
      swiftSettings: plain, linkerSettings: archives),
    .testTarget(
      name: "ReceiverTests", dependencies: ["Receiver", "Loop", "Model", "Timebase", "CGPS", "TestSupport"],
      path: "Tests/Unit/Receiver",
      swiftSettings: plain, linkerSettings: archives),
    // Puts every input of the fuzzers' corpus through its parser; Tests/Instruments makes up further ones.
    .testTarget(
      name: "FuzzTests",
      dependencies: [
        "homewardd", "Core", "OwnTracks", "Model", "Timebase", "Loop", "Uplink", "Storage", "Radio",
        "Receiver", "Host", "Replay", "Access", "Web", "CMosquitto",
      ], path: "Tests/Unit/Fuzz",
      swiftSettings: plain, linkerSettings: archives),
    .testTarget(
      name: "HomewarddTests",
      dependencies: [
        "homewardd", "Answers", "Core", "OwnTracks", "Model", "Timebase", "Loop", "Uplink", "Storage",
        "Radio", "Receiver", "Host", "TestSupport",
      ], path: "Tests/Unit/Homewardd",
      swiftSettings: plain, linkerSettings: archives),
    .testTarget(
      name: "AnswersTests", dependencies: ["Answers", "Core", "OwnTracks", "Model", "Timebase"],
      path: "Tests/Unit/Answers", swiftSettings: plain),
    .testTarget(
      name: "ReplayTests", dependencies: ["Replay", "Answers", "Core", "OwnTracks", "Model", "Timebase"],
      path: "Tests/Unit/Replay", swiftSettings: plain),
    .testTarget(
      name: "HomewardTests",
      dependencies: ["homeward", "Access", "Replay", "OwnTracks", "Model", "Timebase", "TestSupport"],
      path: "Tests/Unit/Homeward", swiftSettings: plain),
    .testTarget(
      name: "AccessTests", dependencies: ["Access", "Timebase"], path: "Tests/Unit/Access",
      swiftSettings: plain),
    .testTarget(
      name: "WebTests", dependencies: ["Web", "OwnTracks"], path: "Tests/Unit/Web", swiftSettings: plain),
    .testTarget(name: "TidyTests", path: "Tests/Unit/Tidy", swiftSettings: plain),

    // A hostile world on a seed around the real Core and the real store; shipped to nobody.
    .target(
      name: "Simulator",
      dependencies: ["Core", "OwnTracks", "Model", "Timebase", "Uplink", "Storage", "CSQLite"],
      path: "Tests/Simulator",
      exclude: ["Command", "README.md", "figures", "known", "report", "run", "states", "unseen"],
      // A third of the time that its tests take is its judges' own.
      swiftSettings: strict + [.unsafeFlags(["-O"], .when(configuration: .debug))]),
    // The two below name Core, though they do not import it: SwiftPM would not compile them anew when a
    // struct inside of it changes its size, and with it that of a world.
    .executableTarget(
      name: "simulate", dependencies: ["Simulator", "Core"], path: "Tests/Simulator/Command",
      swiftSettings: strict,
      linkerSettings: lean),
    .testTarget(
      name: "SimulationTests", dependencies: ["Simulator", "Storage", "Uplink", "Core", "Model", "Timebase"],
      path: "Tests/Unit/Simulation", swiftSettings: plain),
  ]
)
