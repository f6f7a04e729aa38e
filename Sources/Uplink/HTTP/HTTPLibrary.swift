import CCurl
import OwnTracks

extension HTTPPoster {
  /// Returns the failure in words for people; nil: it is loaded. Blocks while it reads the disk.
  @Sendable public static func loadLibrary() -> String? {
    guard let why = ccurl_load() else { return nil }
    return
      "HTTP mode needs libcurl, which cannot be loaded (\(String(cString: why).plainLine)); fix it with: "
      + "apt install libcurl4"
  }
}
