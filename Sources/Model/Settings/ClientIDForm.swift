/// How the client id is made where no setting names it.
///
/// Earlier versions put user and device together without a mark between them, so that truck1/11 and truck11/1
/// threw each other off the broker. A board that has run such a version keeps its id: under it the broker keeps
/// the session, and the commands that wait in it.
public enum ClientIDForm: Hashable, Sendable {
  /// A mark stands between user and device: two boards never get the same.
  case apart
  /// As in earlier versions, for exactly this user and device. Another name gets the new form.
  case joined(user: String, device: String)
  /// The store is of an earlier version, which kept no word about it.
  case unsaid
}
