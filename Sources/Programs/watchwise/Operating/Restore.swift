import ArgumentParser
import Configuration
import Console
import Foundation
import JSON
import Model
import Server

/// `watchwise restore`
struct Restore: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Put a backup into a server's folder; the server must be stopped.",
        discussion: """
            The file is checked first. The next start begins a new epoch: clients learn that their state may be newer \
            than the server's, and fetch it again. Secrets that the folder lacks come from FILE.secrets, where it lies beside the \
            backup. Where it does not, put the files 'secret', 'webhook-secret' and 'vapid-key' of the old folder into a new one, \
            with the same rights, before that start.

            What root makes in the folder of another user belongs to that user, so the server starts as before.

            Those who were erased since are erased again before the command ends: by the file 'erasures' of the folder, and \
            by the files *.erasures beside the backup that are of the same server. One of an earlier history has to be named.

            It prints what it found, and what the folder lacks.

            EXAMPLES
              watchwise restore /backups/watchwise-2026-11-21.db --data /var/lib/watchwise
              watchwise restore old.db --erasures /elsewhere/watchwise-2026-11-28.db.erasures
            """
    )

    @Argument(help: "A file from 'watchwise backup', or a copy of a stopped server's watchwise.db.")
    var file: String

    @Option(help: .value("dir", "The server's folder. (default: watchwise-data)"))
    var data: String?

    @Option(help: .value("file", "A ledger of erasures from a newer backup; may be given several times."))
    var erasures: [String] = []

    @Flag(help: "Replace the database in the folder.")
    var force = false

    @Flag(help: "Print the answer as JSON, for scripts.")
    var json = false

    func run() throws {
        let folder = Surroundings.dataFolder(option: data)
        let report: RestoreReport
        do {
            report = try Application.restore(file, into: folder, ledgers: erasures, replaces: force)
        } catch {
            throw CommandFailure(.failed, error.description)
        }
        if json {
            Terminal.line(report.json.text)
        } else {
            for line in report.lines(of: file, in: folder) { Terminal.line(line) }
        }
        Terminal.plainError(
            "Revocations made after this backup are lost: revoke those tokens again, or remove 'secret'.")
    }
}

extension RestoreReport {
    fileprivate func lines(of file: String, in folder: String) -> [String] {
        let written = newest.map { ", written until about \($0.text)" } ?? ""
        let again = erasedAgain == 1 ? "1 person" : "\(erasedAgain) people"
        return ["restored   \(file): position \(head), schema \(schema)\(written)"]
            + ["erasures   \(erasures) in the backup; \(again) erased again"]
            + ledgers.map { ledger in
                ledger.isUsed
                    ? "ledger     \(ledger.path): erasures: \(ledger.erasures)"
                    : "not used   \(ledger.path): not known to be of this server; --erasures FILE uses it"
            }
            + brought.map { name in "brought    \(folder)/\(name)" }
            + lacking.map { name in
                "lacks      \(folder)/\(name): copy it from the old folder before the start, or a new one is made"
            }
    }

    fileprivate var json: JSONValue {
        [
            "seq": .integer(head.value), "schema": .integer(Int64(schema)),
            "newest": newest.map { .string($0.text) } ?? .null, "erasures": .integer(Int64(erasures)),
            "erasedAgain": .integer(Int64(erasedAgain)),
            "ledgers": .array(
                ledgers.map { ledger in
                    [
                        "file": .string(ledger.path), "erasures": .integer(Int64(ledger.erasures)),
                        "isUsed": .bool(ledger.isUsed),
                    ]
                }),
            "brought": .array(brought.map { .string($0) }), "lacking": .array(lacking.map { .string($0) }),
        ]
    }
}
