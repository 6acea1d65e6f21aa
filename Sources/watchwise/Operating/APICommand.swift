import ArgumentParser
import Server

/// `watchwise api`
struct APICommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "api",
        abstract: "The description of the HTTP API, for programs.",
        discussion: """
            EXAMPLES
              watchwise api openapi > openapi.json
            """,
        subcommands: [APIOpenAPI.self]
    )
}

/// `watchwise api openapi`
struct APIOpenAPI: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "openapi",
        abstract: "The OpenAPI 3.1 document of the routes that this program serves.",
        discussion: """
            It is what GET /v1/openapi.json answers; no server is asked.

            EXAMPLES
              watchwise api openapi > openapi.json
            """
    )

    func run() { Terminal.line(String(decoding: Application.openAPI, as: UTF8.self)) }
}
