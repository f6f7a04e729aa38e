import Model
import Testing

struct SightingTests {
  @Test func aUUIDIsReadAndWrittenInEitherCase() {
    let text = "CA271EAE-5FA8-4E80-8F08-2A302A95A959"
    let uuid = BeaconUUID(text.lowercased())
    #expect(uuid == BeaconUUID(high: 0xCA27_1EAE_5FA8_4E80, low: 0x8F08_2A30_2A95_A959))
    #expect(uuid?.text == text)
  }

  @Test func malformedUUIDIsRejected() {
    for text in ["", "CA271EAE5FA84E808F082A302A95A959", "CA271EAE-5FA8-4E80-8F08-2A302A95A95G"] {
      #expect(BeaconUUID(text) == nil)
    }
  }
}
