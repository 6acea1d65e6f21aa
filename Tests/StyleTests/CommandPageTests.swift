import Foundation
import Testing

/// Every type of command stands in the table of commands, and on the page that explains the commands.
struct CommandPageTests {
    private static let folder = "Sources/Words/ClientProtocol/Commands/"

    /// The types of commands with their names on the wire.
    static func commands(in files: [SourceFile]) -> [(type: String, name: String)] {
        files.compactMap { file in
            let text = file.lines.joined(separator: "\n")
            guard let type = text.firstMatch(of: /(\w+): Command \{/)?.1,
                let name = text.firstMatch(of: /static let name = "([\w.]+)"/)?.1
            else { return nil }
            return (String(type), String(name))
        }
    }

    private static let all = commands(in: Repository.current.files.filter { $0.path.hasPrefix(folder) })

    @Test func `every type of command stands in the table`() throws {
        let table = try PageTests.text(Self.folder + "CommandTable.swift")
        let listed = table.matches(of: /(\w+)\.self/).map { String($0.1) }
        #expect(listed.sorted() == Self.all.map(\.type).sorted())
    }

    @Test func `every command has its section on the page, and every section a command`() throws {
        let page = try PageTests.text("Sources/Words/ClientProtocol/ClientProtocol.docc/Commands.md")
        let sections = page.matches(of: /\n### ([^\n]+)/).flatMap { $0.1.split(separator: ", ").map(String.init) }
        #expect(sections.sorted() == Self.all.map(\.name).sorted())
    }

    @Test func `a type of command is found in its file`() {
        let file = SourceFile(
            path: Self.folder + "A.swift", text: "package enum ACommand: Command {\n    static let name = \"a.b\"\n}\n")
        let found = Self.commands(in: [file, SourceFile(path: Self.folder + "B.swift", text: "struct B {}\n")])
        #expect(found.map(\.type) == ["ACommand"])
        #expect(found.map(\.name) == ["a.b"])
    }
}
