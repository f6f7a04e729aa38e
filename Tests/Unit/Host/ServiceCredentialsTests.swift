import Glibc
import OwnTracks
import TestSupport
import Testing

@testable import Host

// behaviour: Secrets of the service manager
/// Secrets that systemd hands over, where the settings have none.
@Suite struct ServiceCredentialsTests {
  let scratch = Scratch()

  private func read(_ members: String, _ overrides: [(String, String)] = []) throws
    -> ConfigurationFile.Decoded
  {
    scratch.put(#"{"_type":"configuration","host":"h","username":"u"\#(members)}"#, at: "homeward.otrc")
    return try ConfigurationSource.read(
      scratch.path + "/homeward.otrc", overrides: overrides,
      credentials: ServiceCredentials.found { $0 == "CREDENTIALS_DIRECTORY" ? scratch.path + "/given" : nil })
  }

  @Test func withoutAnyNothingIsFound() {
    #expect(ServiceCredentials.found { _ in nil }.isEmpty)
    #expect(ServiceCredentials.found { _ in scratch.path + "/none" }.isEmpty)
    #expect(ServiceCredentials.found { _ in "given" }.isEmpty)
  }

  @Test func credentialsFillSecretsMissingFromFile() throws {
    scratch.put("open sesame\n", at: "given/password")
    scratch.put("0123456789", at: "given/encryptionKey")
    scratch.put("ignored", at: "given/host")
    let configuration = try read(#","password":"""#).configuration
    #expect(configuration.login.password == "open sesame")
    #expect(configuration.messages.encryptionKey == "0123456789")
    #expect(configuration.broker.host == "h")
  }

  @Test func theFileAndTheCommandLineWin() throws {
    scratch.put("open sesame", at: "given/password")
    let path = scratch.path + "/homeward.otrc"
    scratch.put("{}", at: "homeward.otrc")
    chmod(path, 0o600)
    #expect(try read(#","password":"mine""#).configuration.login.password == "mine")
    #expect(try read("", [("password", "typed")]).configuration.login.password == "typed")
  }

  @Test func aKeyIsHandedOverAsAFile() throws {
    scratch.put("-----BEGIN CERTIFICATE-----\n", at: "given/tlsClientCert")
    scratch.put("-----BEGIN PRIVATE KEY-----\n", at: "given/tlsClientKey")
    let tls = try read("").configuration.tls
    #expect(tls.clientKey == scratch.path + "/given/tlsClientKey")
    #expect(tls.clientCertificate == scratch.path + "/given/tlsClientCert")
  }

  /// It is named, and its value is not.
  @Test func aBadOneStopsTheStartAndIsNotQuoted() {
    scratch.put(String(repeating: "s", count: 33), at: "given/encryptionKey")
    #expect {
      _ = try read("")
    } throws: {
      let text = "\($0)"
      return text.contains("credential: encryptionKey is (hidden), expected") && !text.contains("sss")
    }
  }

  @Test func credentialIsRedactedInDump() throws {
    scratch.put("open sesame", at: "given/password")
    let configuration = try read("").configuration
    let dump = String(decoding: ConfigurationFile.encode(configuration, redacting: true), as: UTF8.self)
    #expect(dump.contains("***") && !dump.contains("sesame"))
  }
}
