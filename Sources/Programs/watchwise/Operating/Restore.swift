import ArgumentParser
import Configuration
import Foundation
import Server

/// `watchwise restore`
struct Restore: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Put a backup into a server's folder; the server must be stopped.",
        discussion: """
            The file is checked first. The next start begins a new epoch: clients learn that their state may be newer \
            than the server's, and fetch it again. In another folder, put the files 'secret' and 'vapid-key' of the old one \
            beside it, with the same rights, before that start.

            What root makes in the folder of another user belongs to that user, so the server starts as before.

            Those who were erased since (file 'erasures' of the folder) are erased again before the command ends.

            EXAMPLES
              watchwise restore /backups/watchwise-2026-11-21.db --data /var/lib/watchwise
            """
    )

    @Argument(help: "A file from 'watchwise backup', or a copy of a stopped server's watchwise.db.")
    var file: String

    @Option(help: .value("dir", "The server's folder. (default: watchwise-data)"))
    var data: String?

    @Flag(help: "Replace the database in the folder.")
    var force = false

    func run() throws {
        let folder = Surroundings.dataFolder(option: data)
        do {
            try Application.restore(file, into: folder, replaces: force)
        } catch {
            throw CommandFailure(.failed, error.description)
        }
        Terminal.plainError(
            "Revocations made after this backup are lost: revoke those tokens again, or remove 'secret'.")
    }
}
