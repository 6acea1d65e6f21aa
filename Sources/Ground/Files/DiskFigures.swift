import Glibc

/// The sizes of files, and the room on their disk.
/// - Confinement: any; blocks on the disk
package enum DiskFigures {
    /// The size of a file in bytes; nil where there is none.
    package static func bytes(ofFile path: String) -> Int? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? Int(status.st_size) : nil
    }

    /// Bytes that this user may still write on the disk of a folder; nil where the disk does not say.
    package static func free(of folder: String) -> Int? {
        var disk = statvfs()
        guard unsafe statvfs(folder, &disk) == 0 else { return nil }
        return Int(clamping: disk.f_bavail).multipliedReportingOverflow(by: Int(disk.f_frsize)).partialValue
    }
}
