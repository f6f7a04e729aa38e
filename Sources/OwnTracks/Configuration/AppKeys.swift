/// Keys of the phone apps' exports that change nothing on a board. They may stand in a file, so that an export
/// can be used as it is; whatever is neither here nor a `ConfigurationKey` is probably a typing error.
enum AppKeys {
  /// Names, not a set: a set would stay in the daemon's memory for the sake of one look at the start.
  static func contains(_ name: String) -> Bool {
    // `_build`, `_id`, `_http` and their like say who wrote the file.
    if name.hasPrefix("_") || name.hasPrefix("notification") || name.hasPrefix("userDeclined") { return true }
    return isOfBoth(name) || isOfAndroid(name) || isOfIOS(name) || isToCome(name)
  }

  private static func isOfBoth(_ name: String) -> Bool {
    switch name {
    case "allowConfigurationByURIAndConfigFile", "allowIntentControl", "intentAuthKey", "maxHistory",
      "passphrase",
      "clientpkcs", "willTopic", "willQos", "willRetain", "ws", "wsPath":
      true
    default: false
    }
  }

  private static func isOfAndroid(_ name: String) -> Bool {
    switch name {
    case "autostartOnBoot", "beaconBackgroundScanPeriod", "beaconForegroundScanPeriod", "beaconMode",
      "debugLog", "discardNetworkLocationThresholdSeconds",
      "dontReuseHttpClient", "enableMapRotation", "experimentalFeatures", "firstStart",
      "fusedRegionDetection",
      "geocodeEnabled", "info", "isSetupCompleted", "locatorAccuracyBackground", "locatorAccuracyForeground",
      "locatorPriority", "mapLayerStyle", "moveModeLocatorInterval", "opencageApiKey", "osmTileScaleFactor",
      "pegLocatorFastestIntervalToInterval", "remoteCommand", "reverseGeocodeProvider", "setupCompleted",
      "setupNotCompleted", "showRegionsOnMap", "theme", "tlsCaCrt", "tlsCaCrtPassword", "tlsClientCrt",
      "tlsClientCrtPassword":
      true
    default: false
    }
  }

  private static func isOfIOS(_ name: String) -> Bool {
    switch name {
    case "allowUntrustedCertificates", "fontSize", "noMap", "noRevgeo", "policymode",
      "publicServer", "servercer", "usepolicy", "validatecertificatechain", "validatedomainname":
      true
    default: false
    }
  }

  /// Names that are kept free for settings of later versions.
  private static func isToCome(_ name: String) -> Bool {
    switch name {
    case "configRollbackMinutes", "motionFromSpeed", "revgeoUrl": true
    default: false
    }
  }
}
