extension Rule {
    static let names = [
        Rule(
            name: "no type is called Utils, Helper, Manager or Base",
            bad: SourceFile(path: "Sources/Words/Wire/A.swift", text: "struct FrameHelper {}\n"),
            good: SourceFile(path: "Sources/Words/Wire/A.swift", text: "struct FrameHelperless { let manager = 1 }\n"),
            findings: { file in
                file.types.filter { type in emptyWords.contains { type.text.hasSuffix($0) } }.map {
                    Finding(file, $0.line, "the name \($0.text) says nothing of what it is for")
                }
            }
        ),
        Rule(
            name: "no file is called Utils, Helper, Manager or Base",
            bad: SourceFile(path: "Tests/Words/WireTests/FrameUtils.swift", text: "struct Frames {}\n"),
            good: SourceFile(path: "Tests/Words/WireTests/Frames.swift", text: "struct Frames {}\n"),
            findings: { file in
                guard let name = file.folders.last?.split(separator: ".").first else { return [] }
                guard emptyWords.contains(where: { name.hasSuffix($0) || name.contains("\($0)+") }) else { return [] }
                return [Finding(file, 1, "the name \(name) says nothing of what it holds")]
            }
        ),
    ]

    private static let emptyWords = ["Util", "Utils", "Utilities", "Helper", "Helpers", "Manager", "Base"]
}

extension SourceFile {
    /// The names of the types declared in the file, with their lines.
    var types: [Token] {
        let keywords: Set = ["struct", "class", "enum", "actor", "protocol", "typealias"]
        return tokens.indices.filter { keywords.contains(tokens[$0].text) && text(at: $0 - 1) != "import" }
            .map { Token(text: text(at: $0 + 1), line: tokens[$0].line) }
    }
}
