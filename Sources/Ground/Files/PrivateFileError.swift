import Glibc

/// Why a private file could not be read or created.
/// - Confinement: any
package enum PrivateFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A system call failed.
    case system(path: String, operation: String, errno: Int32)
    /// It is a folder, a pipe or the like.
    case notAFile(path: String)
    /// Its group or others may read, write or execute it.
    case open(path: String, mode: UInt32)
    /// It is longer than its contents may be.
    case tooLong(path: String, bytesMax: Int)
    /// It is a link in the folder of another user, and this is root.
    case link(path: String)

    /// A sentence for the operator: what is wrong, and what to do where that is known.
    package var description: String {
        switch self {
        case .system(let path, let operation, let errno):
            "\(path): \(operation) failed: \(PrivateFileError.sentence(errno))"
                + (errno == EACCES || errno == EPERM ? "; \(FileOwner.sentence(of: path))" : "")
        case .notAFile(let path): FileKind(of: path)?.hint(for: path) ?? "\(path) is not a regular file"
        case .open(let path, let mode):
            "\(path) is open to others (mode 0\(String(mode, radix: 8))): make it private with chmod 600 \(path)"
        case .tooLong(let path, let bytesMax): "\(path) is longer than \(bytesMax) bytes"
        case .link(let path):
            "\(path) is a symbolic link, which root does not follow in the folder of another user: replace the link by the "
                + "file, or run this as the owner of the folder"
        }
    }

    /// The system's sentence for an error number, for example `No space left on device`.
    static func sentence(_ code: Int32) -> String {
        unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
    }
}
