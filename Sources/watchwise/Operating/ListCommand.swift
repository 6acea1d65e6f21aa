import ArgumentParser
import JSON
import Model

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
    @Option(help: ArgumentHelp("The largest number to show.", valueName: "n"))
    var limit = 50
    @Option(help: ArgumentHelp("Only ids after this one.", valueName: "id"))
    var after: String?
    @OptionGroup(title: "The server") var server: ServerOptions

    func run() throws {
        guard limit > 0 else { throw CommandFailure(.misused, "--limit must be 1 or more") }
        let client = try server.connect()
        var found: [JSONValue] = []
        var next = after
        repeat {
            let count = min(limit - found.count, Limits.pageMax)
            let request =
                if let next {
                    client.request(
                        "GET", "documents",
                        query: ["collection": collection, "limit": String(count), "after": next])
                } else {
                    client.request("GET", "documents", query: ["collection": collection, "limit": String(count)])
                }
            let page = try client.ask(request)
            found += page["documents"]?.arrayValue ?? []
            next = page["next"]?.stringValue
        } while next != nil && found.count < limit
        show(found, next: next)
    }

    private func show(_ documents: [JSONValue], next: String?) {
        if server.json {
            var answer: JSONValue = ["documents": .array(documents)]
            answer["next"] = next.map { .string($0) }
            return Terminal.line(answer.text)
        }
        if documents.isEmpty { return Terminal.plainError("\(collection) has no documents.") }
        var table = Table(("PATH", .left), ("VERSION", .right), ("SEQ", .right), ("DATA", .left))
        for document in documents {
            let data = document["data"]?.text ?? ""
            table.add(
                document["path"]?.stringValue ?? "", document["version"]?.text ?? "", document["seq"]?.text ?? "",
                Terminal.isShown ? data.cut(to: 72) : data)
        }
        table.show()
        if let next { Terminal.plainError("There are more: --after \(next)") }
    }
}
