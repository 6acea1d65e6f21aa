import Testing

/// Style is a failing test: what the architecture and the style page say, held against every file.
struct StyleTests {
    @Test(arguments: Rule.all)
    func `every file keeps the rule`(_ rule: Rule) {
        let findings = Repository.current.files.flatMap(rule.findings)
        #expect(findings.isEmpty, "\(rule.name):\n\(findings.map(\.description).joined(separator: "\n"))")
    }

    @Test(arguments: Rule.all)
    func `each rule fails on a text that breaks it, and only on that`(_ rule: Rule) {
        #expect(!rule.findings(rule.bad).isEmpty)
        #expect(rule.findings(rule.good).isEmpty)
    }

    @Test func `the repository is there to be read`() {
        let paths = Repository.current.files.map(\.path)
        #expect(paths.contains("Package.swift"))
        #expect(paths.contains("Tests/StyleTests/StyleTests.swift"))
        #expect(paths.contains { $0.hasPrefix("Sources/") })
    }

    @Test func `the longest files, as a table to look at`() {
        let longest = Repository.current.files.sorted { $0.lineCount > $1.lineCount }.prefix(10)
        print("longest files:")
        for file in longest { print("  \(file.lineCount)  \(file.path)") }
        #expect(!longest.isEmpty)
    }
}

struct HouseTests {
    @Test func `the manifest draws the arrows of the house`() throws {
        let declared = Arrows.declared(in: try Repository.current.manifest)
        for (room, seen) in Arrows.house {
            #expect(declared[room] == seen, "\(room)")
        }
        #expect(Set(declared.keys) == Set(Arrows.sees.keys))
    }

    @Test func `an arrow more in the manifest is noticed`() {
        let text = """
            let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
            room("JSON"),
            room(
                "Store",
                sees: ["JSON", "Server", grdb,
                ]),
            .executableTarget(
                name: "watchwise-load", dependencies: ["JSON"]
            """
        let declared = Arrows.declared(in: SourceText(path: "Package.swift", text: text))
        #expect(declared == ["JSON": [], "Store": ["JSON", "Server", "GRDB"], "watchwise-load": ["JSON"]])
    }

    @Test func `no arrow points upward`() {
        #expect(Arrows.upward(in: Arrows.house).isEmpty)
        #expect(
            Arrows.upward(in: ["JSON": ["Model"], "Model": ["JSON", "Model"]]) == ["JSON → Model", "Model → Model"]
        )
    }

    @Test func `every room has tests of its own name`() {
        let rooms = Arrows.house.map(\.key).filter { !Arrows.programs.contains($0) }
        #expect(Repository.untested(rooms: rooms, files: Repository.current.files) == [])
    }

    @Test func `a folder without a test does not count as tests`() {
        let files = [
            SourceFile(path: "Tests/WireTests/A.swift", text: "@Test func a() {}"),
            SourceFile(path: "Tests/StoreTests/Placeholder.swift", text: "// @Test"),
        ]
        #expect(Repository.untested(rooms: ["Wire", "Store", "TLS"], files: files) == ["Store", "TLS"])
    }
}
