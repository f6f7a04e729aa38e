import Model
import OwnTracks
import Testing

@testable import Uplink

/// What a post is made of.
@Suite struct HTTPSettingsTests {
  private func settings(_ change: (inout Configuration) -> Void = { _ in }) -> HTTPSettings {
    var configuration = Configuration()
    configuration.transport = .http
    configuration.http.url = "https://hook.example/pub"
    configuration.identity.username = "jane"
    configuration.identity.deviceId = "pi"
    configuration.login.password = "secret"
    change(&configuration)
    return HTTPSettings(configuration, topics: Topics(configuration, hostName: ""))
  }

  // MARK: Who we are

  @Test func userAndPasswordGoTogether() {
    let usual = settings()
    #expect(usual.username == "jane" && usual.password == "secret")
    let open = settings { $0.login.auth = false }
    #expect(open.username == nil && open.password == nil)
    let nobody = settings { $0.identity.username = "" }
    #expect(nobody.username == nil && nobody.password == nil)
    let bare = settings { $0.login.usePassword = false }
    #expect(bare.username == "jane" && bare.password == nil)
  }

  @Test func credentialsInURLOrHeaderAreNotDuplicated() {
    let address = settings { $0.http.url = "https://joe:word@hook.example/pub" }
    #expect(address.username == nil && address.password == nil)
    let header = settings { $0.http.headers = "authorization: Bearer abc" }
    #expect(header.username == nil && header.password == nil)
    #expect(header.headers.value("Authorization") == "Bearer abc")
    let other = settings { $0.http.headers = "X-Other: abc" }
    #expect(other.username == "jane")
  }

  // MARK: Headers

  private func lines(_ settings: HTTPSettings) -> [String] {
    settings.headers.all.map { "\($0.name): \($0.value)" }
  }

  @Test func theRecorderLearnsUserAndDevice() {
    #expect(
      lines(settings()) == ["Content-Type: application/json", "X-Limit-U: jane", "X-Limit-D: pi"])
  }

  @Test func missingIdentityUsesDefaultNames() {
    let nobody = settings {
      $0.identity.username = ""
      $0.identity.deviceId = ""
    }
    #expect(lines(nobody) == ["Content-Type: application/json", "X-Limit-U: user", "X-Limit-D: device"])
  }

  @Test func theConfigurationsHeadersWin() {
    let own = settings { $0.http.headers = "x-limit-u: joe\\nX-Key: 1" }
    #expect(
      lines(own) == ["Content-Type: application/json", "X-Limit-D: pi", "x-limit-u: joe", "X-Key: 1"])
  }

  // MARK: Questions

  @Test func onlyTLSWithoutAnyCheckIsInsecure() {
    for (url, isAllowed, isInsecure) in [
      ("https://a", true, true), ("https://a", false, false), ("http://a", true, false), ("", true, false),
    ] {
      let settings = settings {
        $0.http.url = url
        $0.tls.allowsInvalidCertificates = isAllowed
      }
      #expect(settings.isInsecure == isInsecure, "\(url) \(isAllowed)")
    }
  }

  @Test func unpostableSettingsAreNamed() {
    #expect(settings().fault == nil)
    let nowhere = BrokerCause.settingRefused("no endpoint: url is not set, or is no address")
    #expect(settings { $0.http.url = "" }.fault == nowhere)
    #expect(settings { $0.http.url = "mqtt://hook.example" }.fault == nowhere)
    var blocked = settings()
    blocked.blockedReason = "a setting"
    #expect(blocked.fault == .settingRefused("a setting"))
    let half = BrokerCause.settingRefused(
      "tlsClientCert and tlsClientKey: one is set, both or none are needed")
    #expect(settings { $0.tls.clientCertificate = "/c" }.fault == half)
    #expect(settings { $0.tls.clientKey = "/k" }.fault == half)
    let whole = settings {
      $0.tls.clientCertificate = "/c"
      $0.tls.clientKey = "/k"
    }
    #expect(whole.fault == nil)
  }

  @Test func timingSettingsDoNotChangeThePost() {
    let old = settings()
    #expect(!settings().isOther(than: old))
    #expect(!settings { $0.retry.timeout += 1 }.isOther(than: old))
    #expect(!settings { $0.retry.least += 1 }.isOther(than: old))
    #expect(!settings { $0.retry.most += 1 }.isOther(than: old))
    #expect(settings { $0.http.url = "https://other.example" }.isOther(than: old))
    #expect(settings { $0.messages.encryptionKey = "key" }.isOther(than: old))
  }

  // MARK: Why a post fails

  /// `code`: that of libcurl.
  private func cause(
    _ code: UInt32, _ words: String = "", system: Int32 = 0, verified: Int? = nil
  ) -> BrokerCause {
    let failure = HTTPRequest.Failure(code: code, systemError: system, verified: verified, words: words)
    return BrokerCause(failure, settings: settings { $0.tls.caFile = "/ca.pem" })
  }

  @Test func curlErrorCodesMapToCauses() {
    #expect(cause(3) == .settingRefused("no endpoint: url is not usable"))
    #expect(cause(6) == .nameNotFound(host: "hook.example"))
    #expect(cause(28) == .timedOut)
    #expect(cause(52) == .endedWithoutAnswer)
    #expect(cause(77) == .fileUnusable(path: "/ca.pem", what: "certificates"))
    #expect(cause(27, "Out of memory") == .systemError(code: 27, text: "Out of memory"))
    #expect(cause(27) == .systemError(code: 27, text: "libcurl error 27"))
  }

  /// 111: ECONNREFUSED, 1: EPERM.
  @Test func aConnectionThatDoesNotComeAboutHasTheKernelsReason() {
    #expect(cause(7, "Failed to connect", system: 111) == .refused)
    #expect(cause(7, "Failed to connect", system: 1).word == "systemError")
    #expect(cause(7, "Failed to connect", system: 1) == BrokerDiagnosis.system(1))
    #expect(cause(7, "Failed to connect") == .systemError(code: 7, text: "Failed to connect"))
  }

  @Test(arguments: [UInt32(55), 56])
  func aConnectionThatBreaksHasTheKernelsReasonOrAnAlert(_ code: UInt32) {
    #expect(cause(code, "Recv failure") == .reset)
    #expect(cause(code, "Recv failure", system: 110) == .timedOut)
    #expect(cause(code, "Recv failure", system: 1) == BrokerDiagnosis.system(1))
    #expect(cause(code, "tlsv13 alert certificate required") == .clientCertificateMissing)
    #expect(
      cause(code, "sslv3 alert bad certificate", system: 104)
        == .systemError(code: 0, text: "sslv3 alert bad certificate"))
  }

  @Test func aHandshakeThatFailsIsNamed() {
    for (words, wanted) in [
      ("error:0A00010B:SSL routines::wrong version number", BrokerCause.notTLS),
      ("error:0A0000C6:SSL routines::packet length too long", .notTLS),
      ("error:0A00042E:SSL routines::tlsv1 alert protocol version", .tlsVersion),
      ("error:0A000102:SSL routines::unsupported protocol", .tlsVersion),
      ("OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection", .closedInHandshake), ("", .closedInHandshake),
      ("no cipher match", .systemError(code: 35, text: "no cipher match")),
    ] { #expect(cause(35, words) == wanted, "\(words)") }
  }

  @Test func aCertificateThatIsRefusedIsNamed() {
    #expect(cause(60, "in other words") == .certificateRefusedBecause("in other words"))
    for code in [0, 1] { #expect(cause(60, verified: code) == .certificateWrongHost(host: "hook.example")) }
    #expect(cause(60, verified: 10) == .certificateExpired)
  }
}
