// swift-tools-version:6.0
import PackageDescription

let package = Package(
  name: "mutants",
  dependencies: [.package(url: "https://github.com/swiftlang/swift-syntax", "600.0.1"..<"700.0.0")],
  targets: [
    .executableTarget(
      name: "mutate",
      dependencies: [
        .product(name: "SwiftOperators", package: "swift-syntax"),
        .product(name: "SwiftParser", package: "swift-syntax"),
        .product(name: "SwiftSyntax", package: "swift-syntax"),
      ])
  ]
)
