import Model

/// Finds a mistyped command: `watchwise broadcast TEXT` sends the text, and so it would send a misspelt command, too.
enum BroadcastWord {
    private static let commands = ["list", "show", "change", "cancel", "send", "help"]
    /// Other words for the same.
    private static let others = [
        "ls": "list", "lst": "list", "get": "show", "edit": "change", "update": "change", "view": "show",
        "status": "show", "delete": "cancel",
        "remove": "cancel",
        "rm": "cancel", "stop": "cancel",
    ]

    /// The command that a title is meant as; nil for a title in earnest: one of several words, or like no command.
    static func command(meantBy title: String) -> String? {
        guard title.allSatisfy({ $0.isLowercase && $0.isASCII }) else { return nil }
        return others[title] ?? NearestName.of(title, among: commands)
    }
}
