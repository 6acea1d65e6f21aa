import ArgumentParser
import Client
import Console
import JSON
import Model

/// `watchwise revoke`
struct Revoke: ServerCommand {
    static let configuration = CommandConfiguration(
        abstract: "Revoke a token before it expires, or all tokens of a user.",
        discussion: """
            Its sessions end at once with 4401, on every device. JTI is the id that 'watchwise token \
            --json' shows. A whole token works, too, and contains the time when it expires.

            EXAMPLES
              watchwise revoke k3J9x0QmT2aWz1c
              watchwise revoke eyJhbGciOiJIUzI1NiIs…
              watchwise revoke k3J9x0QmT2aWz1c --until 24h --reason "lost phone"
              watchwise revoke --user alice
              watchwise revoke --user alice --before 2026-11-21T10:00:00Z
            """
    )

    @Argument(help: .value("jti", "The token's id (jti), or the token."))
    var token: String?
    @Option(help: .value("user", "Instead of one token, all tokens of this user."))
    var user: String?
    @Option(help: .value("time", "Only the user's tokens issued up to this time. (default: now)"))
    var before: String?
    @Option(
        help: .value(
            "time",
            "When the revocation may be deleted because the tokens have expired: a time, or 24h. (default: ten years, the longest)"
        ))
    var until: String?
    @Option(help: .value("text", "The reason, shown in the list of revocations."))
    var reason: String?
    @OptionGroup(title: "The server") var server: ServerOptions

    func answer() throws -> JSONValue {
        var body: JSONValue = [:]
        switch (token, user) {
        // A token has three parts, separated by dots.
        case (let token?, nil): body[token.split(separator: ".").count == 3 ? "token" : "jti"] = .string(token)
        case (nil, let user?): body["user"] = .string(user)
        case (nil, nil), (_?, _?): throw CommandFailure(.misused, "give JTI, or --user USER")
        }
        body["before"] = before.map { .string($0) }
        body["until"] = until.map { .string(Surroundings.time($0)) }
        body["reason"] = reason.map { .string($0) }
        return try server.connect().change("POST", "revocations", body)
    }

    func show(_ answer: JSONValue) {
        let what = answer["jti"]?.stringValue.map { "token \($0)" } ?? "all tokens of \(user ?? "")"
        Terminal.line(
            "\(what) revoked until \(answer["until"]?.stringValue ?? "?"); undo: watchwise unrevoke "
                + (answer["id"]?.stringValue ?? "?"))
    }
}

/// `watchwise revocations`
struct Revocations: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "The revocations in force, newest first.",
        discussion: """
            EXAMPLES
              watchwise revocations
              watchwise revocations --limit 500 --json
            """
    )

    @Option(help: .value("n", "The largest number to show."))
    var limit = 50
    @OptionGroup(title: "The server") var server: ServerOptions

    func run() throws {
        let revocations = try server.connect().pages(of: "revocations", "revocations", limit: limit)
        revocations.show(
            asJSON: server.json, none: "Nothing is revoked.",
            .right("ID"), .left("TOKEN", "jti"), .left("USER"), .left("ISSUED UP TO", "before"), .left("UNTIL"),
            .left("BY"), .left("REASON"))
    }
}

/// `watchwise unrevoke`
struct Unrevoke: ServerCommand {
    static let configuration = CommandConfiguration(
        abstract: "Lift a revocation made by mistake.",
        discussion: """
            EXAMPLES
              watchwise unrevoke 7
            """
    )

    @Argument(help: .value("id", "The revocation's number, as 'watchwise revocations' lists it."))
    var id: Int64
    @OptionGroup(title: "The server") var server: ServerOptions

    func answer() throws -> JSONValue { try server.connect().ask("DELETE", "revocations/\(id)") }

    func show(_ answer: JSONValue) { Terminal.line("revocation \(id) lifted") }
}
