import ArgumentParser

/// `watchwise patch`
struct PatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "patch",
        abstract: "Change members of a document (RFC 7396: null removes a member).",
        discussion: """
            EXAMPLES
              watchwise patch people/525 '{"born": 1970}'
              watchwise patch people/525 '{"born": null}' --if-version 2
            """
    )

    @Argument(help: "The document's path.")
    var path: String
    @Argument(help: .value("json", "A JSON object; @FILE reads it from a file, - from standard input."))
    var content: String
    @OptionGroup var options: WriteOptions
    @OptionGroup(title: "The server") var server: ServerOptions

    func run() throws {
        try Documents.write("PATCH", path, content, options, on: server, as: "changed")
    }
}
