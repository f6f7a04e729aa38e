import ArgumentParser

struct FleetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fleet",
    abstract: "Make and check the files of many boards, list who is there, renew certificates.",
    discussion: """
      From a template and a table with a line for each board it makes a folder for each: its
      configuration, certificate and key, as the image takes them from the card; and for the
      broker the list of rights and passwords.

      Example: homeward fleet make template.otrc boards.csv out
               homeward fleet check out
               homeward fleet status -- -h broker.example.org
               homeward fleet renew out -- -h broker.example.org
      """,
    subcommands: [FleetMake.self, FleetCheck.self, FleetStatus.self, FleetRenew.self])
}
