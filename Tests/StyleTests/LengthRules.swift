extension Rule {
    static let fileLinesMax = 600
    static let functionLinesMax = 70

    static let lengths = [
        Rule(
            name: "a file has at most \(fileLinesMax) lines",
            bad: SourceFile(
                path: "Sources/Words/Wire/Long.swift",
                text: String(repeating: "let a = 1\n", count: fileLinesMax + 1)
            ),
            good: SourceFile(
                path: "Sources/Words/Wire/Long.swift",
                text: String(repeating: "let a = 1\n", count: fileLinesMax)
            ),
            findings: { file in
                guard file.lineCount > fileLinesMax else { return [] }
                return [Finding(file, fileLinesMax, "\(file.lineCount) lines, at most \(fileLinesMax)")]
            }
        ),
        Rule(
            name: "a function has at most \(functionLinesMax) lines",
            bad: functionFile(bodyLines: functionLinesMax - 1),
            good: functionFile(bodyLines: functionLinesMax - 2),
            findings: { file in
                file.functions.filter { $0.lines > functionLinesMax }.map {
                    Finding(file, $0.line, "\($0.name) has \($0.lines) lines, at most \(functionLinesMax)")
                }
            }
        ),
    ]

    private static func functionFile(bodyLines: Int) -> SourceFile {
        let body = String(repeating: "    use { 1 }\n", count: bodyLines)
        return SourceFile(
            path: "Sources/Words/Wire/Long.swift",
            text: "protocol P { func bare() }\nfunc long() {\n\(body)}\n"
        )
    }
}

/// A function with a body, and its number of lines from the first word to the last brace.
struct Function: Sendable {
    let name: String
    let line: Int
    let lines: Int
}

extension SourceFile {
    var functions: [Function] {
        tokens.indices.compactMap { index in
            let text = tokens[index].text
            let isDeclaration =
                text == "func" || text == "deinit"
                || (text == "init" && ["(", "?", "<"].contains(self.text(at: index + 1))
                    && self.text(at: index - 1) != ".")
            guard isDeclaration, let end = bodyEnd(from: index) else { return nil }
            let name = text == "func" ? self.text(at: index + 1) : text
            let first = tokens[index].line
            return Function(name: name, line: first, lines: tokens[end].line - first + 1)
        }
    }

    /// The closing brace of the function declared at a token; nil if it has no body, as in a protocol.
    private func bodyEnd(from declaration: Int) -> Int? {
        let others: Set = ["func", "init", "deinit", "subscript", "var", "let", "case", "}"]
        var parentheses = 0
        var braces = 0
        for index in tokens.indices.dropFirst(declaration + 1) {
            switch tokens[index].text {
            case "(", "[": parentheses += 1
            case ")", "]": parentheses -= 1
            case "{" where parentheses == 0 || braces > 0: braces += 1
            case "}" where braces > 0:
                braces -= 1
                if braces == 0 { return index }
            case let text where braces == 0 && parentheses == 0 && others.contains(text): return nil
            default: break
            }
        }
        return nil
    }
}
