extension Rule {
    static let imports = [
        Rule(
            name: "the rooms without I/O import nothing but the standard library and collections",
            bad: SourceFile(path: "Sources/Words/Model/Time.swift", text: "import Foundation\n"),
            good: SourceFile(path: "Sources/Words/Wire/Frame.swift", text: "package import Model\n"),
            findings: { file in
                guard let room = file.room, Arrows.pure.contains(room) else { return [] }
                let allowed = (Arrows.current[room]?.sees ?? []).union(["Synchronization"])
                return file.imports.filter { !allowed.contains($0.text) }.map {
                    Finding(file, $0.line, "\(room) is a room without I/O and may not import \($0.text)")
                }
            }
        ),
        Rule(
            name: "a room imports only the rooms it sees",
            bad: SourceFile(path: "Sources/Log/Store/Writer.swift", text: "import GRDB\nimport Server\n"),
            good: SourceFile(
                path: "Sources/Log/Store/Writer.swift",
                text: "import Foundation\nimport GRDB\npackage import Model\n"
            ),
            findings: { file in
                guard let room = file.room else { return [] }
                let allowed = (Arrows.current[room]?.sees ?? []).union(Arrows.toolchain)
                return file.imports.filter { !allowed.contains($0.text) }.map {
                    Finding(file, $0.line, "\(room) does not see \($0.text)")
                }
            }
        ),
    ]
}
