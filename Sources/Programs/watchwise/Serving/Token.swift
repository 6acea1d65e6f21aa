import ArgumentParser
import Authentication
import Console
import JSON
import Model

/// `watchwise token`
struct Token: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print a token for a user, and nothing else.",
        discussion: """
            It signs with the secret in the server's folder, so it runs where the server runs. Each token has an id \
            (jti) of its own, with which 'watchwise revoke' revokes it; --json shows it.

            EXAMPLES
              watchwise token alice
              watchwise token operator --admin --ttl 15m --data /var/lib/watchwise
              watchwise token shop --scope admin:read --scope admin:publish --ttl 90d
              watchwise token ayse --role librarian
              watchwise token prometheus --metrics --ttl 365d
              watchwise token zoe --scope admin:moderate --scope user
              export WATCHWISE_TOKEN=$(watchwise token me --admin)
            """
    )

    @Argument(help: .value("user", "The user: \(UserID.form)."))
    var user: String

    @Flag(help: "Allow everything: the same as --scope admin.")
    var admin = false

    @Option(
        help: .value(
            "word",
            """
            Allow a part of what operators may do; may be repeated. One of: \(Scope.list). Such a token is no user's, \
            unless it also has the word \(Claims.userScope).
            """))
    var scope: [String] = []

    @Flag(help: "Allow /metrics, for a Prometheus on another machine.")
    var metrics = false

    @Option(help: .value("name", "A role of the user, for rules that say role:NAME; may be repeated."))
    var role: [String] = []

    @Option(help: .value("time", "How long the token is valid: 90s, 15m, 24h, 7d."))
    var ttl = "24h"

    @Option(help: .value("dir", "The server's folder. (default: watchwise-data)"))
    var data: String?

    @Flag(help: "Print JSON with the token's id and expiry.")
    var json = false

    func run() throws {
        let subject = try user.userID()
        guard let span = TimeSpan(ttl) else {
            throw CommandFailure(.misused, "--ttl must be \(TimeSpan.form), not '\(ttl)'")
        }
        let roles = try self.role.map { name in
            guard let role = RoleName(name) else {
                throw CommandFailure(.misused, "--role must be \(RoleName.form), not '\(name)'")
            }
            return role
        }
        guard roles.count <= Claims.rolesMax else {
            throw CommandFailure(.misused, "--role may be given \(Claims.rolesMax) times at most")
        }
        let known = Scope.allCases.map(\.rawValue) + [Claims.userScope]
        for word in scope where !known.contains(word) {
            let hint = NearestName.of(word, among: known).map { "; did you mean \($0)?" } ?? ""
            let list = "\(Scope.list), \(Claims.userScope)"
            throw CommandFailure(.misused, "--scope must be one of \(list), not '\(word)'\(hint)")
        }
        let folder = Surroundings.dataFolder(option: data)
        guard let secret = try OperatorToken.secret(in: folder) else {
            throw CommandFailure(
                .failed,
                """
                there is no secret in \(folder): the first start of a server makes it. \
                Run 'watchwise serve --data \(folder)' once, or name the server's folder with --data
                """)
        }
        let now = Surroundings.now
        let short: [Scope] = (admin ? [.admin] : []) + (metrics ? [.metrics] : [])
        let claims = Claims(
            subject: subject, scopes: Set(scope + short.map(\.rawValue)), roles: Set(roles),
            expiresAt: now.adding(milliseconds: span.milliseconds), tokenID: Claims.newTokenID())
        let token = JSONWebToken.sign(claims, issuedAt: now, with: secret)
        guard json else { return Terminal.line(token) }
        let answer: JSONValue = [
            "token": .string(token), "user": .string(subject.text), "jti": .string(claims.tokenID ?? ""),
            "expires": .string(claims.expiresAt.text),
        ]
        Terminal.line(answer.text)
    }
}

/// Tokens that the command line makes for its own requests.
enum OperatorToken {
    /// The secret of a server's folder; nil when there is none.
    static func secret(in folder: String) throws -> ServerSecret? {
        do {
            return try ServerSecret.load(fromFolder: folder)
        } catch {
            throw CommandFailure(.failed, "\(error)")
        }
    }

    /// An admin token that is valid for a few minutes.
    ///
    /// - Parameter person: who runs the command, for the audit; nil where a program does.
    static func make(with secret: ServerSecret, for person: UserID? = nil) -> String {
        let now = Surroundings.now
        let scopes: Set = [Claims.adminScope]
        guard let subject = UserID("operator") else { return "" }
        let claims = Claims(
            subject: subject, scopes: scopes, expiresAt: now.adding(milliseconds: 900_000),
            tokenID: Claims.newTokenID(), commandLine: person?.text)
        return JSONWebToken.sign(claims, issuedAt: now, with: secret)
    }
}
