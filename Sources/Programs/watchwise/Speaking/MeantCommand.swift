import ArgumentParser
import Model

/// Finds the command that a mistyped word stands for.
enum MeantCommand {
    /// Words of other programs, and what they are called here.
    private static let synonyms = [
        "ls": "list", "all": "list", "get": "show", "info": "show", "cat": "show", "rm": "delete", "remove": "delete",
        "del": "delete", "add": "put", "set": "put", "create": "put", "new": "put", "edit": "put", "start": "serve",
        "run": "serve", "status": "stats", "health": "ready", "dump": "backup", "ban": "kick", "history": "audit",
        "log": "audit", "logs": "audit",
    ]

    /// A sentence that names it; nil where every word is a command, or may be an argument.
    static func sentence(for arguments: [String], of root: any ParsableCommand.Type) -> String? {
        var (command, path) = (root, root._commandName)
        for word in arguments {
            let known = command.configuration.subcommands
            guard !known.isEmpty, !word.hasPrefix("-"), word != "help" else { return nil }
            if let next = known.first(where: { $0._commandName == word }) {
                (command, path) = (next, path + " " + word)
                continue
            }
            let names = known.filter { $0.configuration.shouldDisplay }.map { $0._commandName }
            let meant = synonyms[word].flatMap { names.contains($0) ? $0 : nil } ?? NearestName.of(word, among: names)
            if let meant { return "there is no command '\(path) \(word)'. Did you mean '\(path) \(meant)'?" }
            guard command.configuration.defaultSubcommand == nil else { return nil }
            return "there is no command '\(path) \(word)'. '\(path) --help' lists those that there are"
        }
        return nil
    }
}
