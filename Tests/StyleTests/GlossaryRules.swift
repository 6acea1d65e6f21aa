extension Rule {
    /// Plain English: the words and forms of the glossary.
    static let glossary = [
        Rule(
            name: "texts that people read are plain English",
            bad: SourceFile(path: "Sources/Doors/A/B.swift", text: "log.info(\"the event \\(name) is told anew\")\n"),
            good: SourceFile(path: "Sources/Doors/A/B.swift", text: "log.info(\"the event \\(told) is sent again\")\n"),
            findings: { file in
                guard file.path.hasPrefix("Sources/") else { return [] }
                return file.strings.filter { !Glossary.isSQL($0.text) }.flatMap { text in
                    Glossary.findings(in: text.text).map { Finding(file, text.line, $0) }
                }
            }
        ),
        Rule(
            name: "comments are plain English",
            bad: SourceFile(path: "Tests/Words/JSONTests/A.swift", text: "/// What came behind the object.\n"),
            good: SourceFile(path: "Tests/Words/JSONTests/A.swift", text: "/// The bytes after the object.\n"),
            findings: { file in
                guard !Glossary.modulesToCome.contains(file.room ?? "") else { return [] }
                return file.comments.flatMap { comment in
                    Glossary.findings(inComment: comment.text).map { Finding(file, comment.line, $0) }
                }
            }
        ),
    ]
}
