import ArgumentParser
import Console
import Server

/// `watchwise api`
struct APICommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "api",
        abstract: "The descriptions of the HTTP API and of sessions, for programs.",
        discussion: """
            EXAMPLES
              watchwise api openapi > openapi.json
              watchwise api asyncapi > asyncapi.json
            """,
        subcommands: [APIOpenAPI.self, APIAsyncAPI.self]
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

/// `watchwise api asyncapi`
struct APIAsyncAPI: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "asyncapi",
        abstract: "The AsyncAPI 3 document of the commands that this program takes, and of its events.",
        discussion: """
            It is what GET /v1/asyncapi.json answers; no server is asked.

            EXAMPLES
              watchwise api asyncapi > asyncapi.json
            """
    )

    func run() { Terminal.line(String(decoding: Application.asyncAPI, as: UTF8.self)) }
}
