import Testing

/// Style is a failing test: the rules of the house, applied to every file.
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
    private static let house = Arrows(
        manifest: """
            room("Words/JSON"),
            room("Words/Model", sees: ["JSON", "Model"]),
            room("Words/Wire", sees: ["JSON", "CUV"]),
            """
    )

    @Test func `the arrows of the house are read from the manifest`() {
        let text = """
            let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
            room("Words/JSON"),
            room(
                "Log/Store",
                sees: ["JSON", "Server", grdb,
                ]),
            .executableTarget(
                name: "watchwise-load",
                dependencies: ["JSON"],
                path: "Load",
            ),
            .executableTarget(name: "watchwise-floor", path: "Load/Floor"),
            """
        #expect(
            Arrows(manifest: text).rooms == [
                Arrows.Room(name: "JSON", folder: "Sources/Words/JSON", sees: [], isProgram: false),
                Arrows.Room(
                    name: "Store", folder: "Sources/Log/Store", sees: ["JSON", "Server", "GRDB"], isProgram: false
                ),
                Arrows.Room(name: "watchwise-load", folder: "Load", sees: ["JSON"], isProgram: true),
            ]
        )
        #expect(Arrows.current.rooms.count > 15)
    }

    @Test func `no arrow points upward: the manifest names the lower rooms first`() {
        #expect(Arrows.current.upward == [])
        #expect(Self.house.upward == ["Model → Model"])
    }

    @Test func `a room without I/O sees only such rooms`() {
        #expect(Arrows.current.impure == [])
        #expect(Self.house.impure == ["Wire → CUV"])
    }

    @Test func `no arrow is dead: each room imports what it sees`() {
        #expect(Arrows.current.dead(in: Repository.current.files) == [])
        let files = [
            SourceFile(path: "Sources/Words/Model/Time.swift", text: "package import JSON\n"),
            SourceFile(path: "Sources/Words/Wire/Frame.swift", text: "// import JSON\nimport CUV\n"),
        ]
        #expect(Self.house.dead(in: files) == ["Model → Model", "Wire → JSON"])
    }

    @Test func `every room has tests of its own name`() {
        let rooms = Arrows.current.rooms.filter { !$0.isProgram }.map(\.name)
        #expect(Repository.untested(rooms: rooms, files: Repository.current.files) == [])
    }

    @Test func `a folder without a test does not count as tests`() {
        let files = [
            SourceFile(path: "Tests/Words/WireTests/A.swift", text: "@Test func a() {}"),
            SourceFile(path: "Tests/Log/StoreTests/Placeholder.swift", text: "// @Test"),
        ]
        #expect(Repository.untested(rooms: ["Wire", "Store", "Crypto"], files: files) == ["Store", "Crypto"])
    }
}
