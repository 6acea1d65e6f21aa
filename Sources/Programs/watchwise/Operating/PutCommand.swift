import ArgumentParser

/// `watchwise put`
struct PutCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "put",
        abstract: "Write a document; an older one is replaced.",
        discussion: """
            Prints what the triggers did: how many notifications they wrote, removed, scheduled, moved or dropped. The \
            same content again changes nothing and fires nothing. A follow is a document, too; then the answer names \
            the topic.

            EXAMPLES
              watchwise put people/525 '{"name": "Christopher Nolan"}'
              watchwise put people/525/credits/movie/872585 @oppenheimer.json
              watchwise put branches/mitte/followers/ayse '{}'
              echo '{"text": "Hello"}' | watchwise put announcements/1 - --if-version 0
            """
    )

    @Argument(help: "The document's path.")
    var path: String
    @Argument(help: .value("json", "A JSON object; @FILE reads it from a file, - from standard input."))
    var content: String
    @OptionGroup var options: WriteOptions
    @OptionGroup(title: "The server") var server: ServerOptions

    func run() throws {
        try Documents.write("PUT", path, content, options, on: server, as: "written")
    }
}
