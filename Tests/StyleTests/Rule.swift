import Testing

/// One rule about single files. It comes with a text that breaks it and one that keeps it, so that no rule can be
/// written that never fails.
struct Rule: Sendable, CustomTestStringConvertible {
    let name: String
    let bad: SourceFile
    let good: SourceFile
    /// A sentence for each place where the file breaks the rule.
    let findings: @Sendable (SourceFile) -> [Finding]

    var testDescription: String { name }

    static let all = lengths + words + glossary + names + imports + layers + documentation + ownership
}

struct Finding: Sendable, CustomStringConvertible {
    let path: String
    let line: Int
    let problem: String

    init(_ file: SourceFile, _ line: Int, _ problem: String) {
        path = file.path
        self.line = line
        self.problem = problem
    }

    var description: String { "\(path):\(line): \(problem)" }
}
