import ArgumentParser
import Authentication
import Console
import Foundation
import JSON

/// `watchwise secret`
struct SecretCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "secret",
        abstract: "Replace the secret that signs the server's tokens.",
        discussion: """
            EXAMPLES
              watchwise secret rotate --data /var/lib/watchwise
              watchwise secret rotate --end
            """,
        subcommands: [SecretRotate.self]
    )
}

/// `watchwise secret rotate`
struct SecretRotate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Put a new secret before the present one, whose tokens stay valid until --end.",
        discussion: """
            The secret is in the server's folder, so this runs where the server runs; SIGHUP makes a running server read it. New \
            tokens are signed with the new secret, and tokens of both are accepted. When the old tokens are \
            replaced, --end drops the old secret, and SIGHUP makes it so: no connection is ended by it, but nobody \
            connects with an old token any more. All nodes of a cluster, and both servers of a pair, have the same \
            file: copy it to them. They sign their own requests to each other with the secret that they read at \
            their start: restart them before --end.

            EXAMPLES
              watchwise secret rotate && systemctl reload watchwise
              watchwise secret rotate --end --data /var/lib/watchwise
            """)

    @Flag(help: "Drop the old secret.")
    var end = false
    @Option(help: .value("dir", "The server's folder. (default: watchwise-data)"))
    var data: String?
    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        let folder = Surroundings.dataFolder(option: data)
        guard try OperatorToken.secret(in: folder) != nil else {
            throw CommandFailure(
                .failed,
                "there is no secret in \(folder): the first start of a server makes it; or name the folder with --data")
        }
        let accepted: Int
        do throws(ServerSecretError) {
            accepted = try (end ? ServerSecret.retire(inFolder: folder) : ServerSecret.rotate(inFolder: folder)).count
        } catch {
            throw CommandFailure(.failed, error.description)
        }
        guard !json else {
            let answer: JSONValue = ["data": .string(folder), "accepted": .integer(Int64(accepted))]
            return Terminal.line(answer.text)
        }
        Terminal.line(
            end
                ? "Only the newest secret of \(folder) is left. SIGHUP makes a running server refuse tokens of the old one."
                : "A new secret signs the tokens of \(folder), and those of the old one stay valid. SIGHUP makes a running "
                    + "server read it; later: watchwise secret rotate --end")
    }
}
