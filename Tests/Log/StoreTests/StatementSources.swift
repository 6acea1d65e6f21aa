import Foundation

/// The sources of the log and of the tables: all modules whose statements nodes repeat.
enum StatementSources {
    private static let folders = [
        "Log/Log", "Log/Store", "Subjects/Feeds/Tables", "Subjects/PersonalData", "Subjects/Push/Tables",
        "Subjects/Webhooks",
    ]

    /// Each file by its path in the folder of its module.
    static let files: [(name: String, text: String)] = {
        let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources")
        return folders.flatMap { folder in
            let folder = sources.appending(path: folder)
            let paths = (try? FileManager.default.subpathsOfDirectory(atPath: folder.path)) ?? []
            return paths.filter { $0.hasSuffix(".swift") }.sorted().map { path in
                (path, (try? String(contentsOf: folder.appending(path: path), encoding: .utf8)) ?? "")
            }
        }
    }()
}
