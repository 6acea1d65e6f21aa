extension Rule {
    /// Plain English: the words of the glossary that can be found.
    static let glossary = [
        Rule(
            name: "texts that people read are plain English",
            bad: SourceFile(path: "Sources/Server/A.swift", text: "log.info(\"the event \\(name) is told anew\")\n"),
            good: SourceFile(path: "Sources/Server/A.swift", text: "log.info(\"the event \\(told) is sent again\")\n"),
            findings: { file in
                guard file.path.hasPrefix("Sources/") else { return [] }
                return file.strings.filter { !Glossary.isSQL($0.text) }.flatMap { text in
                    Glossary.findings(in: text.text).map { Finding(file, text.line, $0) }
                }
            }
        ),
        Rule(
            name: "comments of the modules that were gone through are plain English",
            bad: SourceFile(path: "Sources/JSON/A.swift", text: "/// What came behind the object.\n"),
            good: SourceFile(path: "Sources/JSON/A.swift", text: "/// The bytes after the object.\n"),
            findings: { file in
                guard file.path.hasPrefix("Sources/"), Glossary.modules.contains(file.room ?? "") else { return [] }
                return file.comments.flatMap { comment in
                    Glossary.findings(in: comment.text).map { Finding(file, comment.line, $0) }
                }
            }
        ),
    ]
}

/// Words that are hard to read, or not English, with what to write instead.
enum Glossary {
    /// Modules whose comments keep to the glossary. The list grows until it has all of them.
    static let modules: Set = [
        "Authentication", "Client", "ClientProtocol", "Compression", "Configuration", "EventLoop", "Fanout", "Feeds",
        "JSON", "Model", "Outbound", "Store", "Wire", "watchwise",
    ]

    /// Pages that keep to the glossary. The list grows until it has all of them.
    static let pages: Set = [
        "README.md", "Load/README.md", "Tests/README.md", "deploy/README.md",
        "Sources/Server/Server.docc/Applications.md",
        "Sources/Authentication/Authentication.docc/Tokens.md",
        "Sources/ClientProtocol/ClientProtocol.docc/Commands.md",
        "Sources/Server/Server.docc/Cost.md",
        "Sources/Gateway/Gateway.docc/Delivery.md",
        "Sources/Services/Services.docc/Documents.md",
        "Sources/ClientProtocol/ClientProtocol.docc/Events.md",
        "Sources/Store/Store.docc/Faults.md",
        "Sources/Feeds/Feeds.docc/FeedSources.md",
        "Sources/Server/Server.docc/Guarantees.md",
        "Sources/Gateway/Gateway.docc/HTTPInterface.md",
        "Sources/Server/Server.docc/Limits.md",
        "Sources/Services/Services.docc/Preferences.md",
        "Sources/Server/Server.docc/Recipes.md",
        "Sources/Authentication/Authentication.docc/Revocation.md",
        "Sources/Server/Server.docc/Simulation.md",
        "Sources/Triggers/Triggers.docc/TriggerRows.md",
        "Sources/Triggers/Triggers.docc/TriggerWork.md",
        "Sources/Server/Server.docc/Walks.md",
        "Sources/Store/Store.docc/Store.md",
        "Sources/Webhooks/Webhooks.docc/WebhookCalls.md",
    ]

    private static let words: [(word: String, instead: String)] = [
        ("behind", "'after', unless it is a place: 'behind a proxy'"),
        ("anew", "'again', or 'new'"),
        ("told", "what happens: is sent, is notified, is written"),
        ("whoever", "'everybody who', 'the client that'"),
        ("he", "'they', or the noun"), ("his", "'their', or the noun"), ("him", "'them', or the noun"),
        ("so many", "the number"),
        ("of such.", "'of these'"), ("of such,", "'of these'"), ("of such;", "'of these'"),
        ("is none of", "'is not one of'"),
        ("is not done here", "what to do, then why"),
        ("does as well", "'works, too'"),
        ("came to nothing", "'is empty'"),
        ("put off", "'snoozed' or 'delayed'"),
        ("milliard", "'billion'"), ("milliards", "'billion'"),
        ("manyth", "'nth'"),
        ("reckoned", "'estimated', 'counted'"),
    ]

    /// Statements for the database have names of their own.
    static func isSQL(_ text: String) -> Bool { text.contains("SELECT ") }

    private static let allowed = ["behind a proxy", "behind the proxy", "behind proxies"]

    /// A sentence for each word of the glossary in a text.
    static func findings(in text: String) -> [String] {
        var letters = text.lowercased() + "."
        for phrase in allowed { letters = letters.replacing(phrase, with: "") }
        return words.filter { contains($0.word, in: letters) }.map { "'\($0.word)': write \($0.instead)" }
    }

    /// Whether a word, or several in a row, stands by itself in a text of small letters.
    private static func contains(_ word: String, in text: String) -> Bool {
        text.ranges(of: word).contains { range in
            !text[..<range.lowerBound].suffix(1).contains(where: \.isWordLetter)
                && !text[range.upperBound...].prefix(1).contains(where: \.isWordLetter)
                && text[range.upperBound...].prefixMatch(of: /\.\w/) == nil  // the name of a column
        }
    }
}

extension Character {
    fileprivate var isWordLetter: Bool { isLetter || isNumber || self == "_" || self == "`" }
}
