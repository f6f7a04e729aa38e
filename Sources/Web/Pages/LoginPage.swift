import Access
import OwnTracks

/// The login page, for a browser without a session: a field for the code. It needs no script and no other file.
enum LoginPage {
  private static let style = """
    :root{color-scheme:light dark}body{font:18px/1.5 system-ui,sans-serif;max-width:26em;margin:2em auto;padding:0 1em}\
    input,button{font:inherit;padding:.5em;margin:.25em 0}code{white-space:nowrap}
    """

  /// The style is no file: the policy names it by what it is.
  static let policy =
    "default-src 'none'; style-src 'sha256-\(base64)'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

  private static var base64: String { Base64.text(of: Secret.digest(Array(style.utf8))) }

  /// `code`: what the field holds at first, of `PairForm.shown`. It counts as a try only when somebody here sends it: a
  /// picture in another's page may ask for this one as often as it likes.
  static func answer(isWrong: Bool, code: String = "") -> Response {
    let complaint =
      isWrong
      ? "<p role=\"alert\"><strong>This code is not valid.</strong> A code is good for one phone, ten minutes and "
        + "five tries; the command makes a new one.</p>" : ""
    let page = """
      <!doctype html>
      <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
      <title>Homeward</title><style>\(style)</style></head><body><main>
      <h1>Homeward</h1>\(complaint)
      <p>This phone is not known to the board yet. On the board, run</p>
      <p><code>sudo homeward web</code></p>
      <p>and type the code that it shows.</p>
      <form action="/pair" method="post"><label>Code <input name="c" value="\(code)" required maxlength="20"
      autocomplete="off" autocapitalize="characters" spellcheck="false" autofocus></label>
      <button>Open</button></form>
      </main></body></html>

      """
    return Response(
      status: 401, kind: "text/html; charset=utf-8", body: .bytes(Array(page.utf8)), policy: policy,
      headers: [("Cache-Control", "no-store")], isLast: true)
  }
}
