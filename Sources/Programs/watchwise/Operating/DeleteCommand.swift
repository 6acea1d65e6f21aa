import ArgumentParser

/// `watchwise delete`
struct DeleteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete a document.",
        discussion: """
            EXAMPLES
              watchwise delete announcements/1
              watchwise delete people/525 --if-version 3
            """
    )

    @Argument(help: "The document's path.")
    var path: String
    @OptionGroup var options: WriteOptions
    @OptionGroup(title: "The server") var server: ServerOptions

    func run() throws {
        let address = try Documents.address(path)
        let client = try server.connect()
        let request = try options.apply(to: client.request("DELETE", address))
        Documents.showWritten(try client.ask(request), as: "deleted", isJSON: server.json)
    }
}
