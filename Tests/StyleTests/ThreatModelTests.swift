import Foundation
import Testing

/// The threat model names a test for each risk; these tests must exist.
struct ThreatModelTests {
    private static let page = "Sources/Programs/Server/Server.docc/ThreatModel.md"

    /// The rows of the tables of risks, with the names in the last column.
    static func named(in text: String) -> [(risk: String, tests: [String], scripts: [String])] {
        let table = text.components(separatedBy: "## The risks").dropFirst().joined()
        return table.split(separator: "\n").filter { $0.hasPrefix("| ") && !$0.hasPrefix("| risk") }.map { row in
            let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            let last = cells.last ?? ""
            return (
                cells.first ?? "", last.matches(of: /`([^`]+)`/).map { String($0.1) },
                last.matches(of: /\bTests\/\w+\/\w+/).map { String($0.0) }
            )
        }
    }

    @Test func `every risk names a test, and every test named is there`() throws {
        let root = Repository.current.root
        let text = try String(contentsOf: root.appending(path: Self.page), encoding: .utf8)
        let sources = Repository.current.files.filter { $0.path.hasPrefix("Tests/") }.flatMap(\.lines).joined(
            separator: "\n")
        let rows = Self.named(in: text)
        #expect(rows.count > 30)
        for row in rows {
            #expect(!row.tests.isEmpty || !row.scripts.isEmpty, "no test against: \(row.risk)")
            for test in row.tests { #expect(sources.contains("func `\(test)`("), "there is no test '\(test)'") }
            for script in row.scripts {
                #expect(
                    FileManager.default.isExecutableFile(atPath: root.appending(path: script).path),
                    "there is no \(script)"
                )
            }
        }
    }

    @Test func `the rows are read as they are written`() {
        let rows = Self.named(
            in: "## The risks\n| risk | a | b |\n|---|---|---|\n| x | y `no` | `a b`, Tests/A/run |\n")
        #expect(rows.map(\.risk) == ["x"])
        #expect(rows.first?.tests == ["a b"])
        #expect(rows.first?.scripts == ["Tests/A/run"])
    }
}
