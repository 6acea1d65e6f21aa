import Foundation

/// The repository's own files, found from the place of this one.
struct Repository: Sendable {
    static let current = Repository(
        root: URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
    )

    let root: URL
    let files: [SourceFile]
    /// The functions that the protocols of the house ask for, by name.
    let requirements: Set<String>

    init(root: URL) {
        self.root = root
        let folders = ["Sources", "Tests", "Load"].flatMap { folder -> [String] in
            let names = FileManager.default.enumerator(atPath: root.appending(path: folder).path)
            return (names?.compactMap { $0 as? String } ?? []).map { "\(folder)/\($0)" }
        }
        files = (folders + ["Package.swift"]).filter { $0.hasSuffix(".swift") }.sorted().compactMap { path in
            (try? String(contentsOf: root.appending(path: path), encoding: .utf8)).map {
                SourceFile(path: path, text: $0)
            }
        }
        requirements = files.reduce(into: []) { $0.formUnion($1.requirements) }
    }

    /// The text of `Package.swift`.
    var manifest: String {
        files.first { $0.path == "Package.swift" }?.lines.joined(separator: "\n") ?? ""
    }

    /// The modules without a test: each must have a folder of its name with at least one test.
    static func untested(rooms: some Sequence<String>, files: [SourceFile]) -> [String] {
        rooms.filter { room in
            !files.contains { $0.path.contains("/\(room)Tests/") && $0.tokens.contains { $0.text == "@Test" } }
        }
    }
}
