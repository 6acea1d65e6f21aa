import Foundation
import Testing

/// Things that the pages name must exist: links, files, folders and tests.
struct PageTests {
    /// The pages for readers, from the repository's root.
    static let pages: [String] = {
        let root = Repository.current.root
        let found = ["Sources", "Tests", "Load", "deploy"].flatMap { folder -> [String] in
            let names = FileManager.default.enumerator(atPath: root.appending(path: folder).path)
            return (names?.compactMap { $0 as? String } ?? []).map { "\(folder)/\($0)" }
        }
        return ["README.md"] + found.filter { $0.hasSuffix(".md") }.sorted()
    }()

    /// The files and folders that a page names in backticks or links to, from the root. A name in capitals such as
    /// `deploy/apps/NAME.json` stands for many.
    static func paths(in text: String, of page: String) -> [String] {
        let named = text.matches(of: /`((?:Sources|Tests|Load|deploy)\/[\w.\/+-]+)/).map { String($0.1) }
        let folder = page.split(separator: "/").dropLast().joined(separator: "/")
        let linked = text.matches(of: /\]\(([^):#\s]+)\)/).map { folder.isEmpty ? "\($0.1)" : "\(folder)/\($0.1)" }
        return (named + linked).filter { !$0.contains("NAME") }
    }

    /// The suites and folders of tests that a page names: `HandoverTests`.
    static func suites(in text: String) -> [String] {
        text.matches(of: /`(\w+Tests)`/).map { String($0.1) }
    }

    static func text(_ page: String) throws -> String {
        try String(contentsOf: Repository.current.root.appending(path: page), encoding: .utf8)
    }

    @Test(arguments: pages)
    func `every file and folder that a page names exists`(_ page: String) throws {
        let root = Repository.current.root
        let missing = Self.paths(in: try Self.text(page), of: page).filter {
            !FileManager.default.fileExists(atPath: root.appending(path: $0).path)
        }
        #expect(missing == [])
    }

    @Test(arguments: pages)
    func `every suite that a page names exists`(_ page: String) throws {
        let root = Repository.current.root
        let files = Repository.current.files.filter(\.isTest)
        let missing = Self.suites(in: try Self.text(page)).filter { suite in
            !FileManager.default.fileExists(atPath: root.appending(path: "Tests/\(suite)").path)
                && !files.contains { $0.path.hasSuffix("/\(suite).swift") }
        }
        #expect(missing == [])
    }

    @Test(arguments: pages)
    func `every Swift file that a page names without a folder exists`(_ page: String) throws {
        let names = Set(Repository.current.files.compactMap { $0.folders.last.map(String.init) })
        let missing = try Self.text(page).matches(of: /`([\w+]+\.swift)`/).map { String($0.1) }.filter {
            !names.contains($0)
        }
        #expect(missing == [])
    }

    @Test(arguments: pages)
    func `every page that a page names without a folder exists`(_ page: String) throws {
        let names = Set(Self.pages.compactMap { $0.split(separator: "/").last.map(String.init) })
        let missing = try Self.text(page).matches(of: /`([\w+]+\.md)`/).map { String($0.1) }.filter {
            !names.contains($0)
        }
        #expect(missing == [])
    }

    @Test(arguments: pages.filter { $0.contains(".docc/") })
    func `what a page of a catalog refers to is in its catalog or module`(_ page: String) throws {
        let text = try Self.text(page)
        let folder = page.split(separator: "/").dropLast().joined(separator: "/")
        let pages = text.matches(of: /<doc:(\w+)>/).map { "\(folder)/\($0.1).md" }
        #expect(pages.filter { !Self.pages.contains($0) } == [], "use a relative link to the page of another module")
        let module = String(page.split(separator: "/")[2])
        let types = Set(
            Repository.current.files.filter { $0.room == module }.flatMap { file in
                file.tokens.indices.filter { Self.kinds.contains(file.tokens[$0].text) }.map { file.text(at: $0 + 1) }
            })
        let prose = text.split(separator: "\n").filter { !$0.hasPrefix("```") }.joined(separator: "\n")
        let symbols = prose.matches(of: /``(\w+)[^`]*``/).map { String($0.1) }
        #expect(symbols.filter { !types.contains($0) && $0 != module } == [], "write other names in `one` backtick")
    }

    /// The folders of pages: `Store.docc`.
    private static let catalogs = Set(
        pages.compactMap { $0.split(separator: "/").dropLast().last }.filter { $0.hasSuffix(".docc") }
    )

    @Test(arguments: catalogs)
    func `the first page of a catalog lists its pages`(_ catalog: Substring) throws {
        let module = catalog.split(separator: ".")[0]
        let folder = try #require(Arrows.current[String(module)]).folder + "/\(catalog)"
        let text = try Self.text("\(folder)/\(module).md")
        #expect(text.hasPrefix("# ``\(module)``\n"))
        let names = Self.pages.filter { $0.hasPrefix("\(folder)/") }.compactMap { $0.split(separator: "/").last }
        #expect(names.map { $0.dropLast(3) }.filter { $0 != module && !text.contains("- <doc:\($0)>") } == [])
    }

    private static let kinds: Set = ["struct", "class", "enum", "protocol", "typealias", "actor"]

    @Test func `a file and a suite that are not there are noticed`() {
        let text =
            "See `Sources/Words/Wire/Masking.swift`, [this](Gone.md), `Tests/CrashTests/run --help`, `GoneTests`."
        #expect(
            Self.paths(in: text, of: "deploy/README.md")
                == ["Sources/Words/Wire/Masking.swift", "Tests/CrashTests/run", "deploy/Gone.md"]
        )
        #expect(Self.suites(in: text) == ["GoneTests"])
    }

    @Test func `the front door has at most 150 lines`() throws {
        #expect(try Self.text("README.md").split(separator: "\n", omittingEmptySubsequences: false).count <= 151)
    }

    @Test func `the page of the tests tells what each folder proves`() throws {
        let text = try Self.text("Tests/README.md")
        let tests = Repository.current.root.appending(path: "Tests").path
        let groups = try FileManager.default.contentsOfDirectory(
            atPath: Repository.current.root.appending(path: "Sources").path
        )
        let folders = try (["."] + groups + ["Support"]).flatMap { group in
            try FileManager.default.contentsOfDirectory(atPath: "\(tests)/\(group)")
        }
        for folder in folders where !folder.contains(".") {
            #expect(text.contains("`\(folder)`"), "Tests/README.md does not name \(folder)")
        }
    }
}
