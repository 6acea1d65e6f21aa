import Glibc

/// The kind of a thing at a path, where a file is needed: most of them cannot be read like one, and not twice.
/// - Confinement: any; blocks on the disk
package enum FileKind: Sendable, Hashable {
    case file, folder, pipe, socket, device

    /// Links are followed.
    /// - Returns: nil when nothing is there, or it cannot be looked at.
    package init?(of path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        switch status.st_mode & S_IFMT {
        case S_IFREG: self = .file
        case S_IFDIR: self = .folder
        case S_IFIFO: self = .pipe
        case S_IFSOCK: self = .socket
        default: self = .device
        }
    }

    /// `/dev/stdin is a pipe, and a file is needed: write its content into a file, and name that`
    /// - Returns: nil for a file.
    package func hint(for path: String) -> String? {
        switch self {
        case .file: nil
        case .folder: "\(path) is a folder, and a file is needed: name a file in it"
        case .pipe: "\(path) is a pipe, and a file is needed: write its content into a file, and name that"
        case .socket: "\(path) is a socket, and a file is needed: name a file"
        case .device: "\(path) is a device, and a file is needed: write its content into a file, and name that"
        }
    }
}
