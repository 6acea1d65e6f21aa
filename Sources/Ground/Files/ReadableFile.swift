import Digits
import Glibc

/// A small file that others may read too: certificates, keys shared with a group, published key sets.
/// - Confinement: any; blocks on the disk
package struct ReadableFile: Sendable {
    /// A value that changes with the file's contents, whether they are written in place or replaced by a rename.
    /// - Confinement: any
    package struct Stamp: Sendable, Hashable {
        private let inode: UInt
        private let size: Int
        private let changedSeconds: Int
        private let changedNanoseconds: Int

        init(_ status: stat) {
            inode = status.st_ino
            size = status.st_size
            changedSeconds = status.st_mtim.tv_sec
            changedNanoseconds = status.st_mtim.tv_nsec
        }
    }

    /// The contents of a file, with its stamp and mode.
    /// - Confinement: any
    package struct Contents: Sendable {
        /// All bytes, without the byte order mark that editors of Windows put in front of a text.
        package let bytes: [UInt8]
        /// The stamp when it was opened.
        package let stamp: Stamp
        /// The permission bits, such as 0o640.
        package let mode: UInt32
    }

    /// Where it lies.
    package let path: String

    /// Names a file; nothing is opened.
    package init(path: String) {
        self.path = path
    }

    /// Reads the whole file.
    /// - Parameter bytesMax: a longer file is refused.
    /// - Throws: also when there is none (`ENOENT`).
    package func read(bytesMax: Int) throws(PrivateFileError) -> Contents {
        // Without O_NONBLOCK a pipe without a writer would hold the thread.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        if descriptor < 0 { throw .system(path: path, operation: "open", errno: errno) }
        defer { close(descriptor) }
        var status = stat()
        if unsafe fstat(descriptor, &status) != 0 { throw .system(path: path, operation: "fstat", errno: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile(path: path) }
        return Contents(
            bytes: ByteOrderMark.skipped(
                in: try ReadableFile.readAll(descriptor, path: path, bytesMax: bytesMax)),
            stamp: Stamp(status),
            mode: status.st_mode & 0o777
        )
    }

    /// The file's present stamp.
    /// - Returns: nil when it cannot be looked at.
    package func stamp() -> Stamp? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? Stamp(status) : nil
    }

    /// Reads to the end of an open file.
    static func readAll(_ descriptor: Int32, path: String, bytesMax: Int) throws(PrivateFileError) -> [UInt8] {
        var contents: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe Glibc.read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            if count < 0 { throw .system(path: path, operation: "read", errno: errno) }
            if count == 0 { return contents }
            contents += piece[..<count]
            if contents.count > bytesMax { throw .tooLong(path: path, bytesMax: bytesMax) }
        }
    }
}
