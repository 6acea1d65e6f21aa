import ArgumentParser
import Client
import Console
import JSON
import Model

/// `watchwise kick`
struct Kick: ServerCommand {
    static let configuration = CommandConfiguration(
        abstract: "End every session of a user now, with 4403.",
        discussion: """
            Without --revoke, the user is only disconnected: clients do not reconnect by themselves, but may come back with a \
            valid token. With --revoke, all tokens of the user issued up to now are revoked, too.

            EXAMPLES
              watchwise kick mallory --reason "spam" --revoke
              watchwise kick alice
            """
    )

    @Argument(help: .value("user", "The user: \(UserID.form)."))
    var user: String
    @Option(help: .value("text", "The reason, sent to the user, up to 120 bytes."))
    var reason: String?
    @Flag(help: "Also revoke all tokens of the user issued up to now.")
    var revoke = false
    @OptionGroup(title: "The server") var server: ServerOptions

    func answer() throws -> JSONValue {
        var body: JSONValue = [:]
        body["reason"] = reason.map { .string($0) }
        if revoke { body["revoke"] = true }
        return try server.connect().change("POST", "users/\(try user.userSegment())/kick", body)
    }

    func show(_ answer: JSONValue) {
        Terminal.line("\(user) kicked" + (revoke ? "; all tokens issued up to now are revoked" : ""))
    }
}
