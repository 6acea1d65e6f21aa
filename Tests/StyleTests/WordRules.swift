extension Rule {
    static let words = [
        Rule(
            name: "unsafe stands only where C or masking needs it",
            bad: SourceFile(path: "Sources/Log/Store/Writer.swift", text: "let a = unsafe pointer.pointee\n"),
            good: SourceFile(path: "Sources/Words/Wire/Masking.swift", text: "let a = unsafe pointer.pointee\n"),
            findings: { file in
                guard file.room != nil, !mayBeUnsafe(file) else { return [] }
                let words: Set = ["unsafe", "@unsafe", "@safe", "@unchecked"]
                return file.tokens.filter { words.contains($0.text) }.map {
                    Finding(
                        file,
                        $0.line,
                        "\($0.text) outside EventLoop, Files, Crypto, Outbound, JournalLink, Compression, Feeds/XML, the runners of conditions and statements, Wire/Masking.swift"
                    )
                }
            }
        ),
        Rule(
            name: "nothing is put off to a later day in a comment",
            bad: SourceFile(path: "Tests/Words/WireTests/A.swift", text: "// TO" + "DO: the other cases\n"),
            good: SourceFile(path: "Tests/Words/WireTests/A.swift", text: "// The other cases are in B.swift.\n"),
            findings: { file in
                let words = ["TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"]
                return file.comments.flatMap { comment in
                    words.filter { comment.text.contains($0) }.map { Finding(file, comment.line, "\($0) in a comment") }
                }
            }
        ),
        Rule(
            name: "no try! anywhere",
            bad: SourceFile(path: "Tests/Words/WireTests/A.swift", text: "let a = try! make()\n"),
            good: SourceFile(path: "Tests/Words/WireTests/A.swift", text: "if try !isMade() {} // not try!\n"),
            findings: { file in
                file.tokens.indices.dropFirst()
                    .filter {
                        file.tokens[$0].text == "!" && file.tokens[$0].isAttached && file.text(at: $0 - 1) == "try"
                    }
                    .map { Finding(file, file.tokens[$0].line, "try!") }
            }
        ),
        Rule(
            name: "no fatalError outside Load",
            bad: SourceFile(path: "Sources/Words/Wire/A.swift", text: "fatalError(\"no\")\n"),
            good: SourceFile(path: "Load/A.swift", text: "fatalError(\"no\")\n"),
            findings: { file in
                guard file.room != nil, file.room != "watchwise-load" else { return [] }
                return places(in: file, of: "fatalError", before: "(").map { Finding(file, $0, "fatalError") }
            }
        ),
        Rule(
            name: "no room prints",
            bad: SourceFile(path: "Sources/Programs/Server/A.swift", text: "func f() { print(1) }\n"),
            good: SourceFile(path: "Sources/Log/Store/A.swift", text: "func print(_ a: Int) { writer.print(a) }\n"),
            findings: { file in
                guard let room = file.room, Arrows.current[room]?.isProgram != true else { return [] }
                return places(in: file, of: "print", before: "(", notAfter: [".", "func"]).map {
                    Finding(file, $0, "print in a room; only programs speak to the terminal")
                }
            }
        ),
    ]

    private static func mayBeUnsafe(_ file: SourceFile) -> Bool {
        [
            "Sources/Ground/EventLoop/", "Sources/Ground/Files/", "Sources/Ground/Crypto/", "Sources/Ground/Outbound/",
            "Sources/Ground/JournalLink/",
            "Sources/Ground/Compression/",
            "Sources/Subjects/Triggers/Condition", "Sources/Subjects/Triggers/SQL", "Sources/Log/Store/Statement",
            "Sources/Log/Store/Columns",
            "Sources/Log/Store/LogBuffer", "Sources/Subjects/Feeds/XML/",
        ]
        .contains { file.path.hasPrefix($0) }
            || file.path == "Sources/Words/Wire/Masking.swift"
    }

    /// The lines on which one token stands right before another.
    private static func places(
        in file: SourceFile,
        of word: String,
        before next: String,
        notAfter excluded: Set<String> = []
    ) -> [Int] {
        file.tokens.indices.filter {
            file.tokens[$0].text == word && file.text(at: $0 + 1) == next && !excluded.contains(file.text(at: $0 - 1))
        }.map { file.tokens[$0].line }
    }
}
