import OwnTracks

/// Asks, and prints the answer's text or, with `--json`, the answer itself.
func perform(_ words: [String], _ options: CommonOptions) throws {
  let answer = try DaemonConnection(path: options.socket).ask(words)
  printAnswer(answer, options) { OutcomeRecord(answer: $0)?.text?.plainLine ?? "done" }
}

/// The answer as one line of JSON, or rendered for people.
func printAnswer(_ answer: JSON, _ options: CommonOptions, _ render: (JSON) -> String) {
  if options.json { Terminal.say(answer) } else { Terminal.say(render(answer)) }
}
