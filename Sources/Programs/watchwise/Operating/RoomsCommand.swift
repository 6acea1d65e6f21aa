import ArgumentParser
import Client
import Console
import JSON
import Model

/// `watchwise rooms`
struct RoomsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rooms",
        abstract: "List rooms, or show who is in one.",
        discussion: """
            Without a subcommand: the list. A room without members is closed.

            EXAMPLES
              watchwise rooms
              watchwise rooms list --limit 500 --json
              watchwise rooms show room:1k5
            """,
        subcommands: [RoomsList.self, RoomsShow.self],
        defaultSubcommand: RoomsList.self
    )
}

/// `watchwise rooms list`
struct RoomsList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "The rooms, in the order in which they were made.",
        discussion: """
            EXAMPLES
              watchwise rooms
              watchwise rooms list --limit 500 --json
            """)

    @Option(help: .value("n", "The largest number to show."))
    var limit = 50
    @OptionGroup(title: "The server") var server: ServerOptions

    func run() throws {
        let rooms = try server.connect().pages(of: "rooms", "rooms", cursor: "after", limit: limit)
        rooms.show(
            asJSON: server.json, none: "There are no rooms.",
            .left("ROOM", "chat"), .right("MEMBERS"), .left("OPEN"), .left("POSTING"), .left("HISTORY"),
            .right("PACE"), .left("CREATED"), .left("TITLE", cutTo: 40))
    }
}

/// `watchwise rooms show`
struct RoomsShow: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "One room and its members, without messages.",
        discussion: """
            EXAMPLES
              watchwise rooms show room:1k5
              watchwise rooms show 1k5 --json
            """)

    @Argument(help: .value("room", "The room's id, with or without 'room:'."))
    var room: String
    @OptionGroup(title: "The server") var server: ServerOptions

    func answer() throws -> JSONValue {
        try server.connect().ask("GET", "rooms/\(room)", query: [("limit", String(Limits.pageMax))])
    }

    func show(_ answer: JSONValue) {
        let facts = ["chat", "members", "open", "posting", "history", "pace", "created", "last"]
        Terminal.line(answer["title"]?.text ?? "")
        Terminal.line(facts.map { "\($0) \(answer[$0]?.text ?? "")" }.joined(separator: ", "))
        let people = answer["people"]?.arrayValue ?? []
        guard !people.isEmpty else { return Terminal.plainError("It has no members: it is closed.") }
        Table(of: people, [.left("USER"), .left("ROLE"), .left("JOINED"), .left("MUTED UNTIL", "muted")]).show()
        if answer["next"] != nil { Terminal.plainError("and more; --json shows the member next") }
    }
}
