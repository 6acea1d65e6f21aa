internal import Foundation
package import JSON

/// The data of the project's own making in `Tests/Data`, and real data of the same form where somebody has it.
///
/// - Confinement: any
package struct SampleData: Sendable {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// Always there.
    package static let own = SampleData(isOwn: true, folder: root.appending(path: "Tests/Data"))
    /// Beside the repository, which does not contain them.
    private static let real = SampleData(isOwn: false, folder: root.appending(path: "../shared/data").standardized)

    package let isOwn: Bool
    private let folder: URL

    /// The path of a file, such as `tmdb/person.json`.
    package func path(_ name: String) -> String { folder.appending(path: name).path }

    package func bytes(_ name: String) throws -> [UInt8] { try Array(Data(contentsOf: folder.appending(path: name))) }

    package func json(_ name: String) throws -> JSONValue { try JSONValue(parsing: bytes(name)) }

    /// The own data, and the real ones where they have this file: a test of both is never without any.
    package static func all(with name: String) -> [SampleData] {
        [own] + [real].filter { FileManager.default.fileExists(atPath: $0.path(name)) }
    }
}
