import Glibc

/// An open folder, in which files are made for the folder's owner.
///
/// An operator runs commands as root on the folder of a user that runs the server. The files that root makes there belong to that
/// user and the folder's group, since otherwise the next start of the server could not open them. The user may put links
/// into the folder, so a new file is always one that was not there (`O_EXCL`), and it is given away by its descriptor.
/// - Confinement: any; blocks on the disk
struct DataFolder: ~Copyable {
    let path: String
    private let descriptor: Int32

    /// Opens the folder of a file.
    /// - Parameter name: of the file that is to be made, for the error.
    init(of file: String, toMake name: String) throws(PrivateFileError) {
        path = DataFolder.path(of: file)
        descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if descriptor < 0 { throw .system(path: "\(path)/\(name)", operation: "create", errno: errno) }
    }

    deinit { close(descriptor) }

    /// Makes an empty file with mode 0600.
    /// - Returns: its descriptor, for writing; the caller closes it.
    /// - Throws: also when there is one (`EEXIST`), or a link.
    func make(_ name: String) throws(PrivateFileError) -> Int32 {
        let file = unsafe openat(descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        if file < 0 { throw .system(path: "\(path)/\(name)", operation: "create", errno: errno) }
        do throws(PrivateFileError) {
            // The umask may have taken bits away.
            if fchmod(file, 0o600) != 0 { throw .system(path: "\(path)/\(name)", operation: "fchmod", errno: errno) }
            try give(file, name)
        } catch {
            close(file)
            remove(name)
            throw error
        }
        return file
    }

    /// Gives a file to the folder's owner, when root has made it in the folder of another.
    private func give(_ file: Int32, _ name: String) throws(PrivateFileError) {
        guard geteuid() == 0 else { return }
        var (own, made) = (stat(), stat())
        guard unsafe fstat(descriptor, &own) == 0, unsafe fstat(file, &made) == 0 else {
            throw .system(path: "\(path)/\(name)", operation: "fstat", errno: errno)
        }
        guard own.st_uid != 0, (own.st_uid, own.st_gid) != (made.st_uid, made.st_gid) else { return }
        guard fchown(file, own.st_uid, own.st_gid) == 0 else {
            throw .system(path: "\(path)/\(name)", operation: "fchown to the owner of the folder", errno: errno)
        }
    }

    /// Gives a file a second name; false when that is taken.
    func link(_ name: String, to other: String) throws(PrivateFileError) -> Bool {
        if unsafe linkat(descriptor, name, descriptor, other, 0) == 0 { return true }
        if errno == EEXIST { return false }
        throw .system(path: "\(path)/\(other)", operation: "link", errno: errno)
    }

    /// Gives a file another name, in the place of the file that has it.
    func rename(_ name: String, to other: String) throws(PrivateFileError) {
        guard unsafe renameat(descriptor, name, descriptor, other) == 0 else {
            throw .system(path: "\(path)/\(other)", operation: "rename", errno: errno)
        }
    }

    /// Removes a name, if it is there.
    func remove(_ name: String) { unsafe _ = unlinkat(descriptor, name, 0) }

    /// Makes the folder's list of names durable.
    func sync() throws(PrivateFileError) {
        if fsync(descriptor) != 0 { throw .system(path: path, operation: "fsync", errno: errno) }
    }

    /// The folder part of a path.
    static func path(of file: String) -> String {
        guard let slash = file.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == file.startIndex ? "/" : String(file[..<slash])
    }

    /// The last part of a path.
    static func name(of file: String) -> String {
        guard let slash = file.utf8.lastIndex(of: UInt8(ascii: "/")) else { return file }
        return String(file[file.index(after: slash)...])
    }
}
