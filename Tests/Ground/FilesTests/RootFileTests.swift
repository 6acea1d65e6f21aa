import Files
import Glibc
import Testing

/// The files that root makes in the folder of another user.
@Suite(.enabled(if: geteuid() == 0, "only root can make files for others"))
struct RootFileTests {
    private static let user: uid_t = 61234
    private static let group: gid_t = 61235

    /// The user and the group of a file; nil when there is none.
    private func owner(_ path: String) -> [UInt32]? {
        var status = stat()
        return unsafe lstat(path, &status) == 0 ? [status.st_uid, status.st_gid] : nil
    }

    /// Lends a folder of the user's own in one of root's, into which nobody else may look.
    private func withFolder(_ body: (String) throws -> Void) throws {
        var template = Array("/tmp/watchwise-files-XXXXXX".utf8CString)
        try #require(unsafe mkdtemp(&template) != nil)
        let above = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        let folder = above + "/data"
        try #require(unsafe mkdir(folder, 0o700) == 0)
        try #require(unsafe chown(folder, Self.user, Self.group) == 0)
        defer {
            for name in ["data/key", "data/.t", "data/lock", "target"] { unsafe unlink(above + "/" + name) }
            unsafe rmdir(folder)
            unsafe rmdir(above)
        }
        try body(folder)
    }

    @Test func `a file that root makes or replaces belongs to the owner and the group of the folder`() throws {
        try withFolder { folder throws in
            let file = PrivateFile(path: folder + "/key")
            #expect(try file.create([1], temporaryName: ".t"))
            #expect(owner(file.path) == [Self.user, Self.group])
            unsafe chown(file.path, 0, 0)
            try file.replace([2], temporaryName: ".t")
            #expect(owner(file.path) == [Self.user, Self.group])
            #expect(try file.read(bytesMax: 9) == [2])
            try FolderFile(path: folder + "/lock").make()
            #expect(owner(folder + "/lock") == [Self.user, Self.group])
        }
    }

    @Test func `in a folder of root's a file is root's, also when the folder's group is another`() throws {
        try withFolder { folder throws in
            unsafe chown(folder, 0, Self.group)
            #expect(try PrivateFile(path: folder + "/key").create([1], temporaryName: ".t"))
            #expect(owner(folder + "/key") == [0, 0])
        }
    }

    @Test func `root follows no link that the folder's owner has made`() throws {
        try withFolder { folder throws in
            let target = folder + "/../target"
            #expect(try PrivateFile(path: target).create([7], temporaryName: ".t"))
            unsafe chmod(target, 0o644)
            for name in ["lock", ".t", "key"] { #expect(unsafe symlink("../target", "\(folder)/\(name)") == 0) }
            let lock = FolderFile(path: folder + "/lock")
            #expect(throws: PrivateFileError.link(path: lock.path)) { try lock.make() }
            #expect(throws: PrivateFileError.link(path: lock.path)) { try lock.shut() }
            let file = PrivateFile(path: folder + "/key")
            #expect(throws: PrivateFileError.system(path: folder + "/.t", operation: "create", errno: EEXIST)) {
                try file.replace([1], temporaryName: ".t")
            }
            // A link in the file's own place is replaced, not followed.
            unsafe unlink(folder + "/.t")
            try file.replace([1], temporaryName: ".t")
            #expect(owner(file.path) == [Self.user, Self.group] && owner(target) == [0, 0])
            #expect(try ReadableFile(path: target).read(bytesMax: 9).bytes == [7])
            #expect(try ReadableFile(path: target).read(bytesMax: 9).mode == 0o644)
        }
    }

    @Test func `a link to a file that is not there makes none elsewhere`() throws {
        try withFolder { folder throws in
            #expect(unsafe symlink("../target", folder + "/lock") == 0)
            #expect(throws: PrivateFileError.link(path: folder + "/lock")) {
                try FolderFile(path: folder + "/lock").make()
            }
            #expect(owner(folder + "/../target") == nil)
        }
    }
}
