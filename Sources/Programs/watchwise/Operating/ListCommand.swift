import ArgumentParser
import JSON

/// `watchwise list`
struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the documents of a collection.",
        discussion: """
            EXAMPLES
              watchwise list people
              watchwise list people/525/credits --limit 10
              watchwise list products --after movie/603 --json
            """
    )

    @Argument(help: "The collection, such as people/525/credits.")
    var collection: String
    @Option(help: .value("n", "The largest number to show."))
    var limit = 50
    @Option(help: .value("id", "Only ids after this one."))
    var after: String?
    @OptionGroup(title: "The server") var server: ServerOptions

    func run() throws {
        let documents = try server.connect().pages(
            of: "documents", "documents", query: [("collection", collection)], cursor: "after", from: after,
            limit: limit)
        documents.show(
            asJSON: server.json, none: "\(collection) has no documents.", more: { "There are more: --after \($0)" },
            .left("PATH"), .right("VERSION"), .right("SEQ"), .left("DATA", cutTo: 72))
    }
}
