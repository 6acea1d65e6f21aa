import ArgumentParser
import Client
import Foundation
import JSON
import Server

/// `watchwise backup`
struct Backup: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy the database of a running server into a file.",
        discussion: """
            The copy is of one moment, and whole; the server serves on meanwhile. The server's secret is not in it: \
            keep the file 'secret' of its folder, too, or every token has to be made anew.

            EXAMPLES
              watchwise backup /backups/watchwise-$(date +%F).db
              watchwise backup /backups/watchwise.db --json      {"file": "/backups/watchwise.db", "bytes": 1048576}
            """
    )

    @Argument(help: "Where to; must not be there yet.")
    var file: String

    @OptionGroup(title: "The server") var server: ServerOptions

    func run() throws {
        let client = try server.connect()
        guard !FileManager.default.fileExists(atPath: file) else {
            throw CommandFailure(.misused, "\(file) is there already")
        }
        let partial = file + ".part"
        guard FileManager.default.createFile(atPath: partial, contents: nil, attributes: [.posixPermissions: 0o600])
        else { throw CommandFailure(.failed, "cannot write \(partial)") }
        do {
            try fetch(client, into: FileHandle(forWritingTo: URL(fileURLWithPath: partial)))
            try FileManager.default.moveItem(atPath: partial, toPath: file)
        } catch {
            // Half a copy must not be taken for one.
            if FileManager.default.fileExists(atPath: partial) { try FileManager.default.removeItem(atPath: partial) }
            throw error as? CommandFailure ?? CommandFailure(.failed, "cannot write \(file): \(error)")
        }
        if server.json { try tell() }
    }

    private func tell() throws {
        let attributes = try FileManager.default.attributesOfItem(atPath: file)
        let bytes = (attributes[.size] as? NSNumber)?.int64Value ?? 0
        let answer: JSONValue = ["file": .string(file), "bytes": .integer(bytes)]
        Terminal.line(answer.text)
    }

    private func fetch(_ client: AdminClient, into handle: FileHandle) throws {
        var problem: (any Error)?
        try client.download(client.request("GET", "backup")) { bytes in
            guard problem == nil else { return }
            do {
                try handle.write(contentsOf: Data(bytes))
            } catch {
                problem = error
            }
        }
        if let problem { throw problem }
        try handle.synchronize()
        try handle.close()
    }
}

/// `watchwise restore`
struct Restore: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Put a backup into a server's folder; the server must be stopped.",
        discussion: """
            The file is checked first. The next start begins a new epoch: clients are told that what they know may be \
            newer, and fetch their state anew.

            EXAMPLES
              watchwise restore /backups/watchwise-2026-11-21.db --data /var/lib/watchwise
            """
    )

    @Argument(help: "What 'watchwise backup' made, or a copy of a stopped server's watchwise.db.")
    var file: String

    @Option(help: ArgumentHelp("The server's folder. (default: watchwise-data)", valueName: "dir"))
    var data: String?

    @Flag(help: "Replace the database that is there.")
    var force = false

    func run() throws {
        let folder = Surroundings.dataFolder(option: data)
        do {
            try Application.restore(file, into: folder, replaces: force)
        } catch {
            throw CommandFailure(.failed, error.description)
        }
        Terminal.plainError("What was revoked after this backup was made is not: revoke it again, or remove 'secret'.")
    }
}
