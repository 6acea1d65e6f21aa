import Testing

/// The glossary finds texts that are hard to read, and no others; pages keep to it.
struct GlossaryTests {
    @Test(arguments: [
        "What came behind the current request", "the state is fetched anew", "a follower is told once",
        "Whoever reaches the page", "he is told with his devices", "At most so many.", "a list of such",
        "is none of these", "PATCH is not done here; GET is", "a token does as well", "it came to nothing",
        "Notifications put off by their readers", "two milliards of bytes", "every so manyth connection",
        "reckoned were 12", "the dearest rows", "they send by turns", "or the other way round",
        "in the midst of a frame",
        "it ends without a word", "the result that came of it", "no port can be had", "a text that is none",
    ])
    func `a hard text is found`(_ text: String) {
        #expect(!Glossary.findings(in: text).isEmpty)
    }

    @Test(arguments: [
        "The bytes after the current request", "the server behind a proxy", "a follower is notified once",
        "everybody who can reach the page", "they get it on their devices", "The largest number to show.",
        "the header and this history", "a list of these", "use GET here", "a whole token works, too",
        "toldness, heather, `told`", "snoozed notifications", "every nth connection", "nil when there is none",
        "it has a message to send", "an address, for example `::1`", "topics such as `person:525`",
    ])
    func `a plain text is left alone`(_ text: String) {
        #expect(Glossary.findings(in: text) == [])
    }

    @Test(arguments: [
        "the connection who asks", "a session for whom it waits", "the loop, who is told",
        "programs with whom it talks",
    ])
    func `a program is no person`(_ text: String) {
        #expect(!Glossary.findings(in: text).isEmpty)
    }

    @Test(arguments: [
        "a user who asks", "the readers for whom it was made", "those who follow", "says who may read", "somebody, who",
    ])
    func `a person may be a who`(_ text: String) {
        #expect(Glossary.findings(in: text) == [])
    }

    @Test(arguments: [
        "has the user's counts told", "Has the next batch written", "having all of them sent",
        "such as resumed a session",
    ])
    func `a form that is not English is found`(_ text: String) {
        #expect(!Glossary.findings(in: text).isEmpty)
    }

    @Test(arguments: [
        "/// What stays is kept.", "// It waits. Whoever comes is served.", "/// - Returns: it. Who is it.",
    ])
    func `a sentence of a comment begins with a noun or a verb`(_ text: String) {
        #expect(!Glossary.findings(inComment: text).isEmpty)
    }

    @Test(arguments: [
        "/// Says what stays.", "// Unwritten bytes stay: what the socket took is gone.", "/// Whether it is.",
    ])
    func `a relative clause inside of a sentence is left alone`(_ text: String) {
        #expect(Glossary.findings(inComment: text) == [])
    }

    @Test(arguments: PageTests.pages.filter { !Glossary.pagesToCome.contains($0) })
    func `every page keeps to the glossary`(_ page: String) throws {
        let lines = try PageTests.text(page).split(separator: "\n", omittingEmptySubsequences: false)
        let findings = lines.enumerated().flatMap { number, line in
            // Names of tests and code in backticks are not the page's own words.
            Glossary.findings(in: String(line).replacing(/`[^`]*`/, with: "``")).map { "\(page):\(number + 1): \($0)" }
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
