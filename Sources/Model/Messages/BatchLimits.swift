/// How much may travel together in a batch.
public enum BatchLimits {
  /// Messages.
  public static let most = 240
  /// Bytes of one: a location, without a picture.
  public static let longest = 1024
  /// Bytes of all, before they are packed.
  public static let bytes = 65_536
}
