import Allocation
import CBuild
import Configuration
import JSON
import Server

/// The output of `watchwise --version`.
enum Version {
    /// The program, the commit it was built from, and the libraries that it runs with, and its tables.
    static let text = """
        watchwise \(ProgramVersion.current) (commit \(commit))
        Swift \(LinkedLibraries.swift)\(libraries.map { ", \($0.name) \($0.version)" }.joined())
        \(ProgramWatch.ownLine)
        """

    private static let libraries = LinkedLibraries.all(allocator: Allocator.version)

    /// The same for programs. Its members stay; more may come.
    static var json: JSONValue {
        [
            "version": .string(ProgramVersion.current), "commit": .string(commit),
            "swift": .string(LinkedLibraries.swift),
            "libraries": .object(JSONObject(libraries.map { ($0.key, .string($0.version)) })),
            "schema": .integer(Int64(ProgramWatch.ownSchema)),
        ]
    }

    /// The same for the figures.
    static var labels: [(name: String, value: String)] {
        [("version", ProgramVersion.current), ("commit", commit), ("swift", LinkedLibraries.swift)]
            + libraries.map { ($0.key, $0.version) }
    }

    /// Whether the arguments of the program ask for the version as JSON.
    static func isAskedAsJSON(_ arguments: [String]) -> Bool { arguments.sorted() == ["--json", "--version"] }

    private static var commit: String {
        let bytes = (0...).lazy.map { UInt8(bitPattern: watchwise_commit($0)) }.prefix { $0 != 0 }
        return String(decoding: Array(bytes), as: UTF8.self)
    }
}
