import CBlueZ
import Glibc
import Loop

/// One Bluetooth socket in the loop: packets in bounded batches, so that a crowd leaves others their turn.
final class BeaconSocket {
  /// Packets per wake-up: at 4 µs each they take a quarter of a millisecond.
  static let batch = 64
  /// The longest advertisement that the kernel hands on has 255 bytes of data; replies are shorter.
  private static let room = 1024

  private let descriptor: Int32
  private let buffer: UnsafeMutableRawBufferPointer
  private var watch: Watch?

  init(loop: EventLoop, descriptor: Int32, _ handler: @escaping (UnsafeRawBufferPointer) -> Void) {
    self.descriptor = descriptor
    buffer = .allocate(byteCount: Self.room, alignment: 8)
    watch = loop.watch(descriptor, for: .read) { [unowned self] _ in read(handler) }
  }

  deinit {
    close()
    buffer.deallocate()
  }

  func close() {
    guard let watch else { return }
    watch.cancel()
    self.watch = nil
    Glibc.close(descriptor)
  }

  /// Whether the kernel took it. An error of the command itself comes as its reply.
  func send(_ bytes: [UInt8]) -> Bool {
    watch != nil && cbluez_send(descriptor, bytes, bytes.count) >= 0
  }

  func send(command opcode: UInt16, _ parameters: [UInt8]) -> Bool {
    watch != nil && cbluez_send_command(descriptor, opcode, parameters, UInt8(parameters.count)) == 0
  }

  func attach(_ program: [cbluez_instruction]) {
    _ = cbluez_attach_filter(descriptor, program, UInt16(program.count))
  }

  private func read(_ handler: (UnsafeRawBufferPointer) -> Void) {
    // The handler may make the owner release this socket.
    withExtendedLifetime(self) {
      for _ in 0..<Self.batch {
        guard watch != nil else { return }
        let count = cbluez_receive(descriptor, buffer.baseAddress, buffer.count)
        guard count > 0 else { return }
        handler(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      }
    }
  }
}
