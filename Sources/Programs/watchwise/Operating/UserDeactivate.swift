import ArgumentParser
import Console
import JSON
import Model

/// `watchwise user deactivate`
struct UserDeactivate: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "deactivate", abstract: "Close the account of somebody who has left; it is no punishment.",
        discussion: """
            All sessions end with 4403 deactivated, tokens are refused, registrations for pushes end, and so does what triggers \
            have scheduled for the user. Everything else stays, and what others write waits. Tokens with the scope admin are not \
            concerned: revoke them.

            EXAMPLES
              watchwise user deactivate alice --reason "left the company"
            """)

    @Argument(help: .value("user", "The user: \(UserID.form)."))
    var user: String
    @Option(help: .value("text", "The reason, for the audit alone."))
    var reason: String?
    @OptionGroup(title: "The server") var server: ServerOptions

    func answer() throws -> JSONValue {
        let body: JSONValue = reason.map { ["reason": .string($0)] } ?? [:]
        return try server.connect().change("POST", "users/\(try user.userSegment())/deactivate", body)
    }

    func show(_ answer: JSONValue) {
        let (devices, texts) = (answer["devices"]?.integerValue ?? 0, answer["scheduled"]?.integerValue ?? 0)
        Terminal.line(
            "\(user) is deactivated; registrations that ended: \(devices), scheduled texts: \(texts); "
                + "undo: watchwise user reactivate \(user)")
    }
}

/// `watchwise user reactivate`
struct UserReactivate: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "reactivate", abstract: "Open a closed account again.",
        discussion: """
            Tokens of the user are good again; devices register for pushes when they next connect.

            EXAMPLES
              watchwise user reactivate alice
            """)

    @Argument(help: .value("user", "The user: \(UserID.form)."))
    var user: String
    @Option(help: .value("text", "The reason, for the audit alone."))
    var reason: String?
    @OptionGroup(title: "The server") var server: ServerOptions

    func answer() throws -> JSONValue {
        let body: JSONValue = reason.map { ["reason": .string($0)] } ?? [:]
        return try server.connect().change("POST", "users/\(try user.userSegment())/reactivate", body)
    }

    func show(_ answer: JSONValue) { Terminal.line("\(user) may come in again") }
}
