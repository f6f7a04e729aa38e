/// Certificates of boards that openssl has made, and what belongs to them.
package enum SampleCertificates {
  /// One for ute, a request for the next one, and the answer to it.
  package static let present = """
    -----BEGIN CERTIFICATE-----
    MIIBgzCCASmgAwIBAgIUQU3ngL74I+Td9OSh83z1P9pTyBswCgYIKoZIzj0EAwIw
    DTELMAkGA1UEAwwCY2EwHhcNMjYxMTI5MjA0ODIzWhcNMjcwOTI1MjA0ODIzWjAh
    MREwDwYDVQQKDAhNeSAvIE9yZzEMMAoGA1UEAwwDdXRlMFkwEwYHKoZIzj0CAQYI
    KoZIzj0DAQcDQgAETGcGNE9CSpxJj8MNZORj8/uoVe061PO3EDdu9U5gv3Lc7+Zz
    iFuMnqZ1bEb7G8rGWGO3FFTQdXzrzZZEB4JGXKNTMFEwHQYDVR0OBBYEFNYvyXG6
    HFO8/9F6T212q8Zx1BReMB8GA1UdIwQYMBaAFDGu4SIAUN6Vhe5dPYTOfKbImicn
    MA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIhAKE9XpE4lXw4xBCM
    VI0zcS60EJiam41B7uZCyHxeYsi4AiAHTonfZXI+LU1rMXYqP9NdB/Zs5kyL0mEg
    J5OITJUJjQ==
    -----END CERTIFICATE-----
    """
  package static let request = """
    -----BEGIN CERTIFICATE REQUEST-----
    MIHdMIGDAgEAMCExETAPBgNVBAoMCE15IC8gT3JnMQwwCgYDVQQDDAN1dGUwWTAT
    BgcqhkjOPQIBBggqhkjOPQMBBwNCAAQ7oUqy89LLD6rPORWtxPIbxUdROQ0Kp5MW
    T7wkBBHotgUTVslbBMlOwjHb57vWqao97RNbIOLGyNPRVE3S0urFoAAwCgYIKoZI
    zj0EAwIDSQAwRgIhAPzZtmRTVNmiRh5vdKPstKQGdZvB4deY8lilxV5jp3aPAiEA
    kBQf/CfOqoF+5Fq1lAm2PqEXr2T10p6xXSLWS4UL9fk=
    -----END CERTIFICATE REQUEST-----
    """
  package static let requestOfDomain = """
    -----BEGIN CERTIFICATE REQUEST-----
    MIHeMIGRAgEAMF4xEzARBgoJkiaJk/IsZAEZFgNvcmcxFzAVBgoJkiaJk/IsZAEZ
    FgdleGFtcGxlMSAwHgYJKoZIhvcNAQkBFhFmbGVldEBleGFtcGxlLm9yZzEMMAoG
    A1UEAwwDdXRlMCowBQYDK2VwAyEA8a3SjzJ03cUFLodd9YRFwdSAYspok17LB2af
    W8cTyYGgADAFBgMrZXADQQB6xQYZOPU+PDXAU9ECKm7O8Z6B1h5yJUEUZrqsJLVX
    eq4xLwE+/IGBBuoA0SByUy9s7I1nYYWamAwzP/H8ZswD
    -----END CERTIFICATE REQUEST-----
    """
  package static let renewed = """
    -----BEGIN CERTIFICATE-----
    MIIBcTCCARegAwIBAgICRxEwCgYIKoZIzj0EAwIwDTELMAkGA1UEAwwCY2EwHhcN
    MjYxMTI5MjA0ODIzWhcNMzYxMTI2MjA0ODIzWjAhMREwDwYDVQQKDAhNeSAvIE9y
    ZzEMMAoGA1UEAwwDdXRlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEO6FKsvPS
    yw+qzzkVrcTyG8VHUTkNCqeTFk+8JAQR6LYFE1bJWwTJTsIx2+e71qmqPe0TWyDi
    xsjT0VRN0tLqxaNTMFEwHQYDVR0OBBYEFO8nlKIFv0VQ6denjYnillz49ztSMB8G
    A1UdIwQYMBaAFDGu4SIAUN6Vhe5dPYTOfKbImicnMA8GA1UdEwEB/wQFMAMBAf8w
    CgYIKoZIzj0EAwIDSAAwRQIhAKZk1wj7th2qE8/xjWHNV6qG2CKNz1vXug2JPxRP
    JJ+oAiBhoTF7H/AwIZ2FgqF5/MGo5XtCURjWLeJj2Wxn3+t+VA==
    -----END CERTIFICATE-----
    """

  /// As `fleet make` has openssl make them: for jäne, until 2036-11-26 20:38:27.
  package static let ofFleet = """
    -----BEGIN CERTIFICATE-----
    MIIBlDCCATugAwIBAgIURLwOi+OyBIQ9uWKTplC9CVt3a3IwCgYIKoZIzj0EAwIw
    IDEOMAwGA1UEAwwFasOkbmUxDjAMBgNVBAoMBWZsZWV0MB4XDTI2MTEyOTIwMzgy
    N1oXDTM2MTEyNjIwMzgyN1owIDEOMAwGA1UEAwwFasOkbmUxDjAMBgNVBAoMBWZs
    ZWV0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE6bdW4b9JaPLufc9jnqzdcOkV
    VjamAlau7oZGY0S1hfAG5+DbMjtNalAhNRvZGbkHp+RXH3GqGAf0cd+dObnkz6NT
    MFEwHQYDVR0OBBYEFC3AkqtoRI4tZPUWYbKJRbpe2mvQMB8GA1UdIwQYMBaAFC3A
    kqtoRI4tZPUWYbKJRbpe2mvQMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwID
    RwAwRAIgZNuj6IowE/u59yYaPG7wuI3ECkFjgkxmVq/P5HcaiFwCIE7A1aOshJLd
    plr+bUvcGoZS48xVRkmrxCaloien4HgK
    -----END CERTIFICATE-----
    """
  /// The key to it.
  package static let keyOfFleet = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg+ySP/qKfeSTneV0L
    ScgEWdjtT0J4Ff+/xjfB4sKQYCGhRANCAATpt1bhv0lo8u59z2OerN1w6RVWNqYC
    Vq7uhkZjRLWF8Abn4NsyO01qUCE1G9kZuQen5FcfcaoYB/Rx3505ueTP
    -----END PRIVATE KEY-----
    """
  /// The public half of `keyOfFleet`, as openssl prints it on one line.
  package static let publicKeyOfFleet =
    "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE6bdW4b9JaPLufc9jnqzdcOkVVjam"
    + "Alau7oZGY0S1hfAG5+DbMjtNalAhNRvZGbkHp+RXH3GqGAf0cd+dObnkzw=="

  /// Renewed ones with their keys, as boards keep them: until 2037-11-12 15:20:57, and that of the fleet.
  package static let pairs = [own + "\n" + keyOfOwn + "\n", ofFleet + "\n" + keyOfFleet + "\n"]
  package static let own = """
    -----BEGIN CERTIFICATE-----
    MIIBcTCCARegAwIBAgIUEB8EtS+rup6uGQryCOxBlm+lzyEwCgYIKoZIzj0EAwIw
    DjEMMAoGA1UEAwwDdXRlMB4XDTI2MTEzMDE1MjA1N1oXDTM3MTExMjE1MjA1N1ow
    DjEMMAoGA1UEAwwDdXRlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEAO1YVqtz
    vmXNJb0chD93TwrSx9+UKTpHBoaS5wSqMLNR9joxpYElVkpbZzh+2w44kmHv75O1
    8ITxdJldKqj2eaNTMFEwHQYDVR0OBBYEFDYuEY6q1sUDGO4ynavGUXRjw+VFMB8G
    A1UdIwQYMBaAFDYuEY6q1sUDGO4ynavGUXRjw+VFMA8GA1UdEwEB/wQFMAMBAf8w
    CgYIKoZIzj0EAwIDSAAwRQIgFYj1W61nd3nCT4t+TUIyDLVcpQY6KPIsKU1HBc7e
    O/gCIQD0e6iSf/BJ23e6ql+MRlZQJQZb0AXTXcGAuPvdAK2g/Q==
    -----END CERTIFICATE-----
    """
  package static let keyOfOwn = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgSHxvruagdd2Xk7gM
    r6R6kGOi+0sW+xS6GZBSXlzY0+ahRANCAAQA7VhWq3O+Zc0lvRyEP3dPCtLH35Qp
    OkcGhpLnBKows1H2OjGlgSVWSltnOH7bDjiSYe/vk7XwhPF0mV0qqPZ5
    -----END PRIVATE KEY-----
    """
}
