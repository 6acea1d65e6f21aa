import ArgumentParser
import Console
import JSON

/// `watchwise get`
struct GetCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Show a document.",
        discussion: """
            EXAMPLES
              watchwise get people/525
              watchwise get recommendations/anna:marco-3 --json
            """
    )

    @Argument(help: "The document's path, such as people/525/credits/movie/603.")
    var path: String
    @OptionGroup(title: "The server") var server: ServerOptions

    func answer() throws -> JSONValue {
        let address = try Documents.address(path)
        return try server.connect().ask("GET", address)
    }

    func show(_ answer: JSONValue) {
        let version = answer["version"]?.integerValue ?? 0
        Terminal.line("\(path): version \(version), seq \(answer["seq"]?.integerValue ?? 0)")
        Terminal.line((answer["data"] ?? .null).pretty)
    }
}
