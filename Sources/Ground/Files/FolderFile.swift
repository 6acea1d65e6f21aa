import Glibc

/// A file of the server's folder that a library opens by its name, such as a database.
///
/// - Confinement: any; blocks on the disk
package struct FolderFile: Sendable {
    /// Where it lies.
    package let path: String

    /// Names a file; nothing is opened.
    package init(path: String) {
        self.path = path
    }

    /// Makes it, empty and with mode 0600, if it is not there. It belongs to the folder's owner, also when root makes it.
    /// - Throws: also ``PrivateFileError/link(path:)``.
    package func make() throws(PrivateFileError) {
        try refuseLink()
        var status = stat()
        if unsafe lstat(path, &status) == 0 { return }
        let name = DataFolder.name(of: path)
        let folder = try DataFolder(of: path, toMake: name)
        do throws(PrivateFileError) {
            close(try folder.make(name))
        } catch {
            // Another process was faster.
            if case .system(_, _, EEXIST) = error { return }
            throw error
        }
    }

    /// Shuts others out of it, if it is there.
    /// - Throws: also ``PrivateFileError/link(path:)``.
    package func shut() throws(PrivateFileError) {
        try refuseLink()
        var status = stat()
        guard unsafe stat(path, &status) == 0, status.st_mode & 0o077 != 0 else { return }
        guard isOfAnother else {
            if unsafe chmod(path, 0o600) != 0 { throw .system(path: path, operation: "chmod", errno: errno) }
            return
        }
        // Without O_NONBLOCK a pipe without a writer would hold the thread.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
        if descriptor < 0 { throw .system(path: path, operation: "open", errno: errno) }
        defer { close(descriptor) }
        if fchmod(descriptor, 0o600) != 0 { throw .system(path: path, operation: "fchmod", errno: errno) }
    }

    /// Root follows no link in the folder of another user: that one could lead it to a file of a third.
    private func refuseLink() throws(PrivateFileError) {
        guard isOfAnother else { return }
        var status = stat()
        guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return }
        throw .link(path: path)
    }

    /// Whether this is root, and the folder is another user's.
    private var isOfAnother: Bool {
        guard geteuid() == 0 else { return false }
        var status = stat()
        guard unsafe stat(DataFolder.path(of: path), &status) == 0 else { return false }
        return status.st_uid != 0
    }
}
