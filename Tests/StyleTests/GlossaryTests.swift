import Testing

/// The glossary finds what is hard to read, and nothing else; pages keep to it.
struct GlossaryTests {
    @Test(arguments: [
        "What came behind the current request", "the state is fetched anew", "a follower is told once",
        "Whoever reaches the page", "he is told with his devices", "At most so many.", "a list of such",
        "is none of these", "PATCH is not done here; GET is", "a token does as well", "it came to nothing",
        "Notifications put off by their readers", "two milliards of bytes", "every so manyth connection",
        "reckoned were 12",
    ])
    func `a hard text is found`(_ text: String) {
        #expect(!Glossary.findings(in: text).isEmpty)
    }

    @Test(arguments: [
        "The bytes after the current request", "the server behind a proxy", "a follower is notified once",
        "everybody who can reach the page", "they get it on their devices", "The largest number to show.",
        "the header and this history", "a list of these", "use GET here", "a whole token works, too",
        "toldness, heather, `told`", "snoozed notifications", "every nth connection",
    ])
    func `a plain text is left alone`(_ text: String) {
        #expect(Glossary.findings(in: text) == [])
    }

    @Test(arguments: Glossary.pages.sorted())
    func `a page that was gone through keeps to the glossary`(_ page: String) throws {
        let lines = try PageTests.text(page).split(separator: "\n", omittingEmptySubsequences: false)
        let findings = lines.enumerated().flatMap { number, line in
            Glossary.findings(in: String(line)).map { "\(page):\(number + 1): \($0)" }
        }
        #expect(findings == [])
    }

    @Test func `the texts of strings are read line by line, without the code in them`() {
        let text =
            "let a = \"one \\(two(\"three\")) four\"\nlet b = #\"fi\\ve\"#\nlet c = \"\"\"\n  six\n  "
            + "seven\n  \"\"\"\n"
        let strings = SourceFile(path: "A.swift", text: text).strings
        #expect(strings.map(\.text) == ["one ", "three", " four", "fi\\ve", "  six", "  seven", "  "])
        #expect(strings.map(\.line) == [1, 1, 1, 2, 4, 5, 6])
    }
}
