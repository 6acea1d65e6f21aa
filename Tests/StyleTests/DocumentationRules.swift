extension Rule {
    static let documentation = [
        Rule(
            name: "every final class says to which thread it is confined",
            bad: SourceFile(path: "Sources/Doors/A/B.swift", text: "/// A session.\npackage final class Session {}\n"),
            good: SourceFile(
                path: "Sources/Programs/Server/A.swift",
                text: "/// A session.\n///\n/// - Confinement: loop\n@safe\npackage final class Session {}\n"
            ),
            findings: { file in
                guard file.path.hasPrefix("Sources/") else { return [] }
                return file.tokens.indices.filter { file.tokens[$0].text == "class" && isFinal(file, $0) }
                    .filter { index in
                        !file.documentation(above: file.tokens[index].line).contains { $0.contains("Confinement:") }
                    }
                    .map {
                        Finding(
                            file,
                            file.tokens[$0].line,
                            "no 'Confinement:' above final class \(file.text(at: $0 + 1))"
                        )
                    }
            }
        ),
        Rule(
            name: "every package type and function has a doc comment",
            bad: SourceFile(
                path: "Sources/Words/Wire/A.swift",
                text: "// Not a doc comment.\npackage static func frame() {}\n"
            ),
            good: SourceFile(
                path: "Sources/Words/Wire/A.swift",
                text: """
                    package import Model
                    /// Frames.
                    @inlinable
                    package static func frame() {}
                    package static func == (a: Self, b: Self) -> Bool { true }
                    package let size = 1
                    """
            ),
            findings: { file in
                guard file.path.hasPrefix("Sources/") else { return [] }
                return file.packageDeclarations.filter { file.documentation(above: $0.line).isEmpty }
                    .map { Finding(file, $0.line, "no doc comment above \($0.text)") }
            }
        ),
    ]

    private static func isFinal(_ file: SourceFile, _ index: Int) -> Bool {
        file.text(at: index - 1) == "final"
            || (file.text(at: index - 2) == "final" && file.text(at: index - 1) == "package")
    }
}

extension SourceFile {
    /// The functions that the standard library's protocols demand. They are documented there, like those of our own
    /// protocols, and again only if there is more to say.
    private static let witnesses: Set = ["=", "<", ">", "hash", "next", "makeIterator"]

    /// The functions that the protocols of this file ask for.
    var requirements: Set<String> {
        var found: Set<String> = []
        for start in tokens.indices where tokens[start].text == "protocol" {
            var depth = 0
            for index in tokens.indices.dropFirst(start) {
                if text(at: index) == "{" { depth += 1 }
                if text(at: index) == "func", depth == 1 { found.insert(text(at: index + 1)) }
                guard text(at: index) == "}" else { continue }
                depth -= 1
                if depth == 0 { break }
            }
        }
        return found
    }

    /// The types and functions that other rooms can see, with the line on which each begins.
    var packageDeclarations: [Token] {
        let modifiers: Set = [
            "final", "static", "class", "mutating", "nonmutating", "consuming", "borrowing", "override", "nonisolated",
            "indirect", "prefix", "postfix", "infix",
        ]
        let keywords: Set = ["struct", "class", "enum", "actor", "protocol", "func"]
        return tokens.indices.filter { ["package", "public"].contains(tokens[$0].text) }.compactMap { start -> Token? in
            var index = start + 1
            while modifiers.contains(text(at: index)), !isTypeKeyword(index) { index += 1 }
            guard keywords.contains(text(at: index)) else { return nil }
            let name = text(at: index + 1)
            let isWitness = Self.witnesses.contains(name) || Repository.current.requirements.contains(name)
            guard !(text(at: index) == "func" && isWitness) else { return nil }
            return Token(text: "\(text(at: index)) \(name)", line: tokens[start].line)
        }
    }

    /// `class` is a modifier in `class func` and a type in `class Session`.
    private func isTypeKeyword(_ index: Int) -> Bool {
        text(at: index) == "class" && !["func", "var", "let", "subscript"].contains(text(at: index + 1))
    }
}
