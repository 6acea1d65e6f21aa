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
    /// faster), and syncs the folder. The file belongs to the folder's owner, also when root makes it.
    /// - Parameter temporaryName: a name in the same folder that nobody else uses.
    /// - Returns: false when the file exists already.
    package func create(_ contents: [UInt8], temporaryName: String) throws(PrivateFileError) -> Bool {
        let folder = try DataFolder(of: path, toMake: temporaryName)
        let descriptor = try folder.make(temporaryName)
        defer { folder.remove(temporaryName) }
        try fill(descriptor, with: contents, path: "\(folder.path)/\(temporaryName)")
        guard try folder.link(temporaryName, to: DataFolder.name(of: path)) else { return false }
        try folder.sync()
        return true
    }

    /// Puts other contents in the file's place with mode 0600, whole or not at all, even when the power fails. The new file
    /// belongs to the folder's owner, also when root makes it.
    ///
    /// - Parameter temporaryName: a name in the same folder that nobody else uses.
    package func replace(_ contents: [UInt8], temporaryName: String) throws(PrivateFileError) {
        let folder = try DataFolder(of: path, toMake: temporaryName)
        let descriptor = try folder.make(temporaryName)
        // Harmless once it has its new name.
        defer { folder.remove(temporaryName) }
        try fill(descriptor, with: contents, path: "\(folder.path)/\(temporaryName)")
        try folder.rename(temporaryName, to: DataFolder.name(of: path))
        try folder.sync()
    }

    /// Writes, syncs and closes.
    private func fill(_ descriptor: Int32, with contents: [UInt8], path: String) throws(PrivateFileError) {
        defer { close(descriptor) }
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
}
