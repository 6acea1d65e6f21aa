package import Files
internal import Foundation

/// Keeps the server's folder and its files for their owner alone, whatever the umask is and whichever user made them.
///
/// - Confinement: any; blocks on the disk
package enum PrivateAccess {
    private static let others = 0o077
    private static let sticky = 0o1000

    /// Makes a folder with mode 0700 if it is absent, and shuts others out of one that is there.
    ///
    /// Only a folder that is empty or the server's already is changed: `--data /tmp` must not close `/tmp`.
    ///
    /// - Returns: the mode that the folder had until now; nil when it was for its owner alone.
    /// - Throws: `Problem` when it cannot be made, or others may enter it and that is not ours to change.
    static func takeFolder(_ path: String) throws(DataDirectory.Problem) -> Int? {
        let files = FileManager.default
        let mode: Int
        do {
            try files.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            mode = try self.mode(of: path)
        } catch {
            throw .init(description: "cannot make the folder \(path): \(error.localizedDescription)")
        }
        guard mode & others != 0 else { return nil }
        let finding = "other users can open the folder \(path) (mode \(String(mode, radix: 8))), and it "
        guard mode & sticky == 0, isOurs(path) else {
            throw .init(
                description: finding + "holds files that are not the server's: make it private with chmod 700, "
                    + "or give the server a folder of its own with --data")
        }
        do {
            try files.setAttributes([.posixPermissions: 0o700], ofItemAtPath: files.target(of: path))
            guard try self.mode(of: path) & others != 0 else { return mode }
        } catch {}
        throw .init(
            description: finding + "belongs to another user: let its owner run chmod 700, or name a folder "
                + "inside it, which the server then makes")
    }

    /// Shuts others out of a file, if it is there.
    static func close(_ path: String) throws(PrivateFileError) { try FolderFile(path: path).shut() }

    /// Makes an empty file with mode 0600 for the folder's owner, if there is none. An empty file is an empty database to SQLite,
    /// which gives the files beside it the same mode and owner.
    package static func makeFile(_ path: String) throws(PrivateFileError) { try FolderFile(path: path).make() }

    /// Whether a folder is empty or holds files of the server.
    private static func isOurs(_ path: String) -> Bool {
        // A folder that a file system is mounted on has one thing in it from the beginning.
        guard let held = try? FileManager.default.contentsOfDirectory(atPath: path).filter({ $0 != "lost+found" })
        else { return false }
        return held.isEmpty || !marks.isDisjoint(with: held)
    }

    private static let marks: Set<String> = ["watchwise.db", "secret", "demo"]

    /// The mode of a path's file or folder, links followed.
    private static func mode(of path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: FileManager.default.target(of: path))
        return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? others
    }
}

extension FileManager {
    /// Where a path leads when links are followed.
    fileprivate func target(of path: String) -> String {
        URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    }
}
