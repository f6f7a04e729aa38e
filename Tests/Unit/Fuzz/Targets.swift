/// Every parser that is fed with bytes from outside, by the name of its folder under corpus.
enum Targets {
  typealias Feed = @Sendable (UnsafeRawBufferPointer) -> Void

  static let all: [String: Feed] = [
    "adverts": AdvertTarget.feed,
    "batch": BatchTarget.feed,
    "battery": BatteryTarget.feed,
    "broker": BrokerTarget.feed,
    "certificate": CertificateTarget.feed,
    "configuration": ConfigurationTarget.feed,
    "control": ControlTarget.feed,
    "gpsd": GPSDTarget.feed,
    "gpx": RecordingTarget.gpx,
    "http": HTTPTarget.feed,
    "iso8601": ISO8601Target.feed,
    "json": JSONTarget.feed,
    "log": LogTarget.feed,
    "page": PageTarget.feed,
    "radio": RadioTarget.feed,
    "records": RecordTarget.feed,
    "reports": RecordingTarget.reports,
    "sealed": SealedTarget.feed,
    "socket": SocketTarget.feed,
    "timeline": TimelineTarget.feed,
    "waypoints": WaypointTarget.feed,
    "damage": DamageTarget.feed,
  ]
}
