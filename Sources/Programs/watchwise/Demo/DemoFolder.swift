import Foundation

/// The folder of a demo, recognized by a file in it: since everybody may sign in as anybody, it must not contain real
/// chats.
enum DemoFolder {
    /// The file that marks the folder.
    private static let mark = "demo"

    /// Marks a folder that is new or empty as the demo's.
    /// - Throws: `CommandFailure` when it contains anything else.
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
