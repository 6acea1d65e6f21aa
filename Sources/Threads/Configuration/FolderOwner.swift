import Files

/// The owner of the server's files, where this process may not use them.
///
/// - Confinement: any; blocks on the disk
package enum FolderOwner {
    private static let files = [
        "watchwise.db", "watchwise.db-wal", "watchwise.db-shm", "watchwise.head", "lock", "secret",
    ]

    /// `; FILE belongs to USER (mode …), and this runs as USER` for the folder or the first of its files that this process
    /// may not use; empty when it may use all of them.
    package static func hint(_ folder: String) -> String {
        let paths = [folder] + files.map { folder + "/" + $0 }
        return FileOwner.sentence(ofFirstClosed: paths).map { "; " + $0 } ?? ""
    }

    /// The same for a file that could not be read.
    package static func hint(ofFile path: String) -> String { "; " + FileOwner.sentence(of: path) }

    /// A sentence about something at a path that is no file: a folder, a pipe; nil for a file, and where nothing is.
    package static func hint(ofNoFile path: String) -> String? { FileKind(of: path)?.hint(for: path) }
}
