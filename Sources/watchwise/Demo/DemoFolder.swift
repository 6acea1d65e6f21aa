import Foundation

/// The folder of a demo, known by a file in it: where anybody may be anybody, nobody's real chats may stand.
enum DemoFolder {
    /// The file by which the folder is known.
    private static let mark = "demo"

    /// Marks a folder that is new or empty as the demo's.
    /// - Throws: `CommandFailure` when it holds something that is not the demo's.
    static func take(_ folder: String) throws {
        let files = FileManager.default
        let held = (try? files.contentsOfDirectory(atPath: folder)) ?? []
        guard !held.contains(mark) else { return }
        guard held.isEmpty else {
            throw CommandFailure(
                .misused,
                """
                \(folder) is not the folder of a demo: it has files, but no file '\(mark)'. In a demo everybody can \
                play any of the people. Name a new folder with --data, or leave out --data
                """)
        }
        do {
            try files.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            try Data("watchwise demo plays in this folder: here everybody can play any of the people\n".utf8)
                .write(to: URL(fileURLWithPath: folder + "/" + mark))
        } catch {
            throw CommandFailure(.failed, "cannot make the folder \(folder): \(error.localizedDescription)")
        }
    }
}
