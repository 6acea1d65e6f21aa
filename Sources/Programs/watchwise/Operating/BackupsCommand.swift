import ArgumentParser
import Client
import Console
import JSON

/// `watchwise backups`
struct BackupsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backups",
        abstract: "The copies that a server makes by itself; make one now.",
        discussion: """
            A server that is started with --backup-to DIR copies its database there every --backup-every (6h), checks the copy, and \
            keeps --backup-keep of them (28). 'watchwise restore' puts one into a folder.

            EXAMPLES
              watchwise backups
              watchwise backups make
            """,
        subcommands: [BackupList.self, BackupMake.self], defaultSubcommand: BackupList.self)
}

/// `watchwise backups list`
struct BackupList: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "The copies that are kept, the newest first, and why the last one failed.",
        discussion: """
            EXAMPLES
              watchwise backups
              watchwise backups list --json
            """)

    @OptionGroup(title: "The server") var server: ServerOptions

    func answer() throws -> JSONValue { try server.connect().ask("GET", "backups") }

    func show(_ answer: JSONValue) {
        guard let folder = answer["folder"]?.stringValue else {
            return Terminal.plainError("This server makes no copies by itself: it was started without --backup-to.")
        }
        let rows = answer["backups"]?.arrayValue ?? []
        if !rows.isEmpty {
            let columns: [Table.Column] = [
                .left("NAME"), .left("AT"), .right("BYTES") { ($0["bytes"]?.integerValue ?? 0).grouped },
                .left("SECRETS") { $0["secrets"] == true ? "yes" : "no" },
            ]
            Table(of: rows, columns).show()
        }
        let checked = answer["verified"] == true ? "each is checked" : "none is checked"
        Terminal.plainError(
            "\(folder): every \(answer.shown("every")), \(rows.count) of at most \(answer["keep"]?.text ?? "?"), \(checked)"
        )
        if let since = answer["running"]?.stringValue { Terminal.plainError("One is being made since \(since).") }
        if let failed = answer["failed"], failed != .null {
            Terminal.plainError("The last attempt failed at \(failed.shown("at")): \(failed.shown("reason"))")
        }
    }
}

/// `watchwise backups make`
struct BackupMake: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "make", abstract: "Make a copy now, in the folder of the others.",
        discussion: """
            The answer comes before the copy is made; 'watchwise backups' shows when it is there.

            EXAMPLES
              watchwise backups make
            """)

    @OptionGroup(title: "The server") var server: ServerOptions

    func answer() throws -> JSONValue { try server.connect().change("POST", "backups") }

    func show(_ answer: JSONValue) { Terminal.line("begun; 'watchwise backups' shows when it is there") }
}
