import ArgumentParser
import Configuration
import Console
import Foundation
import JSON
import Server

/// `watchwise backup`
struct Backup: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy the database of a running server into a file.",
        discussion: """
            The copy is complete and shows one moment; the server goes on serving meanwhile. The server's secrets are not in \
            it: keep the files 'secret', 'webhook-secret' and 'vapid-key' of its folder, too, or let --with-secrets put them into \
            FILE.secrets. Without 'secret' every token has to be made again, and without 'vapid-key' every browser has to \
            subscribe to pushes again. A server that is started with --backup-to makes copies by itself ('watchwise backups').

            When people were erased, FILE.erasures is written beside it. Keep the newest one with all older backups: \
            an older backup still has those people, and 'watchwise restore' erases them again. It has digests of names.

            EXAMPLES
              watchwise backup /backups/watchwise-$(date +%F).db
              watchwise backup /backups/moved.db --with-secrets --data /var/lib/watchwise
              watchwise backup /backups/watchwise.db --json      {"file": "/backups/watchwise.db", "bytes": 1048576}
            """
    )

    @Argument(help: "File to write; it must not exist yet.")
    var file: String

    @Flag(help: "Put the files with secrets beside it, as FILE.secrets; the folder of --data is read for it.")
    var withSecrets = false

    @OptionGroup(title: "The server") var server: ServerOptions

    func run() throws {
        let client = try server.connect()
        guard !FileManager.default.fileExists(atPath: file) else {
            throw CommandFailure(.misused, "\(file) already exists")
        }
        let partial = file + ".part"
        guard FileManager.default.createFile(atPath: partial, contents: nil, attributes: [.posixPermissions: 0o600])
        else { throw CommandFailure(.failed, "cannot write \(partial)") }
        do {
            try fetch(client, into: FileHandle(forWritingTo: URL(fileURLWithPath: partial)))
            try FileManager.default.moveItem(atPath: partial, toPath: file)
            if withSecrets {
                try BackupFiles.writeSecrets(of: Surroundings.dataFolder(option: server.data.last), besides: file)
            }
            try tell(ledger: try BackupFiles.writeLedger(besides: file))
        } catch let problem as StartProblem {
            throw CommandFailure(.failed, problem.description)
        } catch {
            // An incomplete copy must not look like a complete one.
            if FileManager.default.fileExists(atPath: partial) { try FileManager.default.removeItem(atPath: partial) }
            throw error as? CommandFailure ?? CommandFailure(.failed, "cannot write \(file): \(error)")
        }
    }

    private func tell(ledger: String?) throws {
        guard server.json else { return }
        let attributes = try FileManager.default.attributesOfItem(atPath: file)
        let bytes = (attributes[.size] as? NSNumber)?.int64Value ?? 0
        var answer: JSONObject = ["file": .string(file), "bytes": .integer(bytes)]
        answer["erasures"] = ledger.map { .string($0) }
        Terminal.line(JSONValue.object(answer).text)
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
