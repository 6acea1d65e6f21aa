import Glibc

/// A small file that only its owner may read: the server's secret, a TLS key.
/// - Confinement: any; blocks on the disk
package struct PrivateFile: Sendable {
    /// Where it lies.
    package let path: String

    /// Names a file; nothing is opened.
    package init(path: String) {
        self.path = path
    }

    /// Reads the whole file.
    /// - Parameter bytesMax: a longer file is refused.
    /// - Returns: nil when there is none.
    package func read(bytesMax: Int) throws(PrivateFileError) -> [UInt8]? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0, errno == ENOENT { return nil }
        if descriptor < 0 { throw .system(path: path, operation: "open", errno: errno) }
        defer { close(descriptor) }
        var status = stat()
        if unsafe fstat(descriptor, &status) != 0 { throw .system(path: path, operation: "fstat", errno: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile(path: path) }
        guard status.st_mode & 0o077 == 0 else { throw .open(path: path, mode: status.st_mode & 0o777) }
        return try ReadableFile.readAll(descriptor, path: path, bytesMax: bytesMax)
    }

    /// Creates the file with mode 0600, whole or not at all, even when the power fails; never replaces one.
    ///
    /// It writes and syncs a temporary file, links it to its place (unlike a rename, a link fails when another process was
    /// faster), and syncs the folder.
    /// - Parameter temporaryName: a name in the same folder that nobody else uses.
    /// - Returns: false when the file exists already.
    package func create(_ contents: [UInt8], temporaryName: String) throws(PrivateFileError) -> Bool {
        let folder = folder
        let temporary = folder + "/" + temporaryName
        let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor < 0 { throw .system(path: temporary, operation: "create", errno: errno) }
        defer { unsafe _ = unlink(temporary) }
        try fill(descriptor, with: contents, path: temporary)
        if unsafe link(temporary, path) != 0 {
            if errno == EEXIST { return false }
            throw .system(path: path, operation: "link", errno: errno)
        }
        try PrivateFile.sync(folder: folder)
        return true
    }

    /// Puts other contents in the file's place with mode 0600, whole or not at all, even when the power fails.
    ///
    /// - Parameter temporaryName: a name in the same folder that nobody else uses.
    package func replace(_ contents: [UInt8], temporaryName: String) throws(PrivateFileError) {
        let folder = folder
        let temporary = folder + "/" + temporaryName
        let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor < 0 { throw .system(path: temporary, operation: "create", errno: errno) }
        // Harmless once it has its new name.
        defer { unsafe _ = unlink(temporary) }
        try fill(descriptor, with: contents, path: temporary)
        if unsafe rename(temporary, path) != 0 { throw .system(path: path, operation: "rename", errno: errno) }
        try PrivateFile.sync(folder: folder)
    }

    /// The folder part of the path.
    private var folder: String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Writes, syncs and closes.
    private func fill(_ descriptor: Int32, with contents: [UInt8], path: String) throws(PrivateFileError) {
        defer { close(descriptor) }
        // The umask may have taken bits away.
        if fchmod(descriptor, 0o600) != 0 { throw .system(path: path, operation: "fchmod", errno: errno) }
        var written = 0
        while written < contents.count {
            let count = unsafe contents.withUnsafeBytes { bytes in
                unsafe Glibc.write(descriptor, bytes.baseAddress?.advanced(by: written), bytes.count - written)
            }
            if count < 0, errno == EINTR { continue }
            if count < 0 { throw .system(path: path, operation: "write", errno: errno) }
            written += count
        }
        if fsync(descriptor) != 0 { throw .system(path: path, operation: "fsync", errno: errno) }
    }

    /// Makes the folder's list of names durable.
    private static func sync(folder: String) throws(PrivateFileError) {
        let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if descriptor < 0 { throw .system(path: folder, operation: "open", errno: errno) }
        defer { close(descriptor) }
        if fsync(descriptor) != 0 { throw .system(path: folder, operation: "fsync", errno: errno) }
    }
}
