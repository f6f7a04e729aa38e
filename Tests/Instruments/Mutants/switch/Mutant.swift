import Glibc

/// The switch of all breaks: `MUTANT` in the environment says which one is on. `MUTANTS_REACHED` names a file that tells,
/// a byte each, which of them were come by.
public enum Mutant {
  private static let active = getenv("MUTANT").flatMap { Int32(String(cString: $0)) }.map(Int.init) ?? -1
  nonisolated(unsafe) private static let reached: UnsafeMutablePointer<UInt8>? = {
    guard let path = getenv("MUTANTS_REACHED") else { return nil }
    let file = open(path, O_RDWR)
    guard file >= 0 else { return nil }
    let size = Int(lseek(file, 0, SEEK_END))
    let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
    close(file)
    guard let memory, memory != MAP_FAILED else { return nil }
    return memory.bindMemory(to: UInt8.self, capacity: size)
  }()

  @inline(never) public static func `is`(_ number: Int) -> Bool {
    reached?[number] = 1
    return number == active
  }

  public static func less<T: Comparable>(_ number: Int, _ a: T, _ b: T) -> Bool {
    `is`(number) ? a <= b : a < b
  }
  public static func atMost<T: Comparable>(_ number: Int, _ a: T, _ b: T) -> Bool {
    `is`(number) ? a < b : a <= b
  }
  public static func more<T: Comparable>(_ number: Int, _ a: T, _ b: T) -> Bool {
    `is`(number) ? a >= b : a > b
  }
  public static func atLeast<T: Comparable>(_ number: Int, _ a: T, _ b: T) -> Bool {
    `is`(number) ? a > b : a >= b
  }

  public static func and(_ number: Int, _ a: Bool, _ b: @autoclosure () throws -> Bool) rethrows -> Bool {
    `is`(number) ? try a || b() : try a && b()
  }
  public static func or(_ number: Int, _ a: Bool, _ b: @autoclosure () throws -> Bool) rethrows -> Bool {
    `is`(number) ? try a && b() : try a || b()
  }

  public static func pick<T: ExpressibleByIntegerLiteral>(_ number: Int, _ a: T, _ b: T) -> T {
    `is`(number) ? b : a
  }
  public static func pick<T: ExpressibleByFloatLiteral>(_ number: Int, _ a: T, _ b: T) -> T {
    `is`(number) ? b : a
  }
}
