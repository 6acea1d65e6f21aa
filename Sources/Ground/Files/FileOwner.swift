import Glibc

/// Says to whom a file belongs that this process may not use, and as which user it runs: an operator needs both to mend it.
/// - Confinement: any; blocks on the disk
package enum FileOwner {
    /// `/var/lib/watchwise belongs to root (mode 0700), and this runs as watchwise`. If the process may not look at the file
    /// itself, the sentence is about the nearest folder above it that it may look at.
    package static func sentence(of path: String) -> String {
        var place = path
        var status = stat()
        while unsafe stat(place, &status) != 0 {
            let above = DataFolder.path(of: place)
            guard above != place else { return "this runs as \(name(of: geteuid()))" }
            place = above
        }
        let mode = String(status.st_mode & 0o7777, radix: 8)
        return "\(place) belongs to \(name(of: status.st_uid)) (mode 0\(mode)), and this runs as \(name(of: geteuid()))"
    }

    /// The same for the first of some paths that this process may not read and write; nil when it may use all of them. If a
    /// path does not exist yet, the sentence is about the folder in which it must be made.
    package static func sentence(ofFirstClosed paths: [String]) -> String? {
        for path in paths {
            if unsafe access(path, R_OK | W_OK) == 0 { continue }
            let reason = errno
            if reason == ENOENT {
                let above = existingFolder(above: path)
                if unsafe access(above, W_OK | X_OK) == 0 { continue }
                return sentence(of: above)
            }
            if reason == EACCES || reason == EPERM { return sentence(of: path) }
        }
        return nil
    }

    private static func existingFolder(above path: String) -> String {
        var place = DataFolder.path(of: path)
        var status = stat()
        while unsafe stat(place, &status) != 0, errno == ENOENT {
            let above = DataFolder.path(of: place)
            if above == place { break }
            place = above
        }
        return place
    }

    /// `watchwise`, or `user 998` where the machine has no name for the number.
    private static func name(of user: uid_t) -> String {
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 4096)
        let status = unsafe getpwuid_r(user, &entry, &buffer, buffer.count, &found)
        guard status == 0, unsafe found != nil, let name = unsafe entry.pw_name else { return "user \(user)" }
        return unsafe String(cString: name)
    }
}
