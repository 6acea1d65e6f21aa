/// One Swift file for the rules: its lines, and its tokens without comments and strings.
struct SourceFile: Sendable, CustomStringConvertible {
    /// Relative to the repository: `Sources/Words/Wire/Masking.swift`.
    let path: String
    let lines: [String]
    let tokens: [Token]
    let comments: [Token]
    /// The texts of its string literals, line by line.
    let strings: [Token]

    init(path: String, text: String) {
        self.path = path
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        var tokenizer = Tokenizer(text)
        tokenizer.scan()
        tokens = tokenizer.tokens
        comments = tokenizer.comments
        strings = tokenizer.strings
    }

    var description: String { path }

    /// `Sources/Words/JSON/JSONValue.swift` → `Sources`, `JSON`, `JSONValue.swift`.
    var folders: [Substring] { path.split(separator: "/") }

    /// The module of a file in `Sources`, in its group: `Sources/Words/JSON/JSONValue.swift` → `JSON`. `Load` is the module
    /// `watchwise-load`.
    var room: String? {
        switch folders.first {
        case "Sources" where folders.count > 3: return String(folders[2])
        case "Load": return "watchwise-load"
        default: return nil
        }
    }

    var isTest: Bool { path.hasPrefix("Tests/") }

    /// Lines of text; a final newline begins no new one.
    var lineCount: Int { lines.last == "" ? lines.count - 1 : lines.count }

    /// The text of a token by its index; empty outside of the file.
    func text(at index: Int) -> String {
        tokens.indices.contains(index) ? tokens[index].text : ""
    }

    /// The `///` lines directly above a line of code, attributes between them skipped.
    func documentation(above line: Int) -> [String] {
        var found: [String] = []
        var index = line - 2
        while index >= 0 {
            let text = String(lines[index].drop { $0 == " " })
            guard text.hasPrefix("///") || text.hasPrefix("@") else { break }
            if text.hasPrefix("///") { found.append(text) }
            index -= 1
        }
        return found.reversed()
    }

    /// The modules that the file imports, with the line of each.
    var imports: [Token] {
        let kinds: Set = ["struct", "class", "enum", "protocol", "func", "typealias", "var", "let"]
        return tokens.indices.filter { tokens[$0].text == "import" }.map { index in
            let name = kinds.contains(text(at: index + 1)) ? index + 2 : index + 1
            return Token(text: text(at: name), line: tokens[index].line)
        }
    }
}

/// A word, a number or a single sign of the code, or the text of a comment.
struct Token: Sendable, Equatable {
    let text: String
    /// Counted from 1.
    let line: Int
    /// Whether nothing stands between it and the token before: `try!`, not `try !isDone`.
    var isAttached = false
}
