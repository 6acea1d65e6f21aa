import ArgumentParser
import Authentication
import Client
import Console
import EventLoop
import Model

/// The server and the token, for all commands that call a server.
struct ServerOptions: ParsableArguments {
    @Option(help: .value("url", "The server. (default: WATCHWISE_SERVER or http://127.0.0.1:8080)"))
    var server: String?

    @Option(
        help: .value(
            "file",
            "PEM file with the certificates to trust for https. (default: WATCHWISE_CA, or those of the system)"))
    var ca: String?

    @Option(help: .value("token", "A token: of an operator, or for 'listen' of the user. (default: WATCHWISE_TOKEN)"))
    var token: String?

    @Flag(help: "Send the token over plain http to another machine, although others on the network can read it.")
    var insecureHttp = false

    @Option(
        help: .value(
            "dir",
            "The folder of a server on this machine, whose secret stands in for a token. (default: watchwise-data)"))
    var data: [String] = []

    @Option(
        name: .customLong("as"),
        help: .value(
            "name",
            "Who runs this, for the audit, where the secret stands in for a token. (default: SUDO_USER, or the login name)"
        ))
    var person: String?

    @Flag(help: "Print JSON instead of a table.")
    var json = false

    /// The client for the server, with a token of an operator.
    func connect() throws -> AdminClient {
        let address = try address()
        switch try bearer(for: address) {
        case .token(let token): return AdminClient(http: HTTPClient(server: address), token: token)
        case .secret(let secret):
            return AdminClient(
                http: HTTPClient(server: address), token: OperatorToken.make(with: secret, for: try runner()))
        }
    }

    /// The person at the command line. Of a login name the characters count that a user id may have.
    private func runner() throws -> UserID? {
        if let person {
            guard let name = UserID(person) else {
                throw CommandFailure(.misused, "--as must be \(UserID.form), not '\(person)'")
            }
            return name
        }
        let name = Surroundings.variable("SUDO_USER") ?? Surroundings.loginName
        return UserID(String(name.prefix(128).map { UserID(String($0)) == nil ? "-" : $0 }))
    }

    /// The server's address.
    func address() throws -> ServerAddress {
        let url = server ?? Surroundings.variable("WATCHWISE_SERVER") ?? "http://127.0.0.1:8080"
        do {
            return try ServerAddress(url, authorities: ca ?? Surroundings.variable("WATCHWISE_CA"))
        } catch {
            if case .authorities = error { throw CommandFailure(.misused, "--ca: \(error)") }
            throw CommandFailure(.misused, "--server: \(error)")
        }
    }

    /// The right to call a server.
    enum Bearer {
        case token(String)
        /// Tokens can be made from it.
        case secret(ServerSecret)
    }

    /// - Throws: `ValidationError` for the content of something: `--data` is a folder in all commands.
    func validate() throws {
        guard let content = data.first(where: { $0.hasPrefix("{") || $0.hasPrefix("[") || $0.hasPrefix("@") }) else {
            return
        }
        throw ValidationError(
            """
            --data is the folder of a server, not the content of a notification: '\(content.cut(to: 40))'. An object that goes with a broadcast is \
            --attach OBJECT; a folder of such a name is ./NAME
            """)
    }

    /// A token is as good as a key: one made from the secret is only sent to this machine, and a given one only where
    /// nobody on the way can read it.
    func bearer(for server: ServerAddress) throws -> Bearer {
        let isHere = server.socketAddress.isLoopback
        if let token = token ?? Surroundings.variable("WATCHWISE_TOKEN") {
            guard token.utf8.allSatisfy({ (0x21...0x7e).contains($0) }), !token.isEmpty else {
                throw CommandFailure(.misused, "--token is not a token: it is empty or contains spaces")
            }
            guard isHere || server.encryption != nil || insecureHttp else {
                throw CommandFailure(
                    .misused,
                    """
                    \(server) is plain http to another machine: others on the network could read the token and use it. Use \
                    https://, or a tunnel (ssh -L) to a port of this machine, or add --insecure-http
                    """)
            }
            return .token(token)
        }
        let folder = Surroundings.dataFolder(option: data.last)
        guard isHere else {
            throw CommandFailure(
                .misused,
                """
                no token: \(server) is not an address of this machine (127.0.0.1, ::1, localhost), so the secret in \
                --data is not used for it. Give --token or WATCHWISE_TOKEN; make a token where the server runs, with \
                'watchwise token NAME --admin'
                """)
        }
        guard let secret = try OperatorToken.secret(in: folder) else {
            throw CommandFailure(
                .misused,
                """
                no token: give --token or WATCHWISE_TOKEN (made by 'watchwise token NAME --admin' where the server \
                runs), or run beside the server with its --data DIR (there is no secret in \(folder))
                """)
        }
        return .secret(secret)
    }
}
